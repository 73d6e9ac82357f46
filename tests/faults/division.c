/*
 * input: stdin 0-8
 * kind: division by zero
 * at: sum / count
 * least: 2 bytes
 *
 * A mean over no numbers: the count is the rest after two that do not count.
 */
#include <stdio.h>

static int mean(const unsigned char *numbers, int length)
{
    int sum = 0, count = length - 2;
    for (int i = 0; i < length; i++)
        sum += numbers[i];
    return sum / count;
}

int main(void)
{
    unsigned char text[8];
    int length = (int)fread(text, 1, sizeof text, stdin);
    return length > 0 && mean(text, length) == 77;
}
