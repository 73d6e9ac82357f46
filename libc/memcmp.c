/*
 * memcmp, bcmp
 *
 * Only the sign of the result is specified, and glibc's value depends on the processor. The branches determine the
 * sign; the value is the real function's.
 */
#include "model.h"
#include <string.h>
#include <strings.h>

/* Branches on where the blocks differ, and on the sign of the difference. */
static void compare(const unsigned char *a, const unsigned char *b, size_t size)
{
    static volatile int below; /* Keeps the branch. */
    size_t i;
    for (i = 0; i < size; i++) {
        if (a[i] == b[i])
            continue;
        if (a[i] < b[i])
            below++;
        return;
    }
}

int MODEL(memcmp)(const void *a, const void *b, size_t size)
{
    int answer = memcmp(a, b, size);
    if (symbolic_value(a) || symbolic_value(b) || symbolic_value(size) || symbolic(a, size)
        || symbolic(b, size))
        compare(a, b, size);
    return answer;
}

int MODEL(bcmp)(const void *a, const void *b, size_t size)
{
    int answer = bcmp(a, b, size);
    if (symbolic_value(a) || symbolic_value(b) || symbolic_value(size) || symbolic(a, size)
        || symbolic(b, size))
        compare(a, b, size);
    return answer;
}
