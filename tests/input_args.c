/*
 * cairn-example: input_args
 * input: arg 2, optional 1 4 3
 * branches: 15
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT all
 * strategy: dfs
 * execs: 400
 *
 * The number of arguments is symbolic, and so is the length of each. Out of reach: no end of the list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With all arguments present, of which the last is a word. */
static void all(char **words)
{
    if (strcmp(words[5], "end") == 0)
        abort();
}

int main(int argc, char **argv)
{
    int i, longest = 0;
    if (argc == 3)
        puts("the fewest");
    if (argc == 5)
        puts("five");
    for (i = 1; i < argc; i++)
        if ((int)strlen(argv[i]) > longest)
            longest = (int)strlen(argv[i]);
    if (argv[argc] != NULL)
        puts("no end");
    if (longest == 3)
        puts("as long as can be");
    if (argc == 6)
        all(argv);
    return 0;
}
