/* strcasecmp, strncasecmp */
#include "model.h"
#include <string.h>
#include <strings.h>

static int lower(char c)
{
    return TO_LOWER((unsigned char)c);
}

static int differ(const char *a, const char *b, size_t limit)
{
    size_t i;
    for (i = 0; i < limit; i++) {
        if (lower(a[i]) != lower(b[i]))
            return lower(a[i]) - lower(b[i]);
        if (a[i] == '\0')
            return 0;
    }
    return 0;
}

/* True if strings of these lengths are concrete up to the end of the shorter one. */
static int concrete(const char *a, size_t a_length, const char *b, size_t b_length, size_t limit)
{
    size_t seen = (a_length < b_length ? a_length : b_length) + 1;
    seen = seen < limit ? seen : limit;
    return !symbolic(a, seen) && !symbolic(b, seen);
}

int MODEL(strcasecmp)(const char *a, const char *b)
{
    if (!__cairn_tracing() || !__cairn_m_plain_characters())
        return strcasecmp(a, b);
    if (!symbolic_value(a) && !symbolic_value(b) && concrete(a, strlen(a), b, strlen(b), NO_LIMIT))
        return strcasecmp(a, b);
    return differ(a, b, NO_LIMIT);
}

int MODEL(strncasecmp)(const char *a, const char *b, size_t limit)
{
    if (!__cairn_tracing() || !__cairn_m_plain_characters())
        return strncasecmp(a, b, limit);
    if (!symbolic_value(a) && !symbolic_value(b) && !symbolic_value(limit)
        && concrete(a, strnlen(a, limit), b, strnlen(b, limit), limit))
        return strncasecmp(a, b, limit);
    return differ(a, b, limit);
}
