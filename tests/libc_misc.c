/*
 * cairn-example: libc_misc
 * input: stdin 6
 * branches: 44
 * unreachable: 0
 * faults: 0
 * strategy: random-branch
 * execs: 1500
 *
 * Library functions that are called rarely, or on every character: the result of each depends on its argument.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static void try_strings(int how, const char *text)
{
    char copy[8] = "";
    switch (how) {
    case 'a':
        if (memmem(text, 5, "a\0c", 3) != NULL)
            puts("memmem");
        break;
    case 'b':
        if (strcasestr(text, "nO") == text + 2)
            puts("strcasestr");
        break;
    case 'c':
        if (strverscmp(text, "v9") > 0 && strcmp(text, "v9") < 0)
            puts("strverscmp");
        break;
    case 'd':
        if (strcoll(text, "abcd") == 0)
            puts("strcoll");
        break;
    case 'e':
        if (strxfrm(copy, text, sizeof copy) == 2 && copy[1] == 'Y')
            puts("strxfrm");
        break;
    case 'f':
        if (memccpy(copy, text, ':', 5) == copy + 4)
            puts("memccpy");
        break;
    }
}

/* The usual code for arbitrary locales. */
static int is_upper_case_word(const char *text)
{
    mbstate_t state = {0};
    wchar_t c;
    size_t length;
    while ((length = mbrtowc(&c, text, strlen(text) + 1, &state)) == 1) {
        if (!iswupper((wint_t)c))
            return 0;
        text += length;
    }
    return length == 0;
}

static void try_numbers(int how, const char *text)
{
    unsigned number;
    memcpy(&number, text, sizeof number);
    switch (how) {
    case 'g':
        if (htonl(number) == 0x12345678)
            puts("htonl");
        break;
    case 'h':
        if (abs((int)number) == 77777 && (int)number < 0)
            puts("abs");
        break;
    case 'i':
        if (div((int)number, 1000).rem == 471)
            puts("div");
        break;
    case 'j':
        if (is_upper_case_word(text) && text[0] == 'Q')
            puts("wide");
        break;
    }
}

int main(void)
{
    char text[7] = "";
    setlocale(LC_ALL, "C");
    scanf("%6c", text);
    try_strings(text[0], text + 1);
    try_numbers(text[0], text + 1);
    return 0;
}
