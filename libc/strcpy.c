/* strcpy, stpcpy, strncpy, stpncpy, strcat, strncat */
#include "model.h"

/* Returns the end of the copy. */
static char *copy(char *to, const char *from)
{
    size_t length = __cairn_m_length(from, NO_LIMIT);
    __builtin_memmove(to, from, length + 1);
    return to + length;
}

/* Pads to `size` bytes; returns the end of the copy. */
static char *copy_padded(char *to, const char *from, size_t size)
{
    size_t length = __cairn_m_length(from, size);
    __builtin_memmove(to, from, length);
    __builtin_memset(to + length, 0, size - length);
    return to + length;
}

char *MODEL(stpcpy)(char *to, const char *from)
{
    return copy(to, from);
}

char *MODEL(strcpy)(char *to, const char *from)
{
    copy(to, from);
    return to;
}

char *MODEL(stpncpy)(char *to, const char *from, size_t size)
{
    return copy_padded(to, from, size);
}

char *MODEL(strncpy)(char *to, const char *from, size_t size)
{
    copy_padded(to, from, size);
    return to;
}

char *MODEL(strcat)(char *to, const char *from)
{
    copy(to + __cairn_m_length(to, NO_LIMIT), from);
    return to;
}

char *MODEL(strncat)(char *to, const char *from, size_t size)
{
    size_t length = __cairn_m_length(from, size);
    char *end = to + __cairn_m_length(to, NO_LIMIT);
    __builtin_memmove(end, from, length);
    end[length] = '\0';
    return to;
}
