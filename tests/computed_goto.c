/*
 * cairn-example: computed_goto
 * input: stdin 4
 * branches: 7
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT run
 * strategy: dfs
 * execs: 800
 *
 * An interpreter with computed goto: the address of every jump depends on the
 * input. Out of reach: a short read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int run(const unsigned char *code, int left)
{
    static const void *const actions[] = { &&stop, &&increment, &&twice, &&check };
    int value = 1;
next:
    if (left-- == 0)
        return value;
    goto *actions[*code++ & 3];
increment:
    value++;
    goto next;
twice:
    value *= 2;
    goto next;
check:
    if (value == 6)
        abort();
    goto next;
stop:
    return -value;
}

int main(void)
{
    unsigned char code[4];
    if (read(STDIN_FILENO, code, sizeof code) != sizeof code)
        return 1;
    if (run(code, sizeof code) < 0)
        puts("stopped");
    return 0;
}
