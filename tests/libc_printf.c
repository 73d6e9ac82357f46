/*
 * cairn-example: libc_printf
 * input: stdin 5
 * branches: 15
 * unreachable: 0
 * faults: 0
 * strategy: random-branch
 * execs: 600
 *
 * Text that sprintf and its variants make of the input: strings, characters, numbers, and its length.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char text[6] = "", made[32];
    unsigned short number;
    char *copy = NULL;
    scanf("%5c", text);
    memcpy(&number, text + 1, sizeof number);
    switch (text[0]) {
    case 's':
        snprintf(made, sizeof made, "<%.3s|%c>", text + 1, text[4]);
        if (strcmp(made, "<ab|%>") == 0)
            puts("string");
        break;
    case 'd':
        sprintf(made, "%hd:%05.1f", (short)number, 2.5);
        if (strcmp(made, "-471:002.5") == 0)
            puts("decimal");
        break;
    case 'x':
        sprintf(made, "%#06X", number);
        if (strcmp(made, "0XBEEF") == 0)
            puts("hexadecimal");
        break;
    case 'l':
        if (asprintf(&copy, "%u%s", number, text + 3) == 3 && copy[2] == '!')
            puts("length");
        free(copy);
        break;
    }
    return 0;
}
