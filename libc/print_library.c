/* Conversions of printf whose text the library writes: floating-point numbers, wide characters, errors. */
#include "print.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* More than the longest of flags, modifier and conversion. */
#define LONGEST_FORMAT 16

static void rebuild(const struct layout *layout, char *format)
{
    *format++ = '%';
    if (layout->left)
        *format++ = '-';
    if (layout->plus)
        *format++ = '+';
    if (layout->space)
        *format++ = ' ';
    if (layout->alternate)
        *format++ = '#';
    if (layout->zero)
        *format++ = '0';
    *format++ = '*';
    *format++ = '.';
    *format++ = '*';
    if (layout->size == LONG)
        *format++ = 'l';
    if (layout->size == LONG_LONG)
        *format++ = 'L';
    *format++ = layout->conversion;
    *format = '\0';
}

static int write(char *to, size_t size, const struct layout *layout, const struct value *value)
{
    char format[LONGEST_FORMAT];
    int width = layout->width, precision = layout->precision;
    rebuild(layout, format);
    switch (__cairn_m_kind(layout)) {
    case REAL:
        return snprintf(to, size, format, width, precision, value->real);
    case LONG_REAL:
        return snprintf(to, size, format, width, precision, value->long_real);
    case WIDE_CHARACTER:
        return snprintf(to, size, format, width, precision, (wint_t)value->integer);
    case WIDE_STRING:
        return snprintf(to, size, format, width, precision, value->pointer);
    default:
        return snprintf(to, size, format, width, precision);
    }
}

int __cairn_m_print_by_library(struct sink *sink, const struct layout *layout, const struct value *value)
{
    char few[128], *text = few;
    int length;
    errno = sink->error;
    length = write(few, sizeof few, layout, value);
    if (length < 0)
        return -1;
    if ((size_t)length >= sizeof few) {
        text = malloc((size_t)length + 1);
        if (text == NULL)
            return -1;
        errno = sink->error;
        write(text, (size_t)length + 1, layout, value);
    }
    /* The library knows nothing of labels: what was here before must leave none. */
    __cairn_clear(text, (size_t)length);
    __cairn_m_put(sink, text, (size_t)length);
    if (text != few)
        free(text);
    return 0;
}
