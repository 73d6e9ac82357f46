/*
 * cairn-example: libc_numbers
 * input: stdin 5
 * branches: 11
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 2000
 *
 * Numbers in text: with and without a prefix, in several bases. Out of reach: a short read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char text[6] = "";
    if (read(STDIN_FILENO, text, 5) != 5)
        return 1;
    switch (text[0]) {
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
    }
    return 0;
}
