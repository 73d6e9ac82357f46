/*
 * cairn-example: dispatch
 * input: stdin 3
 * branches: 23
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT broken
 * strategy: dfs
 * execs: 100
 *
 * Function pointers in tables: every handler is reached, and every one that a handler calls. Out of
 * reach: a short read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int handler(int);

static int twice(int x)
{
    return x == 21 ? puts("42") : 2 * x;
}

static int negate(int x)
{
    return x > 100 ? puts("large") : -x;
}

static int square(int x)
{
    return x * x == 144 ? puts("a dozen") : x * x;
}

static int broken(int x)
{
    if (x == 7)
        abort();
    return x;
}

static handler *const first[4] = { twice, negate, square, broken };

struct command {
    char name;
    handler *run;
};

static struct command commands[] = { { 'd', twice }, { 'n', negate }, { 's', square } };

static int by_name(char name, int x)
{
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].name == name)
            return commands[i].run(x);
    return 0;
}

/* A state machine whose states are labels: a jump through a table. */
static int states(const unsigned char *in)
{
    static const void *const table[] = { &&start, &&middle, &&end };
    goto *table[in[1] % 3];
start:
    return in[2] == 'a' ? puts("start") : 0;
middle:
    return in[2] == 'b' ? puts("middle") : 0;
end:
    return in[2] == 'c' ? puts("end") : 0;
}

int main(void)
{
    unsigned char in[3];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    if (in[0] == 'f')
        return first[in[1] & 3](in[2]) < 0;
    if (in[0] == 's')
        return states(in) < 0;
    return by_name((char)in[1], in[2]) < 0;
}
