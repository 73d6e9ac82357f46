/*
 * input: stdin 0-4
 * kind: shift out of range
 * check: shift
 * at: 1u << 
 * least: 1 byte
 */
#include <stdio.h>

int main(void)
{
    unsigned char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin);
    unsigned set = 0;
    for (int i = 0; i < length; i++)
        if (text[i] >= '0' && text[i] <= 'z')
            set |= 1u << (text[i] - '0');
    return set == 0x15;
}
