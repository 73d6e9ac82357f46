/*
 * cairn-example: callbacks
 * input: stdin 6
 * branches: 12
 * unreachable: 2
 * faults: 0
 * strategy: dfs
 * execs: 400
 *
 * Labels across library calls: libc calls back into the program, which must not take the labels of
 * another call's arguments for its own; variadic functions find no stale labels on the stack.
 * Out of reach: a short read, and a number that is not found.
 */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (x < y)
        return -1;
    return x > y;
}

__attribute__((noinline)) static long add_up(int count, ...)
{
    va_list list;
    long sum = 0;
    va_start(list, count);
    while (count-- > 0)
        sum += va_arg(list, long);
    va_end(list);
    return sum;
}

__attribute__((noinline)) static int touch_stack(const unsigned char *bytes)
{
    volatile long scratch[64];
    int i;
    for (i = 0; i < 64; i++)
        scratch[i] = bytes[i % 6];
    return (int)scratch[63];
}

int main(void)
{
    unsigned char bytes[6];
    int numbers[3], key = 20;
    size_t count = 3;
    long sum;
    if (read(STDIN_FILENO, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
        return 1;
    numbers[0] = bytes[0];
    numbers[1] = 50;
    numbers[2] = 20;
    if (lfind(&key, numbers, &count, sizeof key, compare) == NULL)
        return 2;
    if (touch_stack(bytes) == 7)
        puts("seven");
    sum = add_up(9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    printf("%d %ld\n", numbers[0], sum);
    if (bytes[5] == '!')
        puts("last");
    return 0;
}
