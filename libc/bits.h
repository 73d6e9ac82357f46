/* Bit patterns of floating-point numbers. */
#ifndef CAIRN_BITS_H
#define CAIRN_BITS_H

#include "model.h"
#include <stdint.h>

/* Sign, exponent and fraction of both formats. */
#define DOUBLE_SIGN (1ul << 63)
#define DOUBLE_EXPONENT 0x7ff0000000000000ul
#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_BIAS 1023
#define FLOAT_SIGN (1u << 31)
#define FLOAT_EXPONENT 0x7f800000u
#define FLOAT_FRACTION_BITS 23
#define FLOAT_BIAS 127

static inline uint64_t double_bits(double number)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double number;
    __builtin_memcpy(&number, &bits, sizeof number);
    return number;
}

static inline uint32_t float_bits(float number)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float number;
    __builtin_memcpy(&number, &bits, sizeof number);
    return number;
}

/* Concretizes a number. */
static inline double concretized_double(double number)
{
    return double_of(__cairn_concretized(double_bits(number)));
}

static inline float concretized_float(float number)
{
    return float_of((uint32_t)__cairn_concretized(float_bits(number)));
}

/* Returns the exponent field: 0 and the largest value are special. */
static inline int double_field(double number)
{
    return (int)(double_bits(number) >> DOUBLE_FRACTION_BITS & 0x7ff);
}

static inline int float_field(float number)
{
    return (int)(float_bits(number) >> FLOAT_FRACTION_BITS & 0xff);
}

/* True if a number is normal: not zero, subnormal, infinite or NaN. */
#define IS_DOUBLE_FIELD(field) ((field) > 0 && (field) < 0x7ff)
#define IS_FLOAT_FIELD(field) ((field) > 0 && (field) < 0xff)

#endif
