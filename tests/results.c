/*
 * cairn-example: results
 * input: stdin 2
 * branches: 5
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 20
 *
 * The result of an uninstrumented function has no label, whatever the call before it returned.
 * Out of reach: an unexpected result of the library.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

int main(void)
{
    int first = getchar();
    int order = strverscmp("jan9", "jan10");
    int second = getchar();
    if (order > 0)
        puts("strange");
    if (first == 'a')
        puts("a");
    if (second == 'b')
        puts("b");
    return 0;
}
