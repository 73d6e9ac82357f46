/* Shared declarations of the models of sprintf and its variants. */
#ifndef CAIRN_PRINT_H
#define CAIRN_PRINT_H

#include "format.h"
#include "model.h"
#include <stdarg.h>
#include <wchar.h>

/* Output buffer. Beyond `room`, text is only counted. */
struct sink {
    char *to;
    size_t room;
    size_t length;
    /* The error number that `%m` prints. */
    int error;
};

void __cairn_m_put(struct sink *sink, const char *text, size_t length);
void __cairn_m_pad(struct sink *sink, char c, long count);

/* A parsed conversion specification. */
struct layout {
    int left;
    int plus;
    int space;
    int alternate;
    int zero;
    int width;
    /* -1 if absent. */
    int precision;
    enum size size;
    char conversion;
};

/* The remaining arguments. */
struct arguments {
    va_list list;
};

/* Parses the specification after a percent sign. Returns NULL if the models do not support it. */
const char *__cairn_m_layout(const char *format, struct arguments *arguments, struct layout *layout);

/* Argument of a conversion; which member is valid depends on the conversion. */
struct value {
    unsigned long integer;
    const void *pointer;
    double real;
    long double long_real;
};

/* Returns the next argument, of the type that the conversion takes. */
struct value __cairn_m_argument(const struct layout *layout, struct arguments *arguments);

/* Kind of argument that a conversion takes. */
enum kind {
    PERCENT, INTEGER, CHARACTER, STRING, POINTER, COUNT, REAL, LONG_REAL, WIDE_CHARACTER, WIDE_STRING, ERROR, UNKNOWN
};
enum kind __cairn_m_kind(const struct layout *layout);

/* Conversions. Those of the library return -1 on an encoding error. */
void __cairn_m_print_integer(struct sink *sink, const struct layout *layout, unsigned long value);
int __cairn_m_print_by_library(struct sink *sink, const struct layout *layout, const struct value *value);

/* Returns the number of bytes of a wide string that a conversion reads, including the terminator if it is read. */
size_t __cairn_m_wide_size(const struct layout *layout, const wchar_t *text);

/* Models of vsnprintf and vasprintf. */
int __cairn_m_print(char *to, size_t size, const char *format, va_list arguments);
int __cairn_m_print_allocated(char **to, const char *format, va_list arguments);

#endif
