/*
 * A reader of settings files, written as such code is: conditions over several lines, macros with conditions inside and
 * around them, loops with more than one reason to end. Compiled both by Cairn and for llvm-cov: every condition
 * must be at the same position.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS_BLANK(c) ((c) == ' ' || (c) == '\t')
#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define IS_LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define IS_UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define IS_NAME(c) (IS_LOWER(c) || IS_UPPER(c) || (c) == '_')
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define FAIL(reader, why)                                                                                            \
    do {                                                                                                             \
        if (!(reader)->error)                                                                                        \
            (reader)->error = (why);                                                                                 \
        return NULL;                                                                                                 \
    } while (0)
#define CAN_READ(reader, count) ((reader) != NULL && (reader)->at + (count) <= (reader)->size)
#define PEEK(reader) (CAN_READ(reader, 1) ? (reader)->text[(reader)->at] : '\0')
#define MOST_DEPTH 8

enum kind { NOTHING, NUMBER, STRING, FLAG, LIST };

struct value {
    enum kind kind;
    long number;
    _Bool flag;
    char *string;
    struct value *first, *next;
};

struct reader {
    const char *text;
    size_t at, size;
    int depth;
    const char *error;
};

static struct value *read_value(struct reader *reader);

static struct value *new_value(struct reader *reader, enum kind kind)
{
    struct value *value = calloc(1, sizeof *value);
    if (value == NULL)
        FAIL(reader, "out of memory");
    value->kind = kind;
    return value;
}

static void free_value(struct value *value)
{
    while (value != NULL) {
        struct value *next = value->next;
        if (value->kind == LIST &&
            value->first)
            free_value(value->first);
        free(value->string);
        free(value);
        value = next;
    }
}

static void skip_blanks(struct reader *reader)
{
    while (CAN_READ(reader, 1) &&
           (IS_BLANK(PEEK(reader)) ||
            PEEK(reader) == '\n' ||
            PEEK(reader) == '#')) {
        if (PEEK(reader) == '#')
            while (CAN_READ(reader, 1)
                   && PEEK(reader) != '\n')
                reader->at++;
        else
            reader->at++;
    }
}

static struct value *read_number(struct reader *reader)
{
    int negative = PEEK(reader) == '-';
    long number = 0;
    if (negative ||
        PEEK(reader) == '+')
        reader->at++;
    if (!IS_DIGIT(PEEK(reader)))
        FAIL(reader, "a digit was expected");
    do {
        int digit = PEEK(reader) - '0';
        if (number > 99999 ||
            (number == 99999 &&
             digit > 8))
            FAIL(reader, "number too large");
        number = number * 10 + digit;
        reader->at++;
    } while (CAN_READ(reader, 1) &&
             IS_DIGIT(PEEK(reader)));
    struct value *value = new_value(reader, NUMBER);
    if (value)
        value->number = negative ? -number
                                 : number;
    return value;
}

static int unescape(int c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '"':
    case '\\':
        return c;
    default:
        return -1;
    }
}

static struct value *read_string(struct reader *reader)
{
    char buffer[16];
    size_t used = 0;
    for (reader->at++; CAN_READ(reader, 1) &&
                       PEEK(reader) != '"'; reader->at++) {
        int c = PEEK(reader);
        if (c == '\\' &&
            (!CAN_READ(reader, 2) ||
             (c = unescape(reader->text[++reader->at])) < 0))
            FAIL(reader, "bad escape");
        if (c >= 0 && c < ' ' &&
            c != '\n' &&
            c != '\t')
            FAIL(reader, "control character");
        buffer[used] = (char)c;
        used = MIN(used + 1,
                   sizeof buffer - 1);
    }
    if (!(CAN_READ(reader, 1)))
        FAIL(reader, "unclosed string");
    reader->at++;
    struct value *value = new_value(reader, STRING);
    if (LIKELY(value != NULL)) {
        value->string = calloc(1, used + 1);
        if (!value->string) {
            free_value(value);
            FAIL(reader, "out of memory");
        }
        memcpy(value->string, buffer, used);
    }
    return value;
}

static struct value *read_word(struct reader *reader)
{
    static const struct {
        const char *name;
        _Bool flag;
    } words[] = { { "yes", 1 }, { "no", 0 }, { "on", 1 }, { "off", 0 } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].name);
        if (CAN_READ(reader, length)
            && memcmp(reader->text + reader->at, words[i].name, length) == 0
            && !(CAN_READ(reader, length + 1) &&
                 IS_NAME(reader->text[reader->at + length]))) {
            struct value *value = new_value(reader, FLAG);
            reader->at += length;
            if (value && words[i].flag)
                value->flag = words[i].flag;
            return value;
        }
    }
    FAIL(reader, "unknown word");
}

static struct value *read_list(struct reader *reader)
{
    struct value *list = new_value(reader, LIST), **end = list ? &list->first : NULL;
    if (!list || ++reader->depth > MOST_DEPTH) {
        free_value(list);
        FAIL(reader, "too deep");
    }
    reader->at++;
    skip_blanks(reader);
    while (PEEK(reader) != ']') {
        struct value *item = read_value(reader);
        if (!item
            || (skip_blanks(reader), PEEK(reader) != ',' &&
                                         PEEK(reader) != ']')) {
            free_value(item);
            free_value(list);
            FAIL(reader, "',' or ']' was expected");
        }
        *end = item;
        end = &item->next;
        if (PEEK(reader) == ',')
            reader->at++;
        skip_blanks(reader);
    }
    reader->at++;
    reader->depth--;
    return list;
}

static struct value *read_value(struct reader *reader)
{
    skip_blanks(reader);
    char c = PEEK(reader);
    if (IS_DIGIT(c) || c == '-' ||
        c == '+')
        return read_number(reader);
    if (c == '"')
        return read_string(reader);
    if (c == '[')
        return read_list(reader);
    return IS_NAME(c)
               ? read_word(reader)
               : NULL;
}

static int equal(const struct value *a, const struct value *b)
{
    while (a && b &&
           a->kind == b->kind) {
        if (a->kind == STRING ? strcmp(a->string, b->string) != 0
                              : a->number != b->number ||
                                    a->flag != b->flag)
            return 0;
        if (!equal(a->first, b->first))
            return 0;
        a = a->next;
        b = b->next;
    }
    return a == b;
}

int main(void)
{
    static char text[33];
    struct reader reader = { .text = text };
    reader.size = fread(text, 1, sizeof text - 1, stdin);
    struct value *first = read_value(&reader);
    struct value *second = first ? read_value(&reader) : NULL;
    int same = first && second &&
               equal(first, second);
    if (reader.error &&
        !first)
        puts(reader.error);
    free_value(first);
    free_value(second);
    return same ? 3 : 0;
}
