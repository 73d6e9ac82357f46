/*
 * memcmp, bcmp
 *
 * Only the sign of the answer means anything, and glibc's value depends on the processor. The branches
 * settle the sign; the value is the real function's.
 */
#include "model.h"
#include <string.h>
#include <strings.h>

/* Leaves in the path where the blocks differ, and in which direction. */
static void compare(const unsigned char *a, const unsigned char *b, size_t size)
{
    static volatile int below; /* So that the branch stays. */
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
