/*
 * strtod, strtof, strtold
 *
 * One branch per character and class. The value is the quotient or product of two numbers that a double represents
 * exactly, so that it is rounded once, like the library's. For other numbers, and for words, hexadecimal and `long
 * double`, the branches determine the text, and the library computes the value of this text.
 */
#include "float.h"
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

/* Digits that a mantissa of 64 bits, a double, and a float represent exactly. */
#define DIGITS_OF_MANTISSA 19
#define DIGITS_OF_DOUBLE 15
#define DIGITS_OF_FLOAT 7
#define EXACT_IN_DOUBLE (1ul << 53)

/* More digits than any exponent needs. */
#define DIGITS_OF_EXPONENT 4

/* Powers of ten that a double represents exactly; a float does so up to the tenth. */
static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define LARGEST_POWER 22
#define LARGEST_POWER_OF_FLOAT 10

/* A parsed decimal number. */
struct decimal {
    const char *end;
    int negative;
    /* True if mantissa and exponent are the whole number. */
    int simple;
    unsigned long mantissa;
    int digits;
    int exponent;
};

static int is_digit(char c)
{
    return IN_RANGE(c, '0', '9');
}

static int is_hexadecimal(char c)
{
    return is_digit(c) | IN_RANGE((unsigned)c | 32u, 'a', 'f');
}

/* Returns the length of the common prefix of `text` and `word`. */
static int shared_start(const char *text, const char *word)
{
    int i = 0;
    while (word[i] != '\0' && TO_LOWER((unsigned char)text[i]) == word[i])
        i++;
    return i;
}

static const char *after_payload(const char *at)
{
    const char *close = at + 1;
    if (*at != '(')
        return at;
    while (is_digit(*close) || IS_LETTER(*close) || *close == '_')
        close++;
    return *close == ')' ? close + 1 : at;
}

/* Returns the end of `inf`, `infinity` or `nan`; NULL for other text. */
static const char *after_word(const char *at)
{
    int infinity = shared_start(at, "infinity");
    if (infinity >= 3)
        return at + (infinity == 8 ? 8 : 3);
    return infinity == 0 && shared_start(at, "nan") == 3 ? after_payload(at + 3) : NULL;
}

/* Returns the end of an exponent, or the position where it would have begun. */
static const char *after_exponent(const char *at, char letter, int *negative, const char **digits)
{
    const char *sign = at + 1, *end;
    if (TO_LOWER((unsigned char)*at) != letter)
        return at;
    *negative = *sign == '-';
    *digits = sign + (*negative || *sign == '+');
    for (end = *digits; is_digit(*end); end++)
        ;
    return end > *digits ? end : at;
}

/* Returns the end of a hexadecimal number behind its prefix; NULL if there is none. */
static const char *after_hexadecimal(const char *at)
{
    const char *start = at, *digits;
    int count, negative;
    while (is_hexadecimal(*at))
        at++;
    count = (int)(at - start);
    if (*at == '.') {
        for (at++; is_hexadecimal(*at); at++)
            count++;
        if (count == 0)
            return NULL;
    }
    return count == 0 ? NULL : after_exponent(at, 'p', &negative, &digits);
}

static const char *read_digits(const char *at, struct decimal *number)
{
    for (; is_digit(*at); at++) {
        number->digits++;
        if (number->digits <= DIGITS_OF_MANTISSA)
            number->mantissa = 10 * number->mantissa + (unsigned long)(*at - '0');
    }
    return at;
}

static void read_exponent(struct decimal *number)
{
    const char *at = NULL, *end;
    int negative = 0, exponent = 0;
    end = after_exponent(number->end, 'e', &negative, &at);
    if (end == number->end)
        return;
    if (end - at > DIGITS_OF_EXPONENT)
        number->simple = 0;
    else
        for (; at < end; at++)
            exponent = 10 * exponent + (*at - '0');
    number->end = end;
    number->exponent += negative ? -exponent : exponent;
}

static void read_decimal(const char *at, struct decimal *number)
{
    const char *point = read_digits(at, number), *end = point;
    if (*point == '.')
        end = read_digits(point + 1, number);
    if (number->digits == 0)
        return;
    if (end > point)
        number->exponent = -(int)(end - point - 1);
    number->end = end;
    number->simple = number->digits <= DIGITS_OF_MANTISSA;
    read_exponent(number);
}

