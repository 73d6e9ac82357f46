/* isnan, isinf, finite, signbit, fpclassify under the names that headers call */
#include "bits.h"
#include "model.h"
#include <math.h>

#define DOUBLE_SIZE(number) (double_bits(number) & ~DOUBLE_SIGN)
#define FLOAT_SIZE(number) (float_bits(number) & ~FLOAT_SIGN)

/* One function for each format, under two names. */
#define TEST(type, name, other, answer)                                                                     \
    int MODEL(name)(type number)                                                                            \
    {                                                                                                       \
        return (answer);                                                                                    \
    }                                                                                                       \
    int MODEL(other)(type number)                                                                           \
    {                                                                                                       \
        return (answer);                                                                                    \
    }

TEST(double, __isnan, isnan, DOUBLE_SIZE(number) > DOUBLE_EXPONENT)
TEST(float, __isnanf, isnanf, FLOAT_SIZE(number) > FLOAT_EXPONENT)
TEST(double, __isinf, isinf,
     (double_bits(number) == DOUBLE_EXPONENT) - (double_bits(number) == (DOUBLE_EXPONENT | DOUBLE_SIGN)))
TEST(float, __isinff, isinff,
     (float_bits(number) == FLOAT_EXPONENT) - (float_bits(number) == (FLOAT_EXPONENT | FLOAT_SIGN)))
TEST(double, __finite, finite, DOUBLE_SIZE(number) < DOUBLE_EXPONENT)
TEST(float, __finitef, finitef, FLOAT_SIZE(number) < FLOAT_EXPONENT)

int MODEL(__signbit)(double number)
{
    return (double_bits(number) & DOUBLE_SIGN) != 0;
}

int MODEL(__signbitf)(float number)
{
    return (float_bits(number) & FLOAT_SIGN) != 0;
}

int MODEL(__fpclassify)(double number)
{
    if (DOUBLE_SIZE(number) == 0)
        return FP_ZERO;
    if (DOUBLE_SIZE(number) < 1ul << DOUBLE_FRACTION_BITS)
        return FP_SUBNORMAL;
    if (DOUBLE_SIZE(number) < DOUBLE_EXPONENT)
        return FP_NORMAL;
    return DOUBLE_SIZE(number) == DOUBLE_EXPONENT ? FP_INFINITE : FP_NAN;
}

int MODEL(__fpclassifyf)(float number)
{
    if (FLOAT_SIZE(number) == 0)
        return FP_ZERO;
    if (FLOAT_SIZE(number) < 1u << FLOAT_FRACTION_BITS)
        return FP_SUBNORMAL;
    if (FLOAT_SIZE(number) < FLOAT_EXPONENT)
        return FP_NORMAL;
    return FLOAT_SIZE(number) == FLOAT_EXPONENT ? FP_INFINITE : FP_NAN;
}
