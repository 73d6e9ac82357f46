/*
 * cairn-example: overwritten
 * input: stdin 8
 * branches: 10
 * unreachable: 2
 * faults: 0
 * strategy: dfs
 * execs: 50
 *
 * Uninstrumented library code overwrites symbolic bytes: the bytes it wrote are concrete, the others
 * are not. Out of reach: a short read, another result of comparing the text that snprintf wrote.
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char text[16] = {0};
    if (read(STDIN_FILENO, text, 8) != 8)
        return 1;
    if (text[0] == 'x')
        puts("first byte");
    snprintf(text, sizeof text, "%d", 123);
    if (text[0] == '1')
        puts("digit");
    if (text[4] == 'y')
        puts("fifth byte");
    if (text[7] == 'z' && text[6] == 'z')
        puts("last bytes");
    return 0;
}
