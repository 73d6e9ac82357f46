/* strcmp, strncmp: the difference of the first differing characters, as in glibc */
#include "model.h"
#include <string.h>

/* Block size, so that a comparison of long strings that differ early is fast. */
#define PIECE 64

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int differ(const char *a, const char *b, size_t limit)
{
    size_t i;
    for (i = 0; i < limit; i++) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (a[i] == '\0')
            return 0;
    }
    return 0;
}

/* Returns the length of the equal, concrete prefix; sets `over` if the comparison ends in it. */
static size_t concrete_start(const char *a, const char *b, size_t limit, int *over)
{
    size_t at = 0;
    for (*over = 0; at < limit; at += PIECE) {
        size_t piece = less(PIECE, limit - at);
        size_t length = less(strnlen(a + at, piece), strnlen(b + at, piece));
        size_t seen = less(length + 1, piece);
        if (symbolic(a + at, seen) || symbolic(b + at, seen))
            return at;
        if (length < piece || memcmp(a + at, b + at, piece) != 0)
            break;
    }
    *over = 1;
    return at;
}

int MODEL(strcmp)(const char *a, const char *b)
{
    int over;
    size_t start;
    if (!__cairn_tracing())
        return strcmp(a, b);
    if (symbolic_value(a) || symbolic_value(b))
        return differ(a, b, NO_LIMIT);
    start = concrete_start(a, b, NO_LIMIT, &over);
    return over ? strcmp(a, b) : differ(a + start, b + start, NO_LIMIT);
}

int MODEL(strncmp)(const char *a, const char *b, size_t limit)
{
    int over;
    size_t start;
    if (!__cairn_tracing())
        return strncmp(a, b, limit);
    if (symbolic_value(a) || symbolic_value(b) || symbolic_value(limit))
        return differ(a, b, limit);
    start = concrete_start(a, b, limit, &over);
    return over ? strncmp(a, b, limit) : differ(a + start, b + start, limit - start);
}
