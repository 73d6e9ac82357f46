/*
 * cairn-example: libc_getopt_missing
 * input: optional 0 3 3
 * branches: 14
 * unreachable: 0
 * faults: 0
 * strategy: dfs
 * execs: 3000
 *
 * The argument of an option is the next word, which may be missing: the number of words decides.
 */
#include <getopt.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int option;
    opterr = 0;
    while ((option = getopt(argc, argv, ":s:o::")) != -1) {
        if (option == 's')
            puts("with an argument");
        else if (option == ':')
            puts("without");
        else if (option == 'o')
            puts(optarg != NULL ? "and this" : "and nothing");
    }
    if (argc == 3)
        puts("two words");
    if (optind == 3)
        puts("both used");
    return 0;
}
