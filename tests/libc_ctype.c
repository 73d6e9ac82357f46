/*
 * cairn-example: libc_ctype
 * input: stdin 14
 * branches: 31
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 1000
 *
 * Character classes. The results are expressions: each test is one branch, as it is written.
 * Out of reach: a short read.
 */
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    unsigned char text[14];
    if (read(STDIN_FILENO, text, sizeof text) != 14)
        return 1;
    puts(isalpha(text[0]) ? "letter" : "no letter");
    puts(isdigit(text[1]) ? "digit" : "no digit");
    puts(isalnum(text[2]) ? "letter or digit" : "neither");
    puts(isspace(text[3]) ? "space" : "no space");
    puts(isupper(text[4]) ? "upper" : "not upper");
    puts(islower(text[5]) ? "lower" : "not lower");
    puts(ispunct(text[6]) ? "punctuation" : "no punctuation");
    puts(isxdigit(text[7]) ? "hexadecimal" : "not hexadecimal");
    puts(iscntrl(text[8]) ? "control" : "no control");
    puts(isprint(text[9]) ? "printable" : "not printable");
    puts(isgraph(text[10]) ? "visible" : "not visible");
    puts(isblank(text[11]) ? "blank" : "not blank");
    puts(toupper(text[12]) == 'Q' && text[12] != 'Q' ? "a small q" : "not a small q");
    puts(tolower(text[13]) == '[' ? "bracket" : "no bracket");
    return 0;
}
