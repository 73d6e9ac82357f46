/*
 * cairn-example: libc_getopt
 * input: args 6 3
 * branches: 16
 * unreachable: 0
 * faults: 0
 * strategy: dfs
 * execs: 6000
 *
 * Options: letters, together and with an argument, and words.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct option words[] = {{"size", required_argument, NULL, 's'}, {"all", no_argument, NULL, 'a'}, {NULL, 0, NULL, 0}};
    int option, all = 0, verbose = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "avs:", words, NULL)) != -1) {
        switch (option) {
        case 'a':
            all = 1;
            break;
        case 'v':
            verbose = 1;
            break;
        case 's':
            if (strcmp(optarg, "7") == 0)
                puts("size 7");
            break;
        default:
            return 2;
        }
    }
    if (all && verbose)
        puts("all, verbose");
    if (optind < argc && strcmp(argv[optind], "x") == 0)
        puts("x");
    return 0;
}
