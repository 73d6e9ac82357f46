/*
 * cairn-example: byvalue
 * input: stdin 12
 * branches: 13
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 200
 *
 * Structs of several sizes as parameters and results: in one register, in two, in memory; and a struct
 * that is partly floating point. Out of reach: a short read.
 */
#include <stdio.h>
#include <unistd.h>

struct small { unsigned char a, b; short c; };
struct middle { long a; int b; char c; };
struct large { char head; int numbers[6]; char tail; };
struct mixed { double d; int i; };

__attribute__((noinline)) static struct small swap(struct small s)
{
    struct small t = {s.b, s.a, (short)-s.c};
    return t;
}

__attribute__((noinline)) static struct middle widen(struct small s)
{
    struct middle m = {s.a * 256L + s.b, s.c, (char)s.a};
    return m;
}

__attribute__((noinline)) static struct large spread(struct middle m, struct large l)
{
    int i;
    for (i = 0; i < 6; i++)
        l.numbers[i] += m.b + i;
    l.tail = m.c;
    return l;
}

__attribute__((noinline)) static int part(struct mixed m)
{
    return m.i;
}

int main(void)
{
    unsigned char bytes[12];
    if (read(STDIN_FILENO, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
        struct small s = {bytes[0], bytes[1], (short)(bytes[2] << 8 | bytes[3])};
        struct middle m = widen(swap(s));
        struct large l = {(char)bytes[4], {bytes[5]}, 0};
        struct mixed x = {1.5, bytes[6]};
        l = spread(m, l);
        if (m.a == 0x4142)
            puts("pair");
        if (l.numbers[0] == 77 && l.numbers[5] == -3)
            puts("numbers");
        if (l.tail == 'A' + 1)
            puts("tail");
        if (part(x) == 99)
            puts("mixed");
    }
    return 0;
}
