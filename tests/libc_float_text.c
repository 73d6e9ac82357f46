/*
 * cairn-example: libc_float_text
 * input: stdin 3
 * branches: 10
 * unreachable: 0
 * faults: 0
 * strategy: random-branch
 * execs: 400
 *
 * Numbers with a point, an exponent or in letters: their end, and if there is one.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char text[4] = "", *end;
    float number;
    scanf("%3c", text);
    strtod(text, &end);
    if (end == text + 3 && text[0] == 'n')
        puts("no number");
    else if (end == text + 1 && text[1] == 'e')
        puts("no exponent");
    if (sscanf(text, ".%f", &number) == 1)
        puts("after a point");
    return 0;
}
