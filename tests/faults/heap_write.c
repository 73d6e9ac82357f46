/*
 * input: stdin 0-4
 * kind: out-of-bounds write
 * check: bounds
 * at: seen[
 * least: 1 byte
 *
 * A table of letters on the heap, with one element too few.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin), count = 0;
    char *seen = calloc(25, 1);
    for (int i = 0; i < length; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            seen[text[i] - 'a'] = 1;
    for (int i = 0; i < 25; i++)
        count += seen[i];
    free(seen);
    return count;
}
