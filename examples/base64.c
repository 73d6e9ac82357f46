/*
 * cairn-example: base64
 * input: stdin 0-5
 * branches: 40
 * unreachable: 0
 * faults: 1
 * fault: SIGSEGV terminate
 * strategy: dfs
 * execs: 5000
 *
 * Decodes a line of base64.
 *
 * The fault: the padding may have any length. A group of nothing but padding takes four bytes off the
 * three it has; where it stands alone the length wraps around, and the result is terminated four
 * gigabytes away. It takes the line `====`.
 */
#include <stdint.h>
#include <stdio.h>

#define INPUT_SIZE 5

/* The six bits a character stands for, or -1. */
static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    if (c == '/')
        return 63;
    return -1;
}

/* Decodes a group of four characters into three bytes; whether it was well-formed. */
static int decode_group(const char *text, int characters, unsigned char *out)
{
    uint32_t bits = 0;
    int i, six;
    for (i = 0; i < characters; i++) {
        six = sextet(text[i]);
        if (six < 0)
            return 0;
        bits |= (uint32_t)six << (18 - 6 * i);
    }
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8);
    out[2] = (unsigned char)bits;
    return 1;
}

/* How many characters at the end of the text are padding. */
static int count_padding(const char *text, int size)
{
    int count = 0;
    while (count < size && text[size - 1 - count] == '=')
        count++;
    return count;
}

/* Decodes the text and sets the length of the result; whether it was well-formed. */
static int decode(const char *text, int size, unsigned char *out, uint32_t *length)
{
    int at, characters = size - count_padding(text, size);
    if (size % 4 != 0 || characters % 4 == 1)
        return 0;
    for (at = 0; at < characters; at += 4)
        if (!decode_group(text + at, characters - at < 4 ? characters - at : 4, out + at / 4 * 3))
            return 0;
    *length = (uint32_t)(size / 4 * 3 - (size - characters));
    return 1;
}

static void terminate(unsigned char *volatile text, uint32_t length)
{
    text[length] = '\0';
}

int main(void)
{
    static unsigned char out[INPUT_SIZE];
    char text[INPUT_SIZE];
    uint32_t length;
    int line = 0, size = (int)fread(text, 1, sizeof text, stdin);
    while (line < size && text[line] != '\n')
        line++;
    if (!decode(text, line, out, &length)) {
        printf("not base64\n");
        return 1;
    }
    terminate(out, length);
    printf("%u bytes: %s\n", (unsigned)length, (const char *)out);
    return 0;
}
