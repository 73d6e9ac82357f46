/*
 * cairn-example: libc_limits
 * input: stdin 2
 * branches: 9
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 200
 *
 * Numbers in text that hardly fit, or do not. Out of reach: a short read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char low[] = "-922337203685477580??", high[] = "0xfffffffffffffff??";
    char end[2];
    long value;
    if (read(STDIN_FILENO, end, 2) != 2)
        return 1;
    low[19] = high[17] = end[0];
    low[20] = high[18] = end[1];
    errno = 0;
    value = strtol(low, NULL, 10);
    if (errno == ERANGE)
        puts("too low");
    else if (value == -9223372036854775807L - 1)
        puts("lowest");
    errno = 0;
    if (strtoul(high, NULL, 0) == 0xfffffffffffffff7)
        puts("nearly highest");
    if (errno == ERANGE)
        puts("too high");
    return 0;
}
