/*
 * cairn-example: input_lines
 * input: stdin 0-9
 * branches: 32
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT by_getline
 * strategy: dfs
 * execs: 1300
 *
 * The ends of a line and of the input are decided byte by byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void by_fgets(void)
{
    char line[5];
    while (fgets(line, sizeof line, stdin) != NULL) {
        size_t length = strlen(line);
        if (length == 1 && line[0] == '\n')
            puts("an empty line");
        else if (line[length - 1] != '\n')
            puts(feof(stdin) ? "a line without an end" : "a part of a line");
        else if (length == 3)
            puts("two characters");
    }
}

static void by_getline(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int lines = 0;
    while ((length = getline(&line, &room, stdin)) > 0) {
        lines++;
        if (lines == 2 && length == 4 && strcmp(line, "end\n") == 0)
            abort();
    }
    if (lines == 2)
        puts("two lines");
    free(line);
}

static void by_delimiter(void)
{
    char *field = NULL;
    size_t room = 0;
    int fields = 0;
    while (getdelim(&field, &room, ':', stdin) != -1)
        fields++;
    if (fields == 4)
        puts("four fields");
    free(field);
}

int main(void)
{
    int way = getchar();
    if (way == 'l')
        by_getline();
    else if (way == 'd')
        by_delimiter();
    else if (way != EOF)
        by_fgets();
    return 0;
}
