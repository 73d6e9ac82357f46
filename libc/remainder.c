/*
 * remainder, drem, remquo: functions of -lm
 *
 * The remainder of a division whose quotient is rounded to nearest, ties to even. It is derived from fmod, which is
 * an operation of its own; operands without such a remainder, or that would overflow on the way, are left to the
 * library.
 */
#include "bits.h"
#include "model.h"
#include <math.h>

/* Divisors with these exponents can be multiplied by eight and halved. */
static int is_simple(double number, double by)
{
    int field = double_field(by);
    return (double_field(number) < 0x7ff) & (field > 1) & (field < 0x7f0);
}

/* Subtracts if the result is not negative; no branch, since the program's own on the result is enough. */
#define TAKE(enough, amount, bit)       \
    do {                                \
        int is_enough = (enough);       \
        left -= is_enough * (amount);   \
        bits += is_enough * (bit);      \
    } while (0)

/*
 * Returns the remainder of two numbers that are not negative, and the quotient as glibc returns it: its last three
 * bits, and one more.
 */
static double rest(double number, double by, int *quotient)
{
    double left = __builtin_fmod(number, 8 * by), half = by * 0.5;
    int bits = 0;
    TAKE(left >= 4 * by, 4 * by, 4);
    TAKE(left >= 2 * by, 2 * by, 2);
    TAKE(left > half, by, 1);
    /* Once more, unless nothing was subtracted just now: exactly half is left as it is. */
    TAKE((left >= half) & (bits & 1), by, 1);
    *quotient = bits;
    return left;
}

double MODEL(remquo)(double number, double by, int *quotient)
{
    uint64_t sign = double_bits(number) & DOUBLE_SIGN, other = double_bits(by) & DOUBLE_SIGN;
    double left;
    int bits;
    if (!is_simple(number, by)) {
        __cairn_clear(quotient, sizeof *quotient);
        return remquo(concretized_double(number), concretized_double(by), quotient);
    }
    left = rest(__builtin_fabs(number), __builtin_fabs(by), &bits);
    *quotient = bits * (1 - 2 * (sign != other));
    /* Zero has the sign of the number, too. */
    return double_of((double_bits(left) & ~(DOUBLE_SIGN * (left == 0))) ^ sign);
}

double MODEL(remainder)(double number, double by)
{
    int quotient;
    if (!is_simple(number, by))
        return remainder(concretized_double(number), concretized_double(by));
    return MODEL(remquo)(number, by, &quotient);
}

double MODEL(drem)(double number, double by)
{
    return MODEL(remainder)(number, by);
}

/* In double precision nothing is rounded, and no float is out of range but those that have no remainder. */
float MODEL(remquof)(float number, float by, int *quotient)
{
    if (is_simple((double)number, (double)by))
        return (float)MODEL(remquo)((double)number, (double)by, quotient);
    __cairn_clear(quotient, sizeof *quotient);
    return remquof(concretized_float(number), concretized_float(by), quotient);
}

float MODEL(remainderf)(float number, float by)
{
    int quotient;
    if (!is_simple((double)number, (double)by))
        return remainderf(concretized_float(number), concretized_float(by));
    return (float)MODEL(remquo)((double)number, (double)by, &quotient);
}
