/*
 * cairn-example: stale_labels
 * input: stdin 8
 * branches: 10
 * unreachable: 4
 * faults: 0
 * strategy: dfs
 * execs: 100
 *
 * Stale labels of an earlier call must not be taken for those of a later one: by a caller for the
 * result of a library function, by a function for the address of a struct passed by value, by a signal
 * handler for the number the kernel passes. Out of reach: a short read, other values of what is
 * concrete.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct large {
    long numbers[4];
};

static volatile int caught;

__attribute__((noinline)) int next(int number)
{
    if (number == 77)
        puts("seventy-seven");
    return number + 1;
}

__attribute__((noinline)) struct large change(struct large large)
{
    large.numbers[1] ^= 5;
    return large;
}

void handler(int signal)
{
    int number = signal * 2;
    if (number == 2 * SIGUSR1)
        caught++;
}

int main(void)
{
    unsigned char bytes[8];
    struct large large = {{1, 2, 3, 4}};
    if (read(STDIN_FILENO, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
        return 1;
    next(bytes[0]);
    if (atoi("12") * 2 != 24)
        puts("a library result has a label");
    next(bytes[1]);
    large = change(large);
    if (large.numbers[1] != 7)
        puts("a struct has a label");
    signal(SIGUSR1, handler);
    handler(bytes[2]);
    raise(SIGUSR1);
    if (caught == 0)
        puts("a signal has a label");
    if (bytes[3] == 'x')
        puts("x");
    return 0;
}
