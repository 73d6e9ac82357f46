/*
 * Conversions of printf that write integers: %d %i %u %o %x %X %p
 *
 * One branch per digit determines their number; each digit is an expression.
 */
#include "print.h"
#include <string.h>

/* Maximum number of digits of a 64-bit number, in base 8. */
#define MOST_DIGITS 22

static const unsigned long POWERS[] = {1ul,
                                       10ul,
                                       100ul,
                                       1000ul,
                                       10000ul,
                                       100000ul,
                                       1000000ul,
                                       10000000ul,
                                       100000000ul,
                                       1000000000ul,
                                       10000000000ul,
                                       100000000000ul,
                                       1000000000000ul,
                                       10000000000000ul,
                                       100000000000000ul,
                                       1000000000000000ul,
                                       10000000000000000ul,
                                       100000000000000000ul,
                                       1000000000000000000ul,
                                       10000000000000000000ul};
#define MOST_DECIMAL_DIGITS 20
#define MOST_NARROW_DIGITS 10

/* 32-bit numbers are divided in 32 bits: that is easier for a solver. */
static int narrow_digits(unsigned value, char *digits)
{
    int count = 1, i;
    while (count < MOST_NARROW_DIGITS && value >= (unsigned)POWERS[count])
        count++;
    for (i = 0; i < count; i++)
        digits[i] = (char)('0' + value / (unsigned)POWERS[count - 1 - i] % 10);
    return count;
}

static int decimal_digits(unsigned long value, char *digits)
{
    int count = 1, i;
    while (count < MOST_DECIMAL_DIGITS && value >= POWERS[count])
        count++;
    for (i = 0; i < count; i++)
        digits[i] = (char)('0' + value / POWERS[count - 1 - i] % 10);
    return count;
}

/* Writes digits of `bits` bits each; letters from `a` on without a branch. */
static int bit_digits(unsigned long value, int bits, char letter, char *digits)
{
    int count = 1, i;
    while (count * bits < 64 && value >> (count * bits) != 0)
        count++;
    for (i = 0; i < count; i++) {
        unsigned digit = value >> ((count - 1 - i) * bits) & ((1u << bits) - 1);
        digits[i] = (char)('0' + digit + ((digit + 6) >> 4) * (unsigned)(letter - 10 - '0'));
    }
    return count;
}

static int write_digits(const struct layout *layout, unsigned long value, char *digits)
{
    switch (layout->conversion) {
    case 'o':
        return bit_digits(value, 3, 'a', digits);
    case 'x':
    case 'p':
        return bit_digits(value, 4, 'a', digits);
    case 'X':
        return bit_digits(value, 4, 'A', digits);
    default:
        return layout->size <= INT ? narrow_digits((unsigned)value, digits) : decimal_digits(value, digits);
    }
}

static const char *prefix_of(const struct layout *layout, unsigned long value, int negative)
{
    switch (layout->conversion) {
    case 'd':
    case 'i':
        return negative ? "-" : layout->plus ? "+" : layout->space ? " " : "";
    case 'x':
        return layout->alternate && value != 0 ? "0x" : "";
    case 'p':
        return layout->plus ? "+0x" : layout->space ? " 0x" : "0x";
    case 'X':
        return layout->alternate && value != 0 ? "0X" : "";
    default:
        return "";
    }
}

static long more(long a, long b)
{
    return a > b ? a : b;
}

void __cairn_m_print_integer(struct sink *sink, const struct layout *layout, unsigned long value)
{
    char digits[MOST_DIGITS];
    const char *prefix;
    int is_signed = layout->conversion == 'd' || layout->conversion == 'i';
    int negative = 0, count = 0, start;
    long zeros, spaces;
    if (is_signed && (long)value < 0) {
        negative = 1;
        value = -value;
    }
    prefix = prefix_of(layout, value, negative);
    start = (int)strlen(prefix);
    if (layout->precision != 0 || value != 0)
        count = write_digits(layout, value, digits);
    zeros = more(0, (long)layout->precision - count);
    if (layout->conversion == 'o' && layout->alternate && zeros == 0 && (count == 0 || digits[0] != '0'))
        zeros = 1;
    if (layout->zero && !layout->left && layout->precision < 0)
        zeros = more(zeros, (long)layout->width - start - count);
    spaces = (long)layout->width - start - zeros - count;
    if (!layout->left)
        __cairn_m_pad(sink, ' ', spaces);
    __cairn_m_put(sink, prefix, (size_t)start);
    __cairn_m_pad(sink, '0', zeros);
    __cairn_m_put(sink, digits, (size_t)count);
    if (layout->left)
        __cairn_m_pad(sink, ' ', spaces);
}
