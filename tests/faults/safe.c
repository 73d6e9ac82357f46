/*
 * input: stdin 0-6
 * check: all
 * kind: none
 *
 * Looks dangerous, but is not: every fault is excluded just before it.
 */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char names[4][4] = {"abc", "def", "ghi", "jkl"};

static int divide(int a, int b)
{
    return b == 0 || (a == INT_MIN && b == -1) ? 0 : a / b;
}

static int add(int a, int b)
{
    if (b > 0 ? a > INT_MAX - b : a < INT_MIN - b)
        return 0;
    return a + b;
}

int main(void)
{
    unsigned char text[6];
    int length = (int)fread(text, 1, sizeof text, stdin), hits = 0;
    char *block = calloc(16, 1);
    if (length < 6)
        return 1;
    if (names[text[0] & 3][text[1] & 3] == 'k')
        hits++;
    block[text[2] % 16] = 1;
    if (1 << (text[3] & 31) == 64)
        hits++;
    if (divide(100, text[4]) == 3)
        hits++;
    if (add(INT_MAX - 100, text[5]) == INT_MAX)
        hits++;
    assert(length <= 6);
    if (text[0] == 'x')
        free(block), block = NULL;
    if (block && block[text[1] % 16])
        hits++;
    free(block);
    return hits;
}
