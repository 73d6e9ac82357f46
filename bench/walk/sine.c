/*
 * sine: the sine in software, on the bits of the number. Odd as it is (a shift by 31 where 32 would be meant, masks that
 * leave nothing but denormals), it is the original's.
 */
#include "cairn.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double high_part(double number)
{
    return from_bits(bits_of(number) & 0x00000000FC000000);
}

/* A branch of its own wherever it stands. */
#define TOGGLE(flag) \
    if (flag)        \
        flag = 0;    \
    else             \
        flag = 1;

/* The rest of a product of two numbers, each given as its two parts, after its rounded value. */
static double rest(double rounded, double a1, double a2, double b1, double b2)
{
    return (((a1 * b1 - rounded) + a1 * b2) + b1 * a2) + a2 * b2;
}

/* x less k times half pi. */
static double reduced(double x, double k)
{
    double half_pi = from_bits(0x3FF921FB54442D18), low = from_bits(0x3C91A62633145C07);
    double lowest = from_bits(0xB91F1976B7ED8FBC);
    double k1 = high_part(k), k2 = k - k1;
    double h1 = high_part(half_pi), h2 = half_pi - h1;
    double l1 = high_part(low), l2 = low - l1;
    double x3 = k * half_pi, x4 = rest(x3, k1, k2, h1, h2);
    double x5 = k * low, x6 = rest(x5, k1, k2, l1, l2);
    return ((((x - x3) - x4) - x5) - x6) - k * lowest;
}

static double sine(double x)
{
    double half_pi = from_bits(0x3FF921FB54442D18), two_by_pi = from_bits(0x3FE45F306DC9C883);
    uint64_t bits = bits_of(x);
    int sign = (int)(bits >> 63), exponent = (int)(bits >> 52 & 0x7FF);
    int m1 = (int)(bits >> 31 & 0xFFFFF), m2 = (int)(uint32_t)bits;
    int negative = 0;
    if (exponent == 2047) {
        if (m1 > 0 || m2 > 0)
            return x;
        return NAN;
    }
    if (exponent == 0) {
        if (m1 > 0 || m2 > 0)
            return x - x * x;
        return x;
    }
    if (exponent <= 969)
        return x;
    if (exponent <= 1010)
        return x * (1 - x * x / 6);
    if (sign == 1) {
        x = -x;
        negative = 1;
    }
    if (exponent < 1023) {
        /* in the first quadrant already */
    } else if (exponent <= 1075) {
        double k = floor(x * two_by_pi + 0.5);
        int quadrant = (int)(bits_of(k + 4503599627370496.0) & 3);
        x = reduced(x, k);
        switch (quadrant) {
        case 0:
            if (x < 0) {
                x = -x;
                TOGGLE(negative)
            }
            break;
        case 1:
            if (x < 0)
                x = half_pi + x;
            else
                x = half_pi - x;
            break;
        case 2:
            if (x < 0) {
                x = -x;
            } else {
                TOGGLE(negative)
            }
            break;
        default:
            TOGGLE(negative)
            if (x < 0)
                x = half_pi + x;
            else
                x = half_pi - x;
        }
    } else {
        if (negative == 1)
            return -0.0;
        return 0.0;
    }
    x *= two_by_pi;
    if (x > 1e-4) {
        double x2 = x * x;
        x *= ((((((-0.64462136749e-9 * x2 + 0.5688203332688e-7) * x2 - 0.359880911703133e-5) * x2
            + 0.16044116846982831e-3) * x2 - 0.468175413106023168e-2) * x2 + 0.7969262624561800806e-1) * x2
            - 0.64596409750621907082) * x2 + 1.5707963267948963959;
    } else {
        x *= half_pi;
    }
    if (negative == 1)
        x = -x;
    return x;
}

int main(void)
{
    double x;
    cairn_symbolic(&x, sizeof x, "x");
    printf("%g\n", sine(x));
    return 0;
}
