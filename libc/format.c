/* Shared parts of the formats of printf and scanf. */
#include "format.h"
#include "model.h"
#include <limits.h>

int __cairn_m_format_number(const char **format)
{
    long value = 0;
    for (; IN_RANGE(**format, '0', '9'); ++*format)
        if (value <= INT_MAX)
            value = 10 * value + (**format - '0');
    return value <= INT_MAX ? (int)value : -1;
}

enum size __cairn_m_format_size(const char **format)
{
    char first = **format;
    switch (first) {
    case 'h':
    case 'l':
        if (*++*format != first)
            return first == 'h' ? SHORT : LONG;
        ++*format;
        return first == 'h' ? CHAR : LONG_LONG;
    case 'q':
    case 'L':
        ++*format;
        return LONG_LONG;
    case 'j':
    case 'z':
    case 't':
        ++*format;
        return LONG;
    default:
        return INT;
    }
}

void __cairn_m_store(void *to, enum size size, unsigned long value)
{
    switch (size) {
    case CHAR:
        *(unsigned char *)to = (unsigned char)value;
        break;
    case SHORT:
        *(unsigned short *)to = (unsigned short)value;
        break;
    case INT:
        *(unsigned *)to = (unsigned)value;
        break;
    default:
        *(unsigned long *)to = value;
    }
}
