/* Conversions of printf whose text the library writes: floating-point numbers, wide characters, errors. */
#include "print.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Maximum length of flags, modifier and conversion. */
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

size_t __cairn_m_wide_size(const struct layout *layout, const wchar_t *text)
{
    /* No character has less than one byte, and the precision counts bytes. */
    size_t limit = layout->precision < 0 ? NO_LIMIT : (size_t)layout->precision;
    size_t length = wcsnlen(text, limit < NO_LIMIT / sizeof *text ? limit : NO_LIMIT / sizeof *text);
    return (length + (length < limit)) * sizeof *text;
}

/*
 * Concretizes everything that the text depends on: the library writes it without labels, so a later decision on the
 * text is one on these values, and the path must contain it.
 */
static void concretize(const struct layout *layout, const struct value *value)
{
    unsigned long bits;
    __cairn_concretized((size_t)layout->width);
    __cairn_concretized((size_t)layout->precision);
    switch (__cairn_m_kind(layout)) {
    case REAL:
        __builtin_memcpy(&bits, &value->real, sizeof bits);
        __cairn_concretized(bits);
        break;
    case WIDE_CHARACTER:
        __cairn_concretized(value->integer);
        break;
    case WIDE_STRING:
        __cairn_concretized((size_t)value->pointer);
        if (value->pointer != NULL)
            __cairn_m_concretize(value->pointer, __cairn_m_wide_size(layout, value->pointer));
        break;
    default:
        break;
    }
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
    concretize(layout, value);
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
    /* The library writes no labels: those of the previous contents are removed. */
    __cairn_clear(text, (size_t)length);
    __cairn_m_put(sink, text, (size_t)length);
    if (text != few)
        free(text);
    return 0;
}