static struct decimal read(const char *text)
{
    struct decimal number = {text, 0, 0, 0, 0, 0};
    const char *at = text, *end;
    while (IS_SPACE((unsigned char)*at))
        at++;
    if (*at == '-' || *at == '+')
        number.negative = *at++ == '-';
    if ((end = after_word(at)) != NULL)
        number.end = end;
    else if (*at == '0' && TO_LOWER((unsigned char)at[1]) == 'x' && (end = after_hexadecimal(at + 2)) != NULL)
        number.end = end;
    else
        read_decimal(at, &number);
    return number;
}

/* Computes the value of a number, if that is exact. */
static int has_double(const struct decimal *number, double *value)
{
    double magnitude = (double)number->mantissa;
    int exponent = number->exponent;
    if (!number->simple)
        return 0;
    if (exponent != 0) {
        if (number->digits > DIGITS_OF_DOUBLE && number->mantissa > EXACT_IN_DOUBLE)
            return 0;
        if (exponent < -LARGEST_POWER || exponent > LARGEST_POWER)
            return 0;
        magnitude = exponent < 0 ? magnitude / POWERS[-exponent] : magnitude * POWERS[exponent];
    }
    *value = number->negative ? -magnitude : magnitude;
    return 1;
}

/* Computes a float whose mantissa and power are exact. */
static int has_short_float(const struct decimal *number, float *value)
{
    float magnitude = (float)(int)number->mantissa;
    int exponent = number->exponent;
    if (!number->simple || number->digits > DIGITS_OF_FLOAT || exponent < -LARGEST_POWER_OF_FLOAT
        || exponent > LARGEST_POWER_OF_FLOAT)
        return 0;
    magnitude = exponent < 0 ? magnitude / (float)POWERS[-exponent] : magnitude * (float)POWERS[exponent];
    *value = number->negative ? -magnitude : magnitude;
    return 1;
}

/*
 * Rounding a double once more gives the right float unless it is halfway between two: the exact value may be on
 * either side.
 */
static int has_float(const struct decimal *number, float *value)
{
    double full;
    unsigned long bits;
    if (has_short_float(number, value))
        return 1;
    if (!has_double(number, &full))
        return 0;
    __builtin_memcpy(&bits, &full, sizeof bits);
    if ((bits & 0x1fffffff) == 0x10000000)
        return 0;
    *value = (float)full;
    return 1;
}

/* Returns an upper bound of the bytes that determine a result that ends at `end`. */
static size_t seen(const char *text, const char *end)
{
    /* Possibly the payload of a NaN; scanned by the library, since nothing is decided yet. */
    if (strspn(end, "(") > 0)
        return strlen(text) + 1;
    /* The longest word, or sign, prefix, point and the first non-digit. */
    return (end > text ? (size_t)(end - text) : strspn(text, " \t\n\v\f\r")) + 10;
}

/* True if the library's result that ends at `end` depends on no symbolic byte. */
static int is_concrete(const char *text, const char *end)
{
    return !__cairn_tracing() || !__cairn_m_plain_characters() || strcmp(nl_langinfo(RADIXCHAR), ".") != 0
           || (!symbolic_value(text) && !symbolic(text, seen(text, end)));
}

static void set_end(char **end, const char *to)
{
    if (end != NULL)
        *end = (char *)to;
}

double __cairn_m_double(const char *text, char **end)
{
    char *after;
    double value = strtod(text, &after);
    if (!is_concrete(text, after)) {
        struct decimal number = read(text);
        after = (char *)number.end;
        if (!has_double(&number, &value))
            __cairn_m_concretize(text, (size_t)(after - text));
    }
    set_end(end, after);
    return value;
}

float __cairn_m_float(const char *text, char **end)
{
    char *after;
    float value = strtof(text, &after);
    if (!is_concrete(text, after)) {
        struct decimal number = read(text);
        after = (char *)number.end;
        if (!has_float(&number, &value))
            __cairn_m_concretize(text, (size_t)(after - text));
    }
    set_end(end, after);
    return value;
}

long double __cairn_m_long_double(const char *text, char **end)
{
    char *after;
    long double value = strtold(text, &after);
    if (!is_concrete(text, after)) {
        after = (char *)read(text).end;
        __cairn_m_concretize(text, (size_t)(after - text));
    }
    set_end(end, after);
    return value;
}
