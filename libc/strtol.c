/* strtol, strtoul and their aliases for other types */
#include "number.h"
#include <inttypes.h>

long MODEL(strtol)(const char *text, char **end, int base)
{
    return (long)__cairn_m_number(text, end, base, SIGNED, 0);
}

long long MODEL(strtoll)(const char *text, char **end, int base)
{
    return (long long)__cairn_m_number(text, end, base, SIGNED, 0);
}

intmax_t MODEL(strtoimax)(const char *text, char **end, int base)
{
    return (intmax_t)__cairn_m_number(text, end, base, SIGNED, 0);
}

unsigned long MODEL(strtoul)(const char *text, char **end, int base)
{
    return (unsigned long)__cairn_m_number(text, end, base, UNSIGNED, 0);
}

unsigned long long MODEL(strtoull)(const char *text, char **end, int base)
{
    return (unsigned long long)__cairn_m_number(text, end, base, UNSIGNED, 0);
}

uintmax_t MODEL(strtoumax)(const char *text, char **end, int base)
{
    return (uintmax_t)__cairn_m_number(text, end, base, UNSIGNED, 0);
}
