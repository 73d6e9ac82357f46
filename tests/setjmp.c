/*
 * cairn-example: setjmp
 * input: stdin 4
 * branches: 12
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 200
 *
 * Jumps out of nested calls: labels before, after and across them. Out of reach: a short read.
 */
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

static jmp_buf outside;
static int reason;

__attribute__((noinline)) static int parse(const unsigned char *text, int depth)
{
    if (text[depth] == '!') {
        reason = text[depth + 1];
        longjmp(outside, depth + 1);
    }
    if (depth == 2)
        return text[2] + text[3];
    return parse(text, depth + 1);
}

int main(void)
{
    unsigned char text[4];
    volatile int sum = 0;
    if (read(STDIN_FILENO, text, sizeof text) != sizeof text)
        return 1;
    switch (setjmp(outside)) {
    case 0:
        sum = parse(text, 0);
        if (sum == 300)
            puts("parsed");
        break;
    case 1:
        puts("at once");
        break;
    default:
        if (reason == 'x')
            puts("late");
    }
    return 0;
}
