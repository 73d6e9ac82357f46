/*
 * input: stdin 0-4
 * kind: abort
 * at: abort();
 * least: 3 bytes
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin);
    if (length >= 3 && text[0] == 'e' && text[1] == 'n' && text[2] == 'd')
        abort();
    return 0;
}
