/*
 * cairn-example: libc_fnmatch
 * input: stdin 5
 * branches: 16
 * unreachable: 0
 * faults: 0
 * strategy: random-branch
 * execs: 1000
 *
 * Shell patterns: a text that matches, and a pattern that is matched.
 */
#include <fnmatch.h>
#include <stdio.h>

int main(void)
{
    char text[6] = "";
    scanf("%5c", text);
    switch (text[0]) {
    case 't':
        if (fnmatch("[[:digit:]]*.[ch]", text + 1, 0) == 0)
            puts("text");
        break;
    case 'p':
        if (fnmatch(text + 1, "x/y]", 0) == 0 && text[1] == '[')
            puts("pattern");
        break;
    case 'h':
        if (fnmatch("*z", text + 1, FNM_PERIOD) != 0 && text[1] == '.' && text[4] == 'z')
            puts("hidden");
        break;
    }
    return 0;
}
