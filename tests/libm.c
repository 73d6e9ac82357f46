/*
 * cairn-example: libm
 * input: stdin 17
 * branches: 49
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Functions of the mathematical library are operations. Out of reach: a short read.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    struct {
        double x;
        float f, g;
        char choice;
    } __attribute__((packed)) in;
    if (read(STDIN_FILENO, &in, sizeof in) != sizeof in)
        return 1;
    double x = in.x;
    switch (in.choice) {
    case 1:
        if (sin(x) > 0.9)
            puts("sine");
        break;
    case 2:
        if (sqrt(x) == 12)
            puts("square root");
        break;
    case 3:
        if (floor(x) == 41)
            puts("floor");
        break;
    case 4:
        if (fabs(x) < 0.5 && x != 0)
            puts("small");
        break;
    case 5:
        if (exp(x) > 1000 && exp(x) < 2000)
            puts("exponential");
        break;
    case 6:
        if (lround(x) == 77)
            puts("rounded");
        break;
    case 7:
        if (powf(in.f, 2) > 100 && in.f < 0)
            puts("power");
        break;
    case 8:
        if (fminf(in.f, in.g) == 3.5f)
            puts("smaller");
        break;
    case 9:
        if (fmod(x, 10) == 3)
            puts("remainder");
        break;
    case 10:
        if (log10(x) > 5)
            puts("logarithm");
        break;
    case 11:
        if (copysign(2, x) < 0)
            puts("sign");
        break;
    case 12:
        if (cbrt(x) > 4.999 && cbrt(x) < 5.001)
            puts("cube root");
        break;
    case 13:
        if (remainder(x, 10) == -3)
            puts("nearest");
        break;
    }
    return 0;
}
