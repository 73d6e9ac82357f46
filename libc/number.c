/*
 * strtol and strtoul, which strtoll, atoi and others are aliases of on this machine.
 *
 * One branch per character and class; the number itself is one expression. Overflow is tested only from the first
 * digit on that might cause it, since each test would be a solver query as well.
 */
#include "number.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Positions of the parts of a number. */
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

/* True if `c` is a digit in `base`, with one branch for each kind of digit. */
static int is_digit(int c, int base, unsigned long *value)
{
    unsigned number = (unsigned)c - '0', letter = ((unsigned)c | 32u) - 'a';
    if (number < (unsigned)(base < 10 ? base : 10)) {
        *value = number;
        return 1;
    }
    if (base > 10 && letter < (unsigned)base - 10) {
        *value = letter + 10;
        return 1;
    }
    return 0;
}

/* Returns the number of digits that never overflow. */
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

struct integer __cairn_m_integer(int base, enum number type, int negative)
{
    struct integer integer = {0, ULONG_MAX, base, negative, 0, safe_digits(base), 1};
    if (type == SIGNED)
        integer.limit = negative ? (unsigned long)LONG_MIN : (unsigned long)LONG_MAX;
    return integer;
}

/* True if one more digit does not overflow. */
static int has_room(const struct integer *integer, unsigned long digit)
{
    unsigned long base = (unsigned long)integer->base, most = integer->limit / base;
    return integer->digits < integer->safe || integer->total < most
           || (integer->total == most && digit <= integer->limit % base);
}

int __cairn_m_take_digit(struct integer *integer, int c)
{
    unsigned long value;
    if (!is_digit(c, integer->base, &value))
        return 0;
    integer->fits = integer->fits && has_room(integer, value);
    if (integer->fits)
        integer->total = integer->total * (unsigned long)integer->base + value;
    integer->digits++;
    return 1;
}

unsigned long __cairn_m_value(const struct integer *integer)
{
    if (!integer->fits) {
        errno = ERANGE;
        return integer->limit;
    }
    return integer->negative ? -integer->total : integer->total;
}

static unsigned long parse(const char *text, char **end, int base, enum number type, int binary)
{
    struct parts parts = split(text, base, binary);
    struct integer integer = __cairn_m_integer(parts.base, type, parts.negative);
    const char *after = parts.digits;
    while (__cairn_m_take_digit(&integer, (unsigned char)*after))
        after++;
    if (after == parts.digits)
        /* No number; but of a prefix alone, the 0 is one. */
        after = parts.prefixed ? parts.digits - 1 : text;
    if (end != NULL)
        *end = (char *)after;
    return __cairn_m_value(&integer);
}

/* Returns an upper bound of the bytes that determine a result that ends at `end`. */
static size_t seen(const char *text, const char *end)
{
    /* Sign, prefix, and the first non-digit. */
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
