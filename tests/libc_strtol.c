/*
 * cairn-example: libc_strtol
 * input: stdin 5
 * branches: 7
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 400
 *
 * A number in text: its value, and where it ends. Out of reach: a short read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char text[6] = "", *end;
    if (read(STDIN_FILENO, text, 5) != 5)
        return 1;
    if (strtol(text, &end, 10) == -471)
        puts("-471");
    else if (end == text)
        puts("no number");
    else if (*end == '%')
        puts("percent");
    return 0;
}
