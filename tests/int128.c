/*
 * cairn-example: int128
 * input: stdin 32
 * branches: 47
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Integers of 128 bits, and bit-fields in storage units of odd widths: in memory, as arguments and results, in
 * arithmetic and comparisons. Out of reach: a short read.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct fields {
    unsigned long low : 36;
    unsigned long high : 36;
} __attribute__((packed));

static uwide kept;

__attribute__((noinline)) static uwide shifted(uwide value, int by)
{
    return value >> by;
}

int main(void)
{
    unsigned char bytes[32];
    if (read(STDIN_FILENO, bytes, sizeof bytes) != sizeof bytes)
        return 1;
    uwide x;
    wide y;
    struct fields fields;
    memcpy(&x, bytes, sizeof x);
    memcpy(&y, bytes + 16, sizeof y);
    memcpy(&fields, bytes + 7, sizeof fields);
    kept = x ^ 5;
    switch (bytes[31]) {
    case 1:
        if (kept + 77 == ((uwide)0x1234 << 64 | 0x5678))
            puts("sum");
        break;
    case 2:
        if (shifted(kept, 70) == 0x3ffffffffffffeULL)
            puts("shifted");
        break;
    case 3:
        if (x * 3 == ((uwide)1 << 127 | 1))
            puts("product");
        break;
    case 4:
        if ((wide)x < -((wide)1 << 100))
            puts("negative");
        break;
    case 5:
        fields.low++;
        if (fields.low == 0x800000000 && fields.high == 0x123456789)
            puts("fields");
        break;
    case 6:
        if (y - (long)bytes[3] == ((wide)0x0600000000000000 << 64) + ((wide)1 << 64) - 9)
            puts("difference");
        break;
    case 8:
        switch (x) {
        case (uwide)1 << 64:
            puts("high");
            break;
        case 7:
            puts("low");
            break;
        }
        break;
    case 7:
        if ((unsigned)(x / 16 >> 90) == 0x2aaaaa)
            puts("quotient");
        break;
    case 9:
        if (__builtin_mul_overflow(x, (uwide)3, &kept) && kept == 7)
            puts("overflow");
        break;
    }
    return 0;
}
