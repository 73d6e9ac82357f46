/*
 * input: stdin 0-4
 * kind: stack buffer overflow
 * at: marks[i] = 'y'
 * least: 4 bytes
 *
 * All branches are covered long before the one path of many that writes beyond the array, and nothing crashes.
 */
#include <stdio.h>

int main(void)
{
    int count = 0;
    char marks[3] = {0};
    for (int i = 0; i < 4; i++)
        if (getchar() == 'x')
            count++;
    for (int i = 0; i < count; i++)
        marks[i] = 'y';
    return marks[0] == 'z';
}
