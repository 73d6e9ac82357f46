/*
 * hash: five collisions of the hash that Java programmers write for objects of an int, a long and another int.
 * `hash N` runs number N; the statement behind its `if` is to be reached.
 */
#include "formula.h"

#include <stdint.h>
#include <string.h>

/* In 32 bits that wrap around. */
static uint32_t hash(int x, long y, int z)
{
    uint32_t folded = (uint32_t)((uint64_t)y ^ (uint64_t)y >> 32);
    return 31 * (31 * (uint32_t)x + folded) + (uint32_t)z;
}

static long bits_of(double number)
{
    long bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static int all_free(void)
{
    I(x1) L(y1) I(z1) I(x2) L(y2) I(z2)
    if (hash(x1, y1, z1) == hash(x2, y2, z2))
        return REACHED;
    return MISSED;
}

static int first_fixed(void)
{
    L(y1) I(z1) L(y2) I(z2)
    if (hash(1, y1, z1) == hash(2, y2, z2))
        return REACHED;
    return MISSED;
}

static int only_longs_free(void)
{
    L(y1) L(y2)
    if (hash(1234, y1, 3141) == hash(5678, y2, 3141))
        return REACHED;
    return MISSED;
}

static int of_a_given_one(void)
{
    I(x1) L(y1) I(z1)
    if (hash(1234, bits_of(3.14159E123), 3141) == hash(x1, y1, z1))
        return REACHED;
    return MISSED;
}

static int of_a_given_one_first_fixed(void)
{
    L(y1) I(z1)
    if (hash(1234, bits_of(3.14159E123), 3141) == hash(5678, y1, z1))
        return REACHED;
    return MISSED;
}

static formula *const formulas[] = {
    NULL, all_free, first_fixed, only_longs_free, of_a_given_one, of_a_given_one_first_fixed,
};

int main(int argc, char **argv)
{
    return run_formula(formulas, sizeof formulas / sizeof *formulas, argc, argv);
}
