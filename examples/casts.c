/*
 * cairn-example: casts
 * input: named
 * branches: 38
 * unreachable: 2
 * faults: 1
 * fault: SIGABRT narrow_magnitude
 * strategy: random-branch
 * execs: 3000
 *
 * What C does to numbers between types: sign extension, truncation, wrap-around, comparison of signed
 * with unsigned numbers, shifts.
 *
 * The fault: the absolute value of the smallest 16-bit number is not a 16-bit number. It stays
 * negative, and is less than any limit.
 *
 * Out of reach: a signed char that is negative and yet small when widened to unsigned, and a 16-bit
 * product of two bytes that is less than zero as a long.
 */
#include "cairn.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int sign_extension(signed char c)
{
    unsigned wide = (unsigned)(int)c;
    unsigned char byte = (unsigned char)c;
    if (c < 0) {
        if (wide < 0xffffff80u)
            return 1; /* out of reach */
        return byte == 0x80 ? 2 : 3;
    }
    return wide + byte > 200 ? 4 : 5;
}

static int wrap_around(uint16_t a, uint16_t b)
{
    uint16_t sum = (uint16_t)(a + b);
    int16_t difference = (int16_t)(a - b);
    if (sum < a)
        return 1;
    if (a > b && difference < 0)
        return 2;
    return 3;
}

static int product(uint8_t a, uint8_t b)
{
    unsigned short wide = (unsigned short)(a * b);
    unsigned char narrow = (unsigned char)(a * b);
    if ((long)wide < 0)
        return 1; /* out of reach */
    if (narrow == 0 && wide == 0x4000)
        return 2;
    return 3;
}

static int mixed_comparison(int32_t i, uint32_t u)
{
    if (i < 0 && (uint32_t)i < u)
        return 1;
    if ((int64_t)i > (int64_t)u)
        return 2;
    return 3;
}

static int shifts(uint32_t word, unsigned amount)
{
    uint32_t rotated = word << 5 | word >> 27;
    int32_t halved = (int32_t)word >> 1;
    if (rotated == 0x80000001u)
        return 1;
    if (halved < -0x3ffffffe)
        return 2;
    if ((1u << (amount & 31)) == 0x00100000u)
        return 3;
    return 4;
}

/* The absolute value, as a 16-bit number. */
static int16_t magnitude(uint32_t request)
{
    int16_t number = (int16_t)request;
    return number < 0 ? (int16_t)-number : number;
}

static int narrow_magnitude(uint32_t request)
{
    int16_t length = magnitude(request);
    if (request > 100000)
        return 1;
    if (length > 16)
        return 2;
    if (length < 0)
        abort();
    return 3;
}

int main(void)
{
    uint8_t bytes[2];
    uint16_t halves[2];
    uint32_t words[2];
    cairn_symbolic(bytes, sizeof bytes, "bytes");
    cairn_symbolic(halves, sizeof halves, "halves");
    cairn_symbolic(words, sizeof words, "words");
    printf("%d\n", sign_extension((signed char)bytes[0]));
    printf("%d\n", wrap_around(halves[0], halves[1]));
    printf("%d\n", product(bytes[0], bytes[1]));
    printf("%d\n", mixed_comparison((int32_t)words[0], words[1]));
    printf("%d\n", shifts(words[0], bytes[1]));
    printf("%d\n", narrow_magnitude(words[1]));
    return 0;
}
