/* The engine of sprintf and its variants: walks the format and calls the conversions. */
#include "print.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

void __cairn_m_put(struct sink *sink, const char *text, size_t length)
{
    size_t room = sink->length < sink->room ? sink->room - sink->length : 0;
    __builtin_memmove(sink->to + sink->length, text, length < room ? length : room);
    sink->length += length;
}

void __cairn_m_pad(struct sink *sink, char c, long count)
{
    size_t room = sink->length < sink->room ? sink->room - sink->length : 0;
    if (count <= 0)
        return;
    __builtin_memset(sink->to + sink->length, c, (size_t)count < room ? (size_t)count : room);
    sink->length += (size_t)count;
}

static size_t limit_of(const struct layout *layout)
{
    return layout->precision < 0 ? NO_LIMIT : (size_t)layout->precision;
}

static void print_aligned(struct sink *sink, const struct layout *layout, const char *text, size_t length)
{
    long spaces = (long)layout->width - (long)length;
    if (!layout->left)
        __cairn_m_pad(sink, ' ', spaces);
    __cairn_m_put(sink, text, length);
    if (layout->left)
        __cairn_m_pad(sink, ' ', spaces);
}

static void print_string(struct sink *sink, const struct layout *layout, const char *text)
{
    if (text == NULL)
        text = layout->precision < 0 || layout->precision >= 6 ? "(null)" : "";
    print_aligned(sink, layout, text, __cairn_m_length(text, limit_of(layout)));
}

static void print_pointer(struct sink *sink, const struct layout *layout, const void *pointer)
{
    if (pointer == NULL)
        print_aligned(sink, layout, "(nil)", 5);
    else
        __cairn_m_print_integer(sink, layout, (unsigned long)pointer);
}

static int print_value(struct sink *sink, const struct layout *layout, const struct value *value)
{
    char c = (char)value->integer;
    switch (__cairn_m_kind(layout)) {
    case PERCENT:
        __cairn_m_put(sink, "%", 1);
        return 0;
    case INTEGER:
        __cairn_m_print_integer(sink, layout, value->integer);
        return 0;
    case CHARACTER:
        print_aligned(sink, layout, &c, 1);
        return 0;
    case STRING:
        print_string(sink, layout, value->pointer);
        return 0;
    case POINTER:
        print_pointer(sink, layout, value->pointer);
        return 0;
    case COUNT:
        __cairn_m_store((void *)value->pointer, layout->size, sink->length);
        return 0;
    default:
        return __cairn_m_print_by_library(sink, layout, value);
    }
}

/* Returns the length of the text up to the next percent sign. */
static size_t plain_length(const char *format)
{
    size_t length = 0;
    while (format[length] != '\0' && format[length] != '%')
        length++;
    return length;
}

static int print_all(struct sink *sink, const char *format, struct arguments *arguments)
{
    for (;;) {
        size_t plain = plain_length(format);
        struct layout layout;
        struct value value;
        __cairn_m_put(sink, format, plain);
        format += plain;
        if (*format == '\0')
            return 0;
        format = __cairn_m_layout(format + 1, arguments, &layout);
        if (format == NULL)
            return -1;
        value = __cairn_m_argument(&layout, arguments);
        if (print_value(sink, &layout, &value) != 0)
            return -1;
    }
}

static int is_symbolic(const struct layout *layout, const struct value *value)
{
    const char *text = value->pointer;
    size_t limit = limit_of(layout), length;
    if (symbolic_value(*layout) || symbolic_value(value->integer) || symbolic_value(value->pointer)
        || symbolic_value(value->real))
        return 1;
    if (__cairn_m_kind(layout) == WIDE_STRING && text != NULL)
        return symbolic(text, __cairn_m_wide_size(layout, value->pointer));
    if (__cairn_m_kind(layout) != STRING || text == NULL)
        return 0;
    length = strnlen(text, limit);
    return symbolic(text, length + (length < limit));
}

/*
 * System V calling convention of variadic arguments: bytes of integer and of all registers, and the layout of a list.
 */
#define INTEGER_REGISTERS 48
#define ALL_REGISTERS 176
#define STACK_ARGUMENTS (16 * sizeof(long))
struct list {
    unsigned integers, reals;
    const char *on_stack, *in_registers;
};

/*
 * Counts the arguments of a format that the models do not support (positions, `%b`) as lost: the text depends on
 * them.
 */
static void lose_arguments(va_list arguments)
{
    struct list list;
    __builtin_memcpy(&list, arguments, sizeof list);
    if (list.integers < INTEGER_REGISTERS)
        __cairn_lost_input(list.in_registers + list.integers, INTEGER_REGISTERS - list.integers);
    if (list.reals < ALL_REGISTERS)
        __cairn_lost_input(list.in_registers + list.reals, ALL_REGISTERS - list.reals);
    __cairn_lost_input(list.on_stack, STACK_ARGUMENTS);
}

/* True if an argument is symbolic and the format is supported. */
static int is_modelled(const char *format, va_list list)
{
    struct arguments arguments;
    const char *whole = format;
    int found;
    if (!__cairn_tracing())
        return 0;
    found = symbolic(format, strlen(format) + 1);
    va_copy(arguments.list, list);
    while (format != NULL && *(format += plain_length(format)) != '\0') {
        struct layout layout;
        format = __cairn_m_layout(format + 1, &arguments, &layout);
        if (format != NULL) {
            struct value value = __cairn_m_argument(&layout, &arguments);
            found |= is_symbolic(&layout, &value);
        }
    }
    va_end(arguments.list);
    if (format == NULL) {
        __cairn_lost_input(whole, strlen(whole) + 1);
        lose_arguments(list);
    }
    return format != NULL && found;
}

/* Prints to a sink; returns the length, or -1. */
static int print(struct sink *sink, const char *format, va_list list)
{
    struct arguments arguments;
    int failed;
    sink->error = errno;
    va_copy(arguments.list, list);
    failed = print_all(sink, format, &arguments);
    va_end(arguments.list);
    if (failed)
        return -1;
    errno = sink->error;
    if (sink->length > INT_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    return (int)sink->length;
}

/* Prints to an array. */
static int fill(char *to, size_t size, const char *format, va_list arguments)
{
    struct sink sink = {to, size - (size > 0), 0, 0};
    int length = print(&sink, format, arguments);
    if (size > 0)
        to[sink.length < sink.room ? sink.length : sink.room] = '\0';
    return length;
}

int __cairn_m_print(char *to, size_t size, const char *format, va_list arguments)
{
    int length;
    if (is_modelled(format, arguments))
        return fill(to, size, format, arguments);
    length = size == NO_LIMIT ? vsprintf(to, format, arguments) : vsnprintf(to, size, format, arguments);
    if (length >= 0 && size > 0)
        __cairn_clear(to, (size_t)length < size ? (size_t)length + 1 : size);
    return length;
}

int __cairn_m_print_allocated(char **to, const char *format, va_list arguments)
{
    int length;
    if (!is_modelled(format, arguments)) {
        length = vasprintf(to, format, arguments);
        if (length >= 0)
            __cairn_clear(*to, (size_t)length + 1);
        return length;
    }
    /* Once to determine the length, once to write. */
    length = fill(NULL, 0, format, arguments);
    if (length < 0)
        return -1;
    *to = __cairn_w_malloc((size_t)length + 1);
    return *to == NULL ? -1 : fill(*to, (size_t)length + 1, format, arguments);
}
