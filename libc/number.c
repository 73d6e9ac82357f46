/*
 * strtol and strtoul, which strtoll, atoi and the others are on this machine.
 *
 * A branch per character and class; the number itself is one expression. Whether it fits is asked only
 * from the digit on that might make it too large, since each question would be one for the solver too.
 */
#include "number.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Where the parts of a number are. */
struct parts {
    const char *digits;
    int base;
    int negative;
    int prefixed;
};

static int is_prefix(const char *text, char letter)
{
    return text[0] == '0' && TO_LOWER((unsigned char)text[1]) == letter;
}

/* Skips space, sign and prefix. */
static struct parts split(const char *text, int base, int binary)
{
    struct parts parts = {text, base, 0, 0};
    while (IS_SPACE((unsigned char)*parts.digits))
        parts.digits++;
    if (*parts.digits == '-' || *parts.digits == '+')
        parts.negative = *parts.digits++ == '-';
    if ((base == 0 || base == 16) && is_prefix(parts.digits, 'x')) {
        parts.base = 16;
        parts.prefixed = 1;
    } else if (binary && (base == 0 || base == 2) && is_prefix(parts.digits, 'b')) {
        parts.base = 2;
        parts.prefixed = 1;
    } else if (base == 0) {
        parts.base = *parts.digits == '0' ? 8 : 10;
    }
    parts.digits += 2 * parts.prefixed;
    return parts;
}

/* The value of a digit in `base`, or -1. */
static int digit(char c, int base)
{
    unsigned value = (unsigned char)c - (unsigned)'0';
    if (base <= 10)
        return value < (unsigned)base ? (int)value : -1;
    if (value < 10)
        return (int)value;
    value = ((unsigned char)c | 32u) - 'a';
    return value < (unsigned)base - 10 ? (int)value + 10 : -1;
}

/* How many digits always fit. */
static int safe_digits(int base)
{
    unsigned long limit = LONG_MAX;
    int count = 0;
    while (limit >= (unsigned long)base) {
        limit /= (unsigned long)base;
        count++;
    }
    return count;
}

/* Reads digits into `number` and says where they end; `fits` becomes 0 if one was too many. */
static const char *read_digits(const struct parts *parts, unsigned long limit, unsigned long *number, int *fits)
{
    const char *at = parts->digits;
    unsigned long base = (unsigned long)parts->base;
    int value, safe = safe_digits(parts->base);
    *number = 0;
    *fits = 1;
    for (; (value = digit(*at, parts->base)) >= 0; at++) {
        if (!*fits)
            continue;
        if (at - parts->digits >= safe
            && (*number > limit / base || (*number == limit / base && (unsigned long)value > limit % base))) {
            *fits = 0;
            continue;
        }
        *number = *number * base + (unsigned long)value;
    }
    return at;
}

static unsigned long parse(const char *text, char **end, int base, enum number type, int binary)
{
    struct parts parts = split(text, base, binary);
    unsigned long number, limit = ULONG_MAX;
    const char *after;
    int fits;
    if (type == SIGNED)
        limit = parts.negative ? (unsigned long)LONG_MIN : (unsigned long)LONG_MAX;
    after = read_digits(&parts, limit, &number, &fits);
    if (after == parts.digits)
        /* No number; but of a prefix alone, the 0 is one. */
        after = parts.prefixed ? parts.digits - 1 : text;
    if (end != NULL)
        *end = (char *)after;
    if (!fits) {
        errno = ERANGE;
        return limit;
    }
    return parts.negative ? -number : number;
}

/* No fewer bytes than had to be looked at for an answer that ends at `end`. */
static size_t seen(const char *text, const char *end)
{
    /* Sign, prefix, and what is no digit. */
    return (end > text ? (size_t)(end - text) : strspn(text, " \t\n\v\f\r")) + 4;
}

unsigned long __cairn_m_number(const char *text, char **end, int base, enum number type, int binary)
{
    int saved = errno;
    char *after = (char *)text;
    unsigned long number;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    if ((!__cairn_tracing() && !binary) || !__cairn_m_plain_characters())
        return type == SIGNED ? (unsigned long)strtol(text, end, base) : strtoul(text, end, base);
    if (binary)
        return parse(text, end, base, type, binary);
    number = type == SIGNED ? (unsigned long)strtol(text, &after, base) : strtoul(text, &after, base);
    if (!symbolic_value(text) && !symbolic_value(base) && !symbolic(text, seen(text, after))) {
        if (end != NULL)
            *end = after;
        return number;
    }
    errno = saved;
    return parse(text, end, base, type, binary);
}
