/*
 * input: stdin 0-12
 * kind: heap buffer overflow
 * at: strcpy(copy, line)
 * least: 8 bytes
 *
 * The line has room for the input, its copy does not; what is written beyond it is never looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char line[64], *copy = malloc(8);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    strcpy(copy, line);
    if (copy[0] == 'k')
        puts("k");
    free(copy);
    return 0;
}
