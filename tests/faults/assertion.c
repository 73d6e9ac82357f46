/*
 * input: stdin 0-4
 * kind: failed assertion
 * at: assert(depth
 * least: 1 byte
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin), depth = 0;
    for (int i = 0; i < length; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        assert(depth >= 0);
    }
    return depth;
}
