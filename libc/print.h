/* What the models of sprintf and its kin share. */
#ifndef CAIRN_PRINT_H
#define CAIRN_PRINT_H

#include "format.h"
#include "model.h"
#include <stdarg.h>
#include <wchar.h>

/* Where text goes. Beyond `room` it is only counted. */
struct sink {
    char *to;
    size_t room;
    size_t length;
    /* The error number that `%m` speaks of. */
    int error;
};

void __cairn_m_put(struct sink *sink, const char *text, size_t length);
void __cairn_m_pad(struct sink *sink, char c, long count);

/* What a conversion specification says. */
struct layout {
    int left;
    int plus;
    int space;
    int alternate;
    int zero;
    int width;
    /* -1: none. */
    int precision;
    enum size size;
    char conversion;
};

/* The arguments that are left. */
struct arguments {
    va_list list;
};

/* Reads what follows a percent sign. NULL if these models do not know it. */
const char *__cairn_m_layout(const char *format, struct arguments *arguments, struct layout *layout);

/* What a conversion is about; which member counts depends on it. */
struct value {
    unsigned long integer;
    const void *pointer;
    double real;
    long double long_real;
};

/* The next argument, as a conversion wants it. */
struct value __cairn_m_argument(const struct layout *layout, struct arguments *arguments);

/* What a conversion deals in. */
enum kind { PERCENT, INTEGER, CHARACTER, STRING, POINTER, COUNT, REAL, LONG_REAL, WIDE_CHARACTER, WIDE_STRING, ERROR, UNKNOWN };
enum kind __cairn_m_kind(const struct layout *layout);

/* Conversions. Those of the library give -1 if there is no text for it. */
void __cairn_m_print_integer(struct sink *sink, const struct layout *layout, unsigned long value);
int __cairn_m_print_by_library(struct sink *sink, const struct layout *layout, const struct value *value);

/* Bytes of a wide string that a conversion reads, with its terminator if that is read. */
size_t __cairn_m_wide_size(const struct layout *layout, const wchar_t *text);

/* What vsnprintf and vasprintf would answer. */
int __cairn_m_print(char *to, size_t size, const char *format, va_list arguments);
int __cairn_m_print_allocated(char **to, const char *format, va_list arguments);

#endif
