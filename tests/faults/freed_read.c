/*
 * input: stdin 0-4
 * kind: heap use after free
 * at: return *last
 * least: 2 bytes
 *
 * The last number is read after the list was freed; in a plain build its bytes are still there, or others.
 */
#include <stdio.h>
#include <stdlib.h>

static int last_of(const unsigned char *text, int length)
{
    int *numbers = malloc(4 * sizeof *numbers), *last = numbers;
    for (int i = 0; i < length; i++)
        *(last = numbers + i) = text[i];
    if (length == 2 && text[0] == 'x') {
        free(numbers);
        return *last != 0;
    }
    int result = *last;
    free(numbers);
    return result != 0;
}

int main(void)
{
    unsigned char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin);
    return length > 0 && last_of(text, length);
}
