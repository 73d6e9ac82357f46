/*
 * cairn-example: input_length
 * input: stdin 0-6
 * branches: 25
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT finish
 * strategy: dfs
 * execs: 100
 *
 * The length of the input is symbolic: every way to detect its end leads to shorter and longer inputs.
 * Out of reach: another character than was pushed back.
 */
#include <stdio.h>
#include <stdlib.h>

/* Only six bytes get this far, and only if the last one is right. */
static void finish(int last)
{
    if (last == '!')
        abort();
}

static void by_character(void)
{
    int c, count = 0, last = 0;
    while ((c = getchar()) != EOF) {
        last = c;
        count++;
    }
    if (count == 0)
        puts("nothing more");
    if (count == 3)
        puts("three more");
    if (count == 5)
        finish(last);
}

static void by_block(void)
{
    char pairs[4];
    size_t count = fread(pairs, 2, 2, stdin);
    if (count == 2)
        puts("two pairs");
    else if (count == 1)
        puts("one pair");
    else
        puts("no pair");
    if (feof(stdin))
        puts("and that was all");
}

static void pushed_back(void)
{
    int c = getc(stdin);
    if (c == EOF)
        puts("no character");
    else if (c == 'x') {
        ungetc(c, stdin);
        if (getc(stdin) == c)
            puts("the same again");
    }
}

int main(void)
{
    switch (getchar()) {
    case EOF: puts("empty"); break;
    case 'b': by_block(); break;
    case 'u': pushed_back(); break;
    default: by_character();
    }
    return 0;
}
