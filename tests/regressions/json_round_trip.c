/*
 * A list of numbers in brackets is read, printed, read and printed again: both texts must be the same. Numbers are printed as
 * JSON libraries do, with as many digits as it takes to read the same number back.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8

struct list {
    double numbers[MOST];
    int count;
};

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Reads a list; 0 if the text is none. */
static int parse(const char *at, struct list *list)
{
    at = skip_space(at);
    list->count = 0;
    if (*at++ != '[')
        return 0;
    for (;;) {
        char *end;
        at = skip_space(at);
        if (list->count == MOST || (*at != '-' && !isdigit((unsigned char)*at)))
            return 0;
        list->numbers[list->count++] = strtod(at, &end);
        if (end == at)
            return 0;
        at = skip_space(end);
        if (*at == ']')
            return *skip_space(at + 1) == '\0';
        if (*at++ != ',')
            return 0;
    }
}

static void print_number(char *text, double number)
{
    double again;
    if (isnan(number) || isinf(number)) {
        strcpy(text, "0");
    } else if (number == (double)(int)number) {
        sprintf(text, "%d", (int)number);
    } else {
        sprintf(text, "%1.15g", number);
        if (sscanf(text, "%lg", &again) != 1 || fabs(again - number) > 1e-15 * fabs(number))
            sprintf(text, "%1.17g", number);
    }
}

static void print(char *text, const struct list *list)
{
    *text++ = '[';
    for (int i = 0; i < list->count; i++) {
        print_number(text, list->numbers[i]);
        text += strlen(text);
        *text++ = i + 1 < list->count ? ',' : ']';
    }
    *text = '\0';
}

int main(void)
{
    char input[17], first[256], second[256];
    struct list list;
    ssize_t length = read(0, input, sizeof input - 1);
    if (length <= 0)
        return 1;
    input[length] = '\0';
    if (!parse(input, &list))
        return 2;
    print(first, &list);
    if (!parse(first, &list))
        return 3;
    print(second, &list);
    return strcmp(first, second) == 0 ? 0 : 4;
}
