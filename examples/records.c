/*
 * cairn-example: records
 * input: stdin 0-12
 * branches: 38
 * unreachable: 0
 * faults: 1
 * fault: SIGFPE print_ratio
 * strategy: random-branch
 * execs: 1000
 *
 * Reads records from standard input: type, length, that many bytes, and a checksum over all of them.
 * A record of type zero ends the list.
 *
 * The fault: zero by zero is an undefined ratio, but so is anything else by zero. The checksum must be
 * right to get there, which random input hardly ever is.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define INPUT_SIZE 12
#define MAX_PAYLOAD 5

enum { TYPE_END = 0, TYPE_TEXT = 'T', TYPE_NUMBER = 'N', TYPE_RATIO = 'R' };

struct input {
    uint8_t bytes[INPUT_SIZE];
    int size, at;
};

struct record {
    uint8_t type, length;
    uint8_t payload[MAX_PAYLOAD];
};

enum result { GOOD, TOO_SHORT, TOO_LONG, WRONG_CHECKSUM, WRONG_LENGTH, UNKNOWN_TYPE };

/* The next byte; behind the end, -1. */
static int next_byte(struct input *input)
{
    if (input->at == input->size)
        return -1;
    return input->bytes[input->at++];
}

static uint8_t checksum(const struct record *record)
{
    unsigned i;
    uint8_t sum = (uint8_t)(record->type * 7 + record->length);
    for (i = 0; i < record->length; i++)
        sum = (uint8_t)(((sum << 1) | (sum >> 7)) ^ record->payload[i]);
    return sum;
}

static enum result read_record(struct input *input, struct record *record)
{
    int i, byte, length = next_byte(input);
    if (length < 0)
        return TOO_SHORT;
    if (length > MAX_PAYLOAD)
        return TOO_LONG;
    record->length = (uint8_t)length;
    for (i = 0; i < length; i++) {
        byte = next_byte(input);
        if (byte < 0)
            return TOO_SHORT;
        record->payload[i] = (uint8_t)byte;
    }
    byte = next_byte(input);
    if (byte < 0)
        return TOO_SHORT;
    return byte == checksum(record) ? GOOD : WRONG_CHECKSUM;
}

static void print_text(const struct record *record)
{
    unsigned i;
    for (i = 0; i < record->length; i++)
        putchar(record->payload[i] < ' ' ? '.' : record->payload[i]);
    putchar('\n');
}

static enum result print_number(const struct record *record)
{
    if (record->length != 2)
        return WRONG_LENGTH;
    printf("%d\n", (int16_t)(record->payload[0] << 8 | record->payload[1]));
    return GOOD;
}

static enum result print_ratio(const struct record *record)
{
    int dividend, divisor;
    if (record->length != 3)
        return WRONG_LENGTH;
    dividend = record->payload[0] << 8 | record->payload[1];
    divisor = record->payload[2];
    if (divisor == 0 && dividend == 0)
        printf("undefined\n");
    else
        printf("%d\n", dividend / divisor);
    return GOOD;
}

static enum result print_record(const struct record *record)
{
    switch (record->type) {
    case TYPE_TEXT:
        print_text(record);
        return GOOD;
    case TYPE_NUMBER:
        return print_number(record);
    case TYPE_RATIO:
        return print_ratio(record);
    default:
        return UNKNOWN_TYPE;
    }
}

int main(void)
{
    struct input input = {{0}, 0, 0};
    struct record record;
    enum result result = GOOD;
    int type;
    input.size = (int)read(STDIN_FILENO, input.bytes, INPUT_SIZE);
    while (result == GOOD && (type = next_byte(&input)) > TYPE_END) {
        record.type = (uint8_t)type;
        result = read_record(&input, &record);
        if (result == GOOD)
            result = print_record(&record);
    }
    printf("result %d\n", (int)result);
    return result != GOOD;
}
