/*
 * cairn-example: signal_handler
 * input: stdin 4
 * branches: 9
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 100
 *
 * A handler interrupts arbitrary code, with arguments that have no labels, and may read symbolic
 * memory itself. Out of reach: a short read.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static unsigned char text[4];
static volatile int seen;

static void handler(int signal)
{
    /* The argument comes from the kernel, whatever labels the last call has left. */
    if (signal == SIGUSR1)
        seen = text[1];
}

__attribute__((noinline)) static int twice(int value)
{
    return value * 2;
}

int main(void)
{
    struct sigaction action = { .sa_handler = handler };
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    if (read(STDIN_FILENO, text, sizeof text) != sizeof text)
        return 1;
    int value = twice(text[0]);
    raise(text[2] == 'u' ? SIGUSR1 : SIGUSR2);
    if (value == 84 && seen == 'k')
        puts("handled");
    return 0;
}
