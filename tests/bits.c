/*
 * cairn-example: bits
 * input: stdin 17
 * branches: 32
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Population count, byte and bit reversal, rotation; minimum, maximum, absolute value. Out of reach: a short
 * read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    struct {
        unsigned long a;
        int b, c;
        char choice;
    } __attribute__((packed)) in;
    if (read(STDIN_FILENO, &in, sizeof in) != sizeof in)
        return 1;
    switch (in.choice) {
    case 1:
        if (__builtin_popcount(in.b) == 29)
            puts("ones");
        break;
    case 2:
        if (in.a != 0 && __builtin_clzl(in.a) == 37)
            puts("leading zeros");
        break;
    case 3:
        if (in.b != 0 && __builtin_ctz(in.b) == 19)
            puts("trailing zeros");
        break;
    case 4:
        if (__builtin_bitreverse32(in.b) == 0x12345678)
            puts("reversed");
        break;
    case 5:
        if (__builtin_bswap64(in.a) == 0x0102030405060708)
            puts("swapped");
        break;
    case 6:
        if (__builtin_rotateleft32(in.b, in.c) == 0x80000001 && (in.c & 31) == 9)
            puts("rotated");
        break;
    case 7:
        if (__builtin_elementwise_max(in.b, in.c) == __builtin_elementwise_min(in.b, 1 - in.c))
            puts("between");
        break;
    case 8:
        if (abs(in.b) == 123456)
            puts("absolute");
        break;
    }
    return 0;
}
