/*
 * input: stdin 8
 * kind: signed overflow
 * check: overflow
 * at: width * height
 *
 * A size that overflows; as it wraps, nothing breaks.
 */
#include <stdio.h>

static int area(int width, int height)
{
    if (width < 0 || height < 0 || width > 65536)
        return -1;
    return width * height;
}

int main(void)
{
    int size[2];
    if (fread(size, sizeof size, 1, stdin) != 1)
        return 1;
    return area(size[0], size[1]) == 12;
}
