/*
 * cairn-example: argument_end
 * input: arg 4
 * branches: 7
 * unreachable: 3
 * faults: 0
 * strategy: dfs
 * execs: 20
 *
 * An argument ends at its first NUL: the bytes behind it are not input. Out of reach: no argument, and
 * bytes behind the end.
 */
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *text;
    if (argc < 2)
        return 1;
    text = argv[1];
    if (text[0] == 'a') {
        puts("a");
    } else if (text[0] == 0) {
        if (text[1] == 'b' || text[2] == 'b')
            puts("behind the end");
    }
    return 0;
}
