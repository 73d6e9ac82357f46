/* Parser of printf's formats. */
#include "print.h"
#include <limits.h>
#include <locale.h>
#include <wchar.h>

static const char *read_flags(const char *format, struct layout *layout)
{
    for (;; format++) {
        switch (*format) {
        case '-':
            layout->left = 1;
            break;
        case '+':
            layout->plus = 1;
            break;
        case ' ':
            layout->space = 1;
            break;
        case '#':
            layout->alternate = 1;
            break;
        case '0':
            layout->zero = 1;
            break;
        case '\'':
            /* Grouping of digits depends on the locale: the C locale has none. */
            if (*localeconv()->thousands_sep != '\0')
                return format;
            break;
        default:
            return format;
        }
    }
}

static const char *read_width(const char *format, struct arguments *arguments, struct layout *layout)
{
    if (*format != '*') {
        layout->width = __cairn_m_format_number(&format);
        return layout->width < 0 ? NULL : format;
    }
    layout->width = va_arg(arguments->list, int);
    if (layout->width == INT_MIN)
        return NULL;
    if (layout->width < 0) {
        layout->left = 1;
        layout->width = -layout->width;
    }
    return format + 1;
}

static const char *read_precision(const char *format, struct arguments *arguments, struct layout *layout)
{
    if (*format != '.')
        return format;
    if (*++format == '*') {
        layout->precision = va_arg(arguments->list, int);
        if (layout->precision < 0)
            layout->precision = -1;
        return format + 1;
    }
    layout->precision = __cairn_m_format_number(&format);
    return layout->precision < 0 ? NULL : format;
}

const char *__cairn_m_layout(const char *format, struct arguments *arguments, struct layout *layout)
{
    struct layout empty = {0, 0, 0, 0, 0, 0, -1, INT, '\0'};
    *layout = empty;
    format = read_width(read_flags(format, layout), arguments, layout);
    if (format != NULL)
        format = read_precision(format, arguments, layout);
    if (format == NULL)
        return NULL;
    layout->size = __cairn_m_format_size(&format);
    layout->conversion = *format;
    return __cairn_m_kind(layout) == UNKNOWN ? NULL : format + 1;
}

enum kind __cairn_m_kind(const struct layout *layout)
{
    switch (layout->conversion) {
    case '%':
        return PERCENT;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        return INTEGER;
    case 'c':
        return layout->size >= LONG ? WIDE_CHARACTER : CHARACTER;
    case 'C':
        return WIDE_CHARACTER;
    case 's':
        return layout->size >= LONG ? WIDE_STRING : STRING;
    case 'S':
        return WIDE_STRING;
    case 'p':
        return POINTER;
    case 'n':
        return COUNT;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return layout->size == LONG_LONG ? LONG_REAL : REAL;
    case 'm':
        return ERROR;
    default:
        return UNKNOWN;
    }
}

/* Returns an integer of its type's width, sign-extended if it is signed. */
static unsigned long integer(const struct layout *layout, struct arguments *arguments)
{
    int is_signed = layout->conversion == 'd' || layout->conversion == 'i';
    unsigned narrow;
    if (layout->size >= LONG)
        return va_arg(arguments->list, unsigned long);
    narrow = va_arg(arguments->list, unsigned);
    switch (layout->size) {
    case CHAR:
        return is_signed ? (unsigned long)(signed char)narrow : (unsigned char)narrow;
    case SHORT:
        return is_signed ? (unsigned long)(short)narrow : (unsigned short)narrow;
    default:
        return is_signed ? (unsigned long)(int)narrow : narrow;
    }
}

struct value __cairn_m_argument(const struct layout *layout, struct arguments *arguments)
{
    struct value value = {0, NULL, 0, 0};
    switch (__cairn_m_kind(layout)) {
    case INTEGER:
        value.integer = integer(layout, arguments);
        break;
    case CHARACTER:
        value.integer = (unsigned char)va_arg(arguments->list, int);
        break;
    case WIDE_CHARACTER:
        value.integer = va_arg(arguments->list, wint_t);
        break;
    case STRING:
    case WIDE_STRING:
    case POINTER:
    case COUNT:
        value.pointer = va_arg(arguments->list, void *);
        break;
    case REAL:
        value.real = va_arg(arguments->list, double);
        break;
    case LONG_REAL:
        value.long_real = va_arg(arguments->list, long double);
        break;
    default:
        break;
    }
    return value;
}
