/*
 * input: stdin 0-8
 * kind: stack buffer overflow
 * at: word[used] = 0
 *
 * The terminator of a word of four letters is out of bounds; the byte behind is padding.
 */
#include <stdio.h>

int main(void)
{
    char text[8];
    int length = (int)fread(text, 1, sizeof text, stdin), used = 0;
    char word[4];
    while (used < length && used < 4 && text[used] >= 'a' && text[used] <= 'z') {
        word[used] = text[used];
        used++;
    }
    word[used] = 0;
    return word[0] == 'q';
}
