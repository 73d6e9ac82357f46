/*
 * cairn-example: libc_numbers
 * input: stdin 6
 * branches: 30
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 4000
 *
 * Numbers in text: the value, where it ends, and whether it fits. Out of reach: a short read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void simple(const char *text)
{
    char *end;
    if (strtol(text, &end, 10) == -471)
        puts("-471");
    else if (end == text)
        puts("no number");
    else if (*end == '%')
        puts("percent");
}

static void limits(char last, char more)
{
    char low[] = "-922337203685477580??", high[] = "0xfffffffffffffff??";
    long value;
    low[19] = high[17] = last;
    low[20] = high[18] = more;
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
}

int main(void)
{
    char text[7] = "";
    if (read(STDIN_FILENO, text, 6) != 6)
        return 1;
    switch (text[0]) {
    case 'a':
        simple(text + 1);
        break;
    case 'b':
        if (strtoul(text + 1, NULL, 0) == 0x1f)
            puts("31");
        break;
    case 'c':
        if (atoi(text + 1) == 42)
            puts("42");
        break;
    case 'd':
        if (strtoul(text + 1, NULL, 36) == 36 * 36 + 35)
            puts("10z");
        break;
    case 'e':
        limits(text[1], text[2]);
        break;
    }
    return 0;
}
