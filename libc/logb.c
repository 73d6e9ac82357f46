/*
 * logb, ilogb, scalbln, nextafter: functions of -lm
 *
 * Results for normal numbers are computed here; others are left to the library, which reports errors.
 */
#include "bits.h"
#include "model.h"
#include <math.h>

int MODEL(ilogb)(double number)
{
    int field = double_field(number);
    return IS_DOUBLE_FIELD(field) ? field - DOUBLE_BIAS : ilogb(concretized_double(number));
}

int MODEL(ilogbf)(float number)
{
    int field = float_field(number);
    return IS_FLOAT_FIELD(field) ? field - FLOAT_BIAS : ilogbf(concretized_float(number));
}

double MODEL(logb)(double number)
{
    int field = double_field(number);
    return IS_DOUBLE_FIELD(field) ? (double)(field - DOUBLE_BIAS) : logb(concretized_double(number));
}

float MODEL(logbf)(float number)
{
    int field = float_field(number);
    return IS_FLOAT_FIELD(field) ? (float)(field - FLOAT_BIAS) : logbf(concretized_float(number));
}

double __cairn_w_scalbn(double number, int exponent);

double MODEL(scalbln)(double number, long exponent)
{
    return exponent >= -0xffff && exponent <= 0xffff
               ? __cairn_w_scalbn(number, (int)exponent)
               : scalbln(concretized_double(number), (long)__cairn_concretized((size_t)exponent));
}

/* The neighbour of a number is the next one in the order of bit patterns. */
double MODEL(nextafter)(double number, double towards)
{
    int field = double_field(number);
    uint64_t bits = double_bits(number);
    /* The neighbours of all these are normal, too. */
    if (field < 2 || field > 0x7fd || towards != towards)
        return nextafter(concretized_double(number), concretized_double(towards));
    if (number == towards)
        return towards;
    if ((number < towards) == (number > 0))
        return double_of(bits + 1);
    return double_of(bits - 1);
}
