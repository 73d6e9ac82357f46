/*
 * input: stdin 0-2
 * kind: heap use after free
 * at: return block[0]
 * least: 2 bytes
 *
 * Each branch is harmless by itself: the block is only read after it was freed if both are taken.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int first = getchar(), second = getchar();
    char *block = malloc(8);
    block[0] = 'x';
    if (first == 'f')
        free(block);
    if (second == 'u')
        return block[0] == 'y';
    return 0;
}
