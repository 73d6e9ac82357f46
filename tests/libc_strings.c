/*
 * cairn-example: libc_strings
 * input: stdin 7
 * branches: 30
 * unreachable: 2
 * faults: 0
 * strategy: dfs
 * execs: 1500
 *
 * Comparing, searching and copying strings: the library's results depend on the input.
 * Out of reach: a short read, a strdup without memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int compare(int how, const char *text)
{
    switch (how) {
    case 'a':
        return strcmp(text, "secret") == 0;
    case 'b':
        return strcmp(text, "m") > 0;
    case 'c':
        return strncmp(text, "open sesame", 4) == 0;
    case 'd':
        return strcasecmp(text, "Yes") == 0;
    case 'e':
        return memcmp(text, "\x7f" "ELF", 4) < 0;
    default:
        return -1;
    }
}

static int search(int how, const char *text)
{
    const char *place;
    switch (how) {
    case 'f':
        return strlen(text) == 5;
    case 'g':
        return strchr(text, '@') == text + 2;
    case 'h':
        return (place = strrchr(text, '.')) != NULL && strcmp(place, ".c") == 0;
    case 'i':
        return strstr(text, "abc") != NULL;
    case 'j':
        return strspn(text, "01") == 3;
    case 'k':
        return strpbrk(text, "<>") == text + 1;
    case 'l':
        return memchr(text, '#', 6) == text + 5;
    default:
        return -1;
    }
}

static int copy(int how, const char *text)
{
    char joined[32] = "<";
    char *twin;
    int answer;
    switch (how) {
    case 'm':
        strcat(strcat(joined, text), ">");
        return strcmp(joined, "<hi>") == 0;
    case 'n':
        twin = strdup(text);
        answer = twin != NULL && twin[0] == 'Q' && strlen(twin) == 1;
        free(twin);
        return answer;
    case 'o':
        strncpy(joined, text, 4);
        return strcmp(joined + 1, "xy") == 0;
    default:
        return -1;
    }
}

int main(void)
{
    char text[8] = "";
    if (read(STDIN_FILENO, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
        return 1;
    if (compare(text[0], text + 1) == 1)
        puts("comparison");
    if (search(text[0], text + 1) == 1)
        puts("search");
    if (copy(text[0], text + 1) == 1)
        puts("copy");
    return 0;
}
