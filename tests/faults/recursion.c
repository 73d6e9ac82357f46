/*
 * input: stdin 0-4
 * kind: stack overflow
 * at: static long sum
 * least: 1 byte
 *
 * A sum down to zero that does not terminate if it starts below.
 */
#include <stdio.h>

/* One line, since the last byte of the stack may belong to any statement. */
static long sum(long from) { volatile char step[999] = {1}; return from == 0 ? 0 : from + sum(from - step[0]); }

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin);
    return (int)sum(length > 0 && text[0] == '-' ? -1 : length);
}
