/*
 * cairn-example: libc_sort
 * input: stdin 4
 * branches: 19
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 400
 *
 * Sorting and searching with the program's own comparison. The sorted elements stay symbolic.
 * Out of reach: a short read.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void)
{
    static const unsigned char known[] = {3, 17, 99, 200};
    unsigned char bytes[4];
    const unsigned char *found;
    void *tree = NULL;
    if (read(STDIN_FILENO, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
        return 1;
    found = bsearch(&bytes[3], known, 4, 1, compare);
    if (found != NULL && found - known == 2)
        puts("99");
    if (lfind(&bytes[3], known, &(size_t){4}, 1, compare) == &known[1])
        puts("17");
    for (int i = 0; i < 4; i++)
        tsearch(&known[i], &tree, compare);
    if (tfind(&bytes[3], &tree, compare) != NULL && bytes[3] > 100)
        puts("200");
    qsort(bytes, 3, 1, compare);
    if (bytes[0] == 7 && bytes[1] == 8 && bytes[2] == 9)
        puts("7 8 9");
    return 0;
}
