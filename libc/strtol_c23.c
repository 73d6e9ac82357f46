/* strtol, strtoul and variants with the semantics of C23: newer headers call these */
#include "number.h"
#include <inttypes.h>

long MODEL(__isoc23_strtol)(const char *text, char **end, int base)
{
    return (long)__cairn_m_number(text, end, base, SIGNED, 1);
}

long long MODEL(__isoc23_strtoll)(const char *text, char **end, int base)
{
    return (long long)__cairn_m_number(text, end, base, SIGNED, 1);
}

intmax_t MODEL(__isoc23_strtoimax)(const char *text, char **end, int base)
{
    return (intmax_t)__cairn_m_number(text, end, base, SIGNED, 1);
}

unsigned long MODEL(__isoc23_strtoul)(const char *text, char **end, int base)
{
    return (unsigned long)__cairn_m_number(text, end, base, UNSIGNED, 1);
}

unsigned long long MODEL(__isoc23_strtoull)(const char *text, char **end, int base)
{
    return (unsigned long long)__cairn_m_number(text, end, base, UNSIGNED, 1);
}

uintmax_t MODEL(__isoc23_strtoumax)(const char *text, char **end, int base)
{
    return (uintmax_t)__cairn_m_number(text, end, base, UNSIGNED, 1);
}
