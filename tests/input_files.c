/*
 * cairn-example: input_files
 * input: open keys 0-3, open values 0-4, stdin 0-2
 * branches: 22
 * unreachable: 2
 * faults: 1
 * fault: SIGABRT match
 * strategy: dfs
 * execs: 200
 *
 * Several files and standard input, each with a symbolic length, read alternately, closed and reopened.
 * Out of reach: files that cannot be opened.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void match(FILE *keys, FILE *values)
{
    int key, value, pairs = 0;
    while ((key = fgetc(keys)) != EOF && (value = fgetc(values)) != EOF)
        if (key == value - 1)
            pairs++;
    if (pairs == 3 && fgetc(values) == '.')
        abort();
}

static void again(void)
{
    char bytes[8];
    int file = open("values", O_RDONLY);
    if (read(file, bytes, sizeof bytes) == 2 && bytes[0] == bytes[1])
        puts("two equal values");
    close(file);
    file = open("keys", O_RDONLY);
    if (read(file, bytes, sizeof bytes) == 0)
        puts("no key");
    close(file);
}

int main(void)
{
    FILE *keys = fopen("keys", "r"), *values = fopen("values", "r");
    int c;
    if (keys == NULL || values == NULL)
        return 1;
    c = getchar();
    if (c == 'm')
        match(keys, values);
    else if (c == EOF)
        puts("no command");
    fclose(keys);
    fclose(values);
    again();
    return 0;
}
