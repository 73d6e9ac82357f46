/*
 * cairn-example: vectors
 * input: stdin 33
 * branches: 26
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Vectors, element by element: arithmetic, comparison, select, shuffles, other element types, reductions. Out of
 * reach: a short read.
 */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int ints __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(16)));
typedef unsigned long longs __attribute__((vector_size(16)));

static ints kept;

__attribute__((noinline)) static ints sum(ints a, ints b)
{
    return a + 3 * b;
}

int main(void)
{
    unsigned char in[33];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    ints x, y;
    memcpy(&x, in, sizeof x);
    memcpy(&y, in + 16, sizeof y);
    kept = sum(x, y);
    ints larger = x > y;
    ints mixed = __builtin_shufflevector(x, y, 3, 4, 1, 6);
    longs joined = (longs)((bytes)x ^ (bytes)y);
    switch (in[32]) {
    case 1:
        if (kept[0] == 1234567)
            puts("sum");
        break;
    case 2:
        if (((x & larger) | (y & ~larger))[2] == -99)
            puts("larger");
        break;
    case 3:
        if (mixed[0] + mixed[1] == 1000)
            puts("mixed");
        break;
    case 4:
        if (joined[1] == 0x4142434445464748)
            puts("joined");
        break;
    case 5:
        if (__builtin_reduce_add(x) == 55)
            puts("total");
        break;
    case 6:
        x[in[16] & 3] = y[3];
        if (x[2] == 98765)
            puts("replaced");
        break;
    case 7:
        if (__builtin_reduce_max((bytes)y) == 7)
            puts("highest");
        break;
    case 8:
        if (_mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)y, _mm_set1_epi8('x'))) == 0x0101)
            puts("two");
        break;
    }
    return 0;
}
