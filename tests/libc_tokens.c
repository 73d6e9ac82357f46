/*
 * cairn-example: libc_tokens
 * input: stdin 12
 * branches: 11
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 4000
 *
 * A line split into tokens. Out of reach: no line at all.
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[16], *rest, *piece;
    int count = 0;
    if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    for (piece = strtok(line, " \n"); piece != NULL; piece = strtok(NULL, " \n")) {
        count++;
        if (count == 2 && strcmp(piece, "go") == 0)
            puts("second is go");
        rest = piece;
        if (strcmp(strsep(&rest, "="), "k") == 0 && rest != NULL)
            puts("a key");
    }
    return 0;
}
