/*
 * frexp, ldexp, scalbn, modf: those of libc itself, without -lm
 *
 * Normal numbers are decomposed here; others are left to the library.
 */
#include "bits.h"
#include "model.h"
#include <math.h>

#define DOUBLE_FIELD_MASK (0x7fful << DOUBLE_FRACTION_BITS)
#define FLOAT_FIELD_MASK (0xffu << FLOAT_FRACTION_BITS)

static double with_double_field(double number, int field)
{
    return double_of((double_bits(number) & ~DOUBLE_FIELD_MASK) | (uint64_t)field << DOUBLE_FRACTION_BITS);
}

static float with_float_field(float number, int field)
{
    return float_of((float_bits(number) & ~FLOAT_FIELD_MASK) | (uint32_t)field << FLOAT_FRACTION_BITS);
}

double MODEL(frexp)(double number, int *exponent)
{
    int field = double_field(number);
    if (!IS_DOUBLE_FIELD(field))
        return frexp(concretized_double(number), exponent);
    *exponent = field - (DOUBLE_BIAS - 1);
    return with_double_field(number, DOUBLE_BIAS - 1);
}

float MODEL(frexpf)(float number, int *exponent)
{
    int field = float_field(number);
    if (!IS_FLOAT_FIELD(field))
        return frexpf(concretized_float(number), exponent);
    *exponent = field - (FLOAT_BIAS - 1);
    return with_float_field(number, FLOAT_BIAS - 1);
}

/* Multiplies by a power of two; returns true if only the exponent changes. */
static int scale(double number, int exponent, double *result)
{
    int field = double_field(number);
    if (!IS_DOUBLE_FIELD(field) || exponent < -0x7ff || exponent > 0x7ff || !IS_DOUBLE_FIELD(field + exponent))
        return 0;
    *result = with_double_field(number, field + exponent);
    return 1;
}

static int scale_float(float number, int exponent, float *result)
{
    int field = float_field(number);
    if (!IS_FLOAT_FIELD(field) || exponent < -0xff || exponent > 0xff || !IS_FLOAT_FIELD(field + exponent))
        return 0;
    *result = with_float_field(number, field + exponent);
    return 1;
}

double MODEL(ldexp)(double number, int exponent)
{
    double result;
    return scale(number, exponent, &result)
               ? result
               : ldexp(concretized_double(number), (int)__cairn_concretized((size_t)exponent));
}

float MODEL(ldexpf)(float number, int exponent)
{
    float result;
    return scale_float(number, exponent, &result)
               ? result
               : ldexpf(concretized_float(number), (int)__cairn_concretized((size_t)exponent));
}

double MODEL(scalbn)(double number, int exponent)
{
    double result;
    return scale(number, exponent, &result)
               ? result
               : scalbn(concretized_double(number), (int)__cairn_concretized((size_t)exponent));
}

float MODEL(scalbnf)(float number, int exponent)
{
    float result;
    return scale_float(number, exponent, &result)
               ? result
               : scalbnf(concretized_float(number), (int)__cairn_concretized((size_t)exponent));
}

/* Below this power of two a number may have a fraction, and its integral part fits an integer. */
double MODEL(modf)(double number, double *whole)
{
    uint64_t sign = double_bits(number) & DOUBLE_SIGN;
    if (double_field(number) >= DOUBLE_BIAS + DOUBLE_FRACTION_BITS)
        return modf(concretized_double(number), whole);
    *whole = double_of(double_bits((double)(long)number) | sign);
    return double_of(double_bits(number - *whole) | sign);
}

float MODEL(modff)(float number, float *whole)
{
    uint32_t sign = float_bits(number) & FLOAT_SIGN;
    if (float_field(number) >= FLOAT_BIAS + FLOAT_FRACTION_BITS)
        return modff(concretized_float(number), whole);
    *whole = float_of(float_bits((float)(int)number) | sign);
    return float_of(float_bits(number - *whole) | sign);
}
