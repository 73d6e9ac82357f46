/* strcoll, strxfrm: in C and C.UTF-8 characters are collated by their codes */
#include "model.h"
#include <string.h>

int __cairn_w_strcmp(const char *a, const char *b);

int MODEL(strcoll)(const char *a, const char *b)
{
    return __cairn_tracing() && __cairn_m_plain_order() ? __cairn_w_strcmp(a, b) : strcoll(a, b);
}

size_t MODEL(strxfrm)(char *to, const char *from, size_t size)
{
    size_t length;
    if (!__cairn_tracing() || !__cairn_m_plain_order())
        return strxfrm(to, from, size);
    length = __cairn_m_length(from, NO_LIMIT);
    __builtin_memcpy(to, from, length < size ? length + 1 : size);
    return length;
}
