/*
 * cairn-example: varargs
 * input: stdin 8
 * branches: 37
 * unreachable: 5
 * faults: 0
 * strategy: dfs
 * execs: 300
 *
 * Variadic arguments: in registers, on the stack, as structs in registers and in memory, through copies of a
 * list, through lists passed on, through a pointer to the function. Out of reach: a short read, and four sides of
 * what is always true.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

struct pair { long low; int high; };
struct mixed { double weight; long count; };
struct large { char name[20]; int size; };

static void say(const char *what)
{
    puts(what);
}

/* Another function is called before the list is first read. */
static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    if (count > 9)
        say("many");
    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static int last_of(int count, va_list list)
{
    int last = 0;
    while (count-- > 0)
        last = va_arg(list, int);
    return last;
}

static int last_twice(int count, ...)
{
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    int first = last_of(count, list), second = last_of(count, copy);
    va_end(copy);
    va_end(list);
    va_start(list, count);
    int third = last_of(count, list);
    va_end(list);
    return first == second && second == third ? third : -1;
}

static void structs(const char *order, ...)
{
    va_list list;
    va_start(list, order);
    for (; *order != 0; order++) {
        if (*order == 'p') {
            struct pair pair = va_arg(list, struct pair);
            if (pair.low == 77 && pair.high == 3)
                say("pair");
        } else if (*order == 'm') {
            struct mixed mixed = va_arg(list, struct mixed);
            if (mixed.weight > 0.0 && mixed.count == 1234)
                say("mixed");
        } else {
            struct large large = va_arg(list, struct large);
            long double skipped = va_arg(list, long double);
            if (large.name[19] == '!' && large.size == 99 && skipped > 1.0L)
                say("large");
        }
    }
    va_end(list);
}

int main(void)
{
    unsigned char in[8];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    int (*through)(int, ...) = in[0] == 0 ? sum : last_twice;
    struct pair pair = { in[1], in[2] };
    struct mixed mixed = { 0.5, in[3] * 1000 + in[4] };
    struct large large = { "", in[5] };
    large.name[19] = (char)in[6];

    if (sum(3, in[1], 2, in[2]) == 300)
        say("registers");
    if (sum(10, 1, 2, 3, 4, 5, 6, in[7], 8, 9, 10) == 100)
        say("stack");
    if (last_twice(8, 1, 2, 3, 4, 5, 6, 7, in[7]) == 'x')
        say("copy");
    if (through(2, in[3], in[4]) == 250)
        say("pointer");
    structs("pmlplm", pair, mixed, large, 2.0L, pair, large, 3.0L, mixed);
    return 0;
}
