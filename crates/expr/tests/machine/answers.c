/* Answers requests of {operation, a, b, c} on standard input with 16 bytes each: what the machine computes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef struct { uint64_t op, a, b, c; } request;

static double d(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static float f(uint64_t bits) { float x; uint32_t low = bits; memcpy(&x, &low, 4); return x; }
static u128 from_d(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
static u128 from_f(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }

/* Both widths of a function: the wide one has the even number. */
#define ONE(n, name) \
    case 2 * n: return from_d(name(d(r->a))); \
    case 2 * n + 1: return from_f(name##f(f(r->a)));
#define TWO(n, name) \
    case 2 * n: return from_d(name(d(r->a), d(r->b))); \
    case 2 * n + 1: return from_f(name##f(f(r->a), f(r->b)));
#define OPERATOR(n, op) \
    case 2 * n: return from_d(d(r->a) op d(r->b)); \
    case 2 * n + 1: return from_f(f(r->a) op f(r->b));
#define RELATION(n, op) \
    case 2 * n: return d(r->a) op d(r->b); \
    case 2 * n + 1: return f(r->a) op f(r->b);
#define TO_INTEGER(n, type) \
    case 2 * n: return (u128)(type)d(r->a); \
    case 2 * n + 1: return (u128)(type)f(r->a);
#define FROM_INTEGER(n, type) \
    case 2 * n: return from_d((double)(type)(((u128)r->b << 64) | r->a)); \
    case 2 * n + 1: return from_f((float)(type)(((u128)r->b << 64) | r->a));

static u128 answer(const request *r) {
    switch (r->op) {
    ONE(0, sin) ONE(1, cos) ONE(2, tan) ONE(3, asin) ONE(4, acos) ONE(5, atan) ONE(6, sinh) ONE(7, cosh)
    ONE(8, tanh) ONE(9, exp) ONE(10, exp2) ONE(11, expm1) ONE(12, log) ONE(13, log2) ONE(14, log10)
    ONE(15, log1p) ONE(16, sqrt) ONE(17, floor) ONE(18, ceil) ONE(19, trunc) ONE(20, round) ONE(21, rint)
    TWO(22, pow) TWO(23, atan2) TWO(24, hypot)
    case 50: return from_d(fma(d(r->a), d(r->b), d(r->c)));
    case 51: return from_f(fmaf(f(r->a), f(r->b), f(r->c)));
    ONE(26, cbrt)
    OPERATOR(100, +) OPERATOR(101, -) OPERATOR(102, *) OPERATOR(103, /) TWO(104, fmod)
    RELATION(110, ==) RELATION(111, >) RELATION(112, >=) RELATION(113, <) RELATION(114, <=) RELATION(115, !=)
    TO_INTEGER(120, int8_t) TO_INTEGER(121, int16_t) TO_INTEGER(122, int32_t) TO_INTEGER(123, int64_t)
    TO_INTEGER(124, __int128) TO_INTEGER(125, uint8_t) TO_INTEGER(126, uint16_t) TO_INTEGER(127, uint32_t)
    TO_INTEGER(128, uint64_t) TO_INTEGER(129, u128)
    FROM_INTEGER(130, int8_t) FROM_INTEGER(131, int16_t) FROM_INTEGER(132, int32_t) FROM_INTEGER(133, int64_t)
    FROM_INTEGER(134, __int128) FROM_INTEGER(135, uint8_t) FROM_INTEGER(136, uint16_t)
    FROM_INTEGER(137, uint32_t) FROM_INTEGER(138, uint64_t) FROM_INTEGER(139, u128)
    case 280: return from_f((float)d(r->a));
    case 281: return from_d((double)f(r->a));
    TWO(141, fmin) TWO(142, fmax)
    }
    return 0;
}

int main(void) {
    request r;
    while (fread(&r, sizeof r, 1, stdin) == 1) {
        u128 result = answer(&r);
        fwrite(&result, sizeof result, 1, stdout);
    }
    return 0;
}
