/*
 * cairn-example: libc_scanf
 * input: stdin 6
 * branches: 20
 * unreachable: 0
 * faults: 0
 * strategy: random-branch
 * execs: 1000
 *
 * The result of scanf depends on the input: the number of conversions, and their values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int product(void)
{
    int a, b;
    return scanf("%d,%d", &a, &b) == 2 && a * b == 91;
}

static int word(void)
{
    char name[4];
    unsigned value;
    return scanf("%3[a-c]%x", name, &value) == 2 && strcmp(name, "cab") == 0 && value == 0x5e;
}

static int allocated(const char *text)
{
    char *name = NULL;
    int length = 0, answer;
    answer = sscanf(text, " %m[^:]:%n", &name, &length) == 1 && length == 4 && name[0] == 'Q';
    free(name);
    return answer;
}

int main(void)
{
    char text[6] = "";
    switch (getchar()) {
    case 'p':
        if (product())
            puts("product");
        break;
    case 'w':
        if (word())
            puts("word");
        break;
    case 'a':
        scanf("%5c", text);
        if (allocated(text))
            puts("allocated");
        break;
    }
    return 0;
}
