/* Conversions of scanf that read floating-point numbers. The text is collected and converted by strtod. */
#include "float.h"
#include "scan.h"
#include <stdlib.h>

/* A number being read. */
struct field {
    struct source *source;
    int width;
    int c;
    struct gathered text;
};

static int advance(struct field *field)
{
    field->c = __cairn_m_next_within(field->source, &field->width);
    return field->c != EOF;
}

static int take(struct field *field, char c)
{
    __cairn_m_gather(&field->text, c);
    return advance(field);
}

/* Takes the rest of a word whose first letter was taken; stops at its last letter. */
static int take_word(struct field *field, const char *rest)
{
    for (; *rest != '\0'; rest++)
        if (!take(field, (char)field->c) || TO_LOWER(field->c) != *rest)
            return 0;
    __cairn_m_gather(&field->text, (char)field->c);
    return 1;
}

static int take_infinity(struct field *field)
{
    if (!take_word(field, "nf"))
        return 0;
    if (!advance(field))
        return 1;
    if (TO_LOWER(field->c) == 'i')
        return take_word(field, "nity");
    __cairn_m_put_back(field->source);
    return 1;
}

/* Takes `0x`, or a 0 that is a digit. */
static void take_prefix(struct field *field, int *hexadecimal, int *digits)
{
    if (field->width == 0 || field->c != '0')
        return;
    take(field, '0');
    if (field->width != 0 && TO_LOWER(field->c) == 'x') {
        *hexadecimal = 1;
        take(field, 'x');
    } else {
        *digits = 1;
    }
}

/* Takes text that looks like a number, possibly more than one has. */
static void take_number(struct field *field, int hexadecimal, int digits)
{
    char letter = hexadecimal ? 'p' : 'e', taken = '\0';
    int point = 0, exponent = 0;
    for (;;) {
        int c = field->c;
        if (IN_RANGE(c, '0', '9') || (hexadecimal && !exponent && IN_RANGE(TO_LOWER(c), 'a', 'f'))) {
            digits = 1;
            taken = '0';
        } else if (exponent && taken == letter && (c == '-' || c == '+')) {
            taken = '-';
        } else if (digits && !exponent && TO_LOWER(c) == letter) {
            exponent = point = 1;
            taken = letter;
            c = letter;
        } else if (!point && c == '.') {
            point = 1;
            taken = '.';
        } else {
            if (c != EOF)
                __cairn_m_put_back(field->source);
            return;
        }
        if (!take(field, (char)c))
            return;
    }
}

/* Takes the text of a number; returns true if there is any. */
static int take_text(struct field *field)
{
    int hexadecimal = 0, digits = 0;
    size_t start;
    if (field->c == '-' || field->c == '+')
        if (!take(field, (char)field->c))
            return 0;
    if (TO_LOWER(field->c) == 'n')
        return take_word(field, "an");
    if (TO_LOWER(field->c) == 'i')
        return take_infinity(field);
    start = field->text.length;
    take_prefix(field, &hexadecimal, &digits);
    take_number(field, hexadecimal, digits);
    return field->text.length > start + (hexadecimal ? 2 : 0);
}

/* Stores the number at the start of a text, if there is one. */
static int convert(const char *text, enum size size, void *to)
{
    char *end;
    if (size == LONG_LONG) {
        long double number = __cairn_m_long_double(text, &end);
        if (to != NULL && end != text)
            *(long double *)to = number;
    } else if (size == LONG) {
        double number = __cairn_m_double(text, &end);
        if (to != NULL && end != text)
            *(double *)to = number;
    } else {
        float number = __cairn_m_float(text, &end);
        if (to != NULL && end != text)
            *(float *)to = number;
    }
    return end != text;
}

enum outcome __cairn_m_scan_float(struct source *source, const struct directive *directive, void *to)
{
    struct field field = {source, directive->width, 0, {NULL, 0, 0}};
    int converted = 0;
    char *text;
    if (!advance(&field))
        return NO_INPUT;
    if (!take_text(&field)) {
        free(field.text.start);
        return MISMATCH;
    }
    text = __cairn_m_gathered(&field.text);
    if (text == NULL)
        return NO_INPUT;
    converted = convert(text, directive->size, to);
    free(text);
    return converted ? CONVERTED : MISMATCH;
}
