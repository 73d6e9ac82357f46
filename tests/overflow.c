/*
 * cairn-example: overflow
 * input: stdin 17
 * branches: 41
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Arithmetic with overflow flags, and saturating arithmetic. Out of reach: a short
 * read.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    struct {
        long a, b;
        char choice;
    } __attribute__((packed)) in;
    if (read(STDIN_FILENO, &in, sizeof in) != sizeof in)
        return 1;
    int ia = (int)in.a, ib = (int)in.b, sum;
    unsigned ua = (unsigned)ia, ub = (unsigned)ib, usum;
    long wide;
    unsigned char byte;
    switch (in.choice) {
    case 1:
        if (__builtin_add_overflow(ia, ib, &sum) && sum == 12345)
            puts("sum");
        break;
    case 2:
        if (__builtin_sub_overflow(ia, ib, &sum) && sum == 12345)
            puts("difference");
        break;
    case 3:
        if (__builtin_mul_overflow((short)ia, 1000003, &sum) && sum > 7)
            puts("product");
        break;
    case 4:
        if (__builtin_add_overflow(ua, ub, &usum) && usum == 7)
            puts("unsigned sum");
        break;
    case 5:
        if (__builtin_sub_overflow(in.a, in.b, &wide) && wide == LONG_MAX)
            puts("long difference");
        break;
    case 6:
        if (__builtin_mul_overflow(ua, 3u, &usum) && usum == 5)
            puts("unsigned product");
        break;
    case 7:
        if (!__builtin_add_overflow(ia, ua, &byte) && byte == 250)
            puts("byte");
        break;
    }
    if (__builtin_elementwise_add_sat(ia, ib) == INT_MAX)
        puts("upper limit");
    if (__builtin_elementwise_sub_sat(ua, ub) == 0)
        puts("lower limit");
    return 0;
}
