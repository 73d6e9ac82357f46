/*
 * cairn-example: triangle
 * input: named
 * branches: 18
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT check
 * strategy: dfs
 * execs: 100
 *
 * Says what kind of triangle three sides make, the sides given in ascending order.
 *
 * The fault: `a + b` wraps around for two long sides, so that a real isosceles triangle is said to be
 * none. Only isosceles triangles are affected: the scalene test subtracts and cannot wrap.
 */
#include "cairn.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { NOT_A_TRIANGLE, SCALENE, ISOSCELES, EQUILATERAL };

static enum kind classify(uint32_t a, uint32_t b, uint32_t c)
{
    if (a == 0)
        return NOT_A_TRIANGLE;
    if (a == c)
        return EQUILATERAL;
    if (a == b || b == c)
        return a + b > c ? ISOSCELES : NOT_A_TRIANGLE;
    return c - b < a ? SCALENE : NOT_A_TRIANGLE;
}

/* Compares with the definition, computed in a type that is wide enough. */
static void check(enum kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    int is_triangle = (uint64_t)a + b > c;
    if (is_triangle != (kind != NOT_A_TRIANGLE))
        abort();
}

static const char *name_of(enum kind kind)
{
    switch (kind) {
    case SCALENE:
        return "scalene";
    case ISOSCELES:
        return "isosceles";
    case EQUILATERAL:
        return "equilateral";
    default:
        return "not a triangle";
    }
}

int main(void)
{
    uint32_t a, b, c;
    enum kind kind;
    cairn_symbolic(&a, sizeof a, "a");
    cairn_symbolic(&b, sizeof b, "b");
    cairn_symbolic(&c, sizeof c, "c");
    cairn_assume(a <= b);
    cairn_assume(b <= c);
    kind = classify(a, b, c);
    check(kind, a, b, c);
    printf("%u %u %u: %s\n", (unsigned)a, (unsigned)b, (unsigned)c, name_of(kind));
    return 0;
}
