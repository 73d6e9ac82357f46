/*
 * cairn-example: floats
 * input: stdin 25
 * branches: 54
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Floating point: arithmetic, comparisons, conversions, in memory, in structs, as arguments and results. Out of
 * reach: a short read.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct point {
    float x, y;
};

struct mixed {
    double weight;
    float share;
    int count;
};

static double kept[2];

__attribute__((noinline)) static struct point moved(struct point p, float by)
{
    return (struct point){p.x + by, p.y * by};
}

__attribute__((noinline)) static struct mixed mix(double weight, float share, int count)
{
    return (struct mixed){weight, share, count};
}

static const char *arithmetic(char choice, double x, double y)
{
    switch (choice) {
    case 1:
        return x * 3 + 1 == 31 ? "product" : "";
    case 2:
        return x / 4 == -2.5 ? "quotient" : "";
    case 3:
        return -x > 1e10 && x < y ? "negative" : "";
    case 4:
        return x != x ? "not a number" : "";
    case 5:
        kept[choice & 1] = x - 0.5;
        return kept[1] == 7.25 ? "kept" : "";
    }
    return isinf(x) ? "infinite" : "";
}

static const char *conversions(char choice, double x, float f, int i)
{
    switch (choice) {
    case 8:
        return (int)x == 1000 ? "to int" : "";
    case 9:
        return i * 0.5 == 10.5 ? "from int" : "";
    case 10:
        return (float)x == 0.5f ? "to float" : "";
    case 11:
        return (double)f == 1.75 ? "to double" : "";
    }
    return (unsigned char)f == 200 ? "to byte" : "";
}

int main(void)
{
    struct {
        double x, y;
        float f;
        int i;
        char choice;
    } __attribute__((packed)) in;
    if (read(STDIN_FILENO, &in, sizeof in) != sizeof in)
        return 1;
    if (in.choice < 7) {
        puts(arithmetic(in.choice, in.x, in.y));
    } else if (in.choice < 13) {
        puts(conversions(in.choice, in.x, in.f, in.i));
    } else if (in.choice == 13) {
        struct point p = moved((struct point){in.f, (float)in.y}, 1.5f);
        if (p.x == 4 && p.y == 3)
            puts("struct");
    } else {
        struct mixed m = mix(in.x, in.f, in.i);
        if (m.weight > m.share && m.count == 77)
            puts("mixed");
    }
    return 0;
}
