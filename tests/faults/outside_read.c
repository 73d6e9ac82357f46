/*
 * input: stdin 0-4
 * kind: out-of-bounds read
 * at: weight[digit
 * least: 1 byte
 *
 * A character that is no digit is used as an index; the read succeeds, and nothing breaks.
 */
#include <stdio.h>

static const int weight[10] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
int behind[256];

static int checksum(const char *text, int length)
{
    int sum = 0;
    for (int i = 0; i < length; i++) {
        int digit = text[i] - '0';
        if (digit >= 0 && digit <= 10)
            sum += weight[digit];
    }
    return sum % 10;
}

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin);
    return checksum(text, length) == 0 ? behind[0] : 1;
}
