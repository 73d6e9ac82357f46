/*
 * cairn-example: roman
 * input: arg 4
 * branches: 35
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 5000
 *
 * Reads a Roman number and accepts it only in its one proper form: the sum of its letters is written
 * out again and compared, so that IIII, IIX, VV or IM are refused.
 *
 * Out of reach: the wrong number of arguments.
 */
#include <stdio.h>

#define LARGEST 3999
#define MAX_LETTERS 15 /* of 3888, the longest */

static int value_of(char letter)
{
    switch (letter) {
    case 'I':
        return 1;
    case 'V':
        return 5;
    case 'X':
        return 10;
    case 'L':
        return 50;
    case 'C':
        return 100;
    case 'D':
        return 500;
    case 'M':
        return 1000;
    default:
        return 0;
    }
}

/* Adds up the letters, a smaller one before a larger one counting as negative; 0 if there is no number. */
static int parse(const char *text)
{
    int value, sum = 0;
    for (; *text != '\0'; text++) {
        value = value_of(*text);
        if (value == 0)
            return 0;
        sum += value < value_of(text[1]) ? -value : value;
    }
    return sum;
}

/* Writes one decimal digit with the letters for one, five and ten of its place. */
static char *write_digit(char *out, int digit, const char *letters)
{
    int i;
    if (digit % 5 == 4) {
        *out++ = letters[0];
        *out++ = digit == 4 ? letters[1] : letters[2];
        return out;
    }
    if (digit >= 5)
        *out++ = letters[1];
    for (i = 0; i < digit % 5; i++)
        *out++ = letters[0];
    return out;
}

static void format(int number, char *out)
{
    for (; number >= 1000; number -= 1000)
        *out++ = 'M';
    out = write_digit(out, number / 100, "CDM");
    out = write_digit(out, number / 10 % 10, "XLC");
    out = write_digit(out, number % 10, "IVX");
    *out = '\0';
}

static int same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int main(int argc, char **argv)
{
    char proper[MAX_LETTERS + 1];
    int number;
    if (argc != 2) {
        printf("usage: roman NUMBER\n");
        return 2;
    }
    number = parse(argv[1]);
    if (number <= 0 || number > LARGEST) {
        printf("not a number from 1 to %d\n", LARGEST);
        return 1;
    }
    format(number, proper);
    if (!same(argv[1], proper)) {
        printf("%d is written %s\n", number, proper);
        return 1;
    }
    printf("%d\n", number);
    return 0;
}
