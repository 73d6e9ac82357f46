/*
 * A JSON parser: what a campaign on a program of that kind costs.
 *
 *     json < FILE
 *
 * Reads a document of up to 64 KiB from standard input, builds its tree, and prints how many values of each kind it
 * has, how deep it is, and a checksum over strings and numbers; or where it is wrong, which is exit code 1. Strings
 * are decoded (escapes, surrogate pairs, UTF-8 checked), numbers are computed, keys of an object must differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DOCUMENT 65536
#define MAX_DEPTH 64

enum kind { NOTHING, TRUTH, NUMBER, STRING, ARRAY, OBJECT, KINDS };

struct value {
    enum kind kind;
    int truth;
    double number;
    char *text; /* of a string; the key's text is its own */
    size_t length;
    char *key;
    size_t key_length;
    struct value *first, *last, *next; /* elements of an array or object */
};

struct parser {
    const unsigned char *start, *at, *end;
    const char *fault;
    int depth;
};

static struct value *parse_value(struct parser *p);

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        fputs("json: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void release(struct value *value)
{
    while (value != NULL) {
        struct value *next = value->next;
        release(value->first);
        free(value->text);
        free(value->key);
        free(value);
        value = next;
    }
}

static int wrong(struct parser *p, const char *fault)
{
    if (p->fault == NULL)
        p->fault = fault;
    return 0;
}

static int peek(const struct parser *p)
{
    return p->at < p->end ? *p->at : -1;
}

static int accept(struct parser *p, int byte)
{
    if (peek(p) != byte)
        return 0;
    p->at++;
    return 1;
}

static void skip_space(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static int word(struct parser *p, const char *text)
{
    for (; *text != 0; text++)
        if (!accept(p, (unsigned char)*text))
            return wrong(p, "no such word");
    return 1;
}

/* ---- strings ---- */

static int hexadecimal(int byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

static int four_digits(struct parser *p, unsigned *code)
{
    int i, digit;
    *code = 0;
    for (i = 0; i < 4; i++, p->at++) {
        digit = hexadecimal(peek(p));
        if (digit < 0)
            return wrong(p, "four hexadecimal digits expected");
        *code = *code << 4 | (unsigned)digit;
    }
    return 1;
}

static char *put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

static char *unicode(struct parser *p, char *to)
{
    unsigned code, low;
    if (!four_digits(p, &code))
        return NULL;
    if (code >= 0xdc00 && code < 0xe000)
        return wrong(p, "half a character"), NULL;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!accept(p, '\\') || !accept(p, 'u') || !four_digits(p, &low) || low < 0xdc00 || low >= 0xe000)
            return wrong(p, "the other half of a character expected"), NULL;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return put_character(to, code);
}

static char *escape(struct parser *p, char *to)
{
    int byte = peek(p);
    p->at++;
    switch (byte) {
    case '"': case '\\': case '/': *to++ = (char)byte; return to;
    case 'b': *to++ = '\b'; return to;
    case 'f': *to++ = '\f'; return to;
    case 'n': *to++ = '\n'; return to;
    case 'r': *to++ = '\r'; return to;
    case 't': *to++ = '\t'; return to;
    case 'u': return unicode(p, to);
    default: return wrong(p, "no such escape"), NULL;
    }
}

/* Bytes that follow the first of a character; -1 if none begins so. */
static int followers(int byte)
{
    if (byte < 0x80)
        return 0;
    if (byte < 0xc2)
        return -1;
    if (byte < 0xe0)
        return 1;
    if (byte < 0xf0)
        return 2;
    return byte < 0xf5 ? 3 : -1;
}

static char *copy_character(struct parser *p, char *to)
{
    int count = followers(peek(p));
    if (count < 0)
        return wrong(p, "no character begins so"), NULL;
    *to++ = (char)*p->at++;
    for (; count > 0; count--) {
        if (p->at >= p->end || (*p->at & 0xc0) != 0x80)
            return wrong(p, "a character is cut short"), NULL;
        *to++ = (char)*p->at++;
    }
    return to;
}

static char *parse_string(struct parser *p, size_t *length)
{
    const unsigned char *close = p->at;
    char *text, *to;
    while (close < p->end && *close != '"')
        close += *close == '\\' && close + 1 < p->end ? 2 : 1;
    text = to = allocate((size_t)(close - p->at) + 1);
    while (to != NULL && peek(p) != '"') {
        if (peek(p) < 0x20)
            to = (wrong(p, "a string that does not end"), NULL);
        else if (accept(p, '\\'))
            to = escape(p, to);
        else
            to = copy_character(p, to);
    }
    if (to == NULL) {
        free(text);
        return NULL;
    }
    p->at++;
    *length = (size_t)(to - text);
    return text;
}

/* ---- numbers ---- */

static int digits(struct parser *p, double *number, int *count)
{
    *count = 0;
    while (peek(p) >= '0' && peek(p) <= '9') {
        *number = *number * 10 + (*p->at++ - '0');
        ++*count;
    }
    return *count > 0 ? 1 : wrong(p, "a digit expected");
}

static int exponent(struct parser *p, int *scale)
{
    int negative = 0, exponent = 0;
    if (accept(p, '-'))
        negative = 1;
    else
        accept(p, '+');
    if (peek(p) < '0' || peek(p) > '9')
        return wrong(p, "an exponent expected");
    while (peek(p) >= '0' && peek(p) <= '9') {
        if (exponent < 1000)
            exponent = exponent * 10 + (*p->at - '0');
        p->at++;
    }
    *scale += negative ? -exponent : exponent;
    return 1;
}

static int parse_number(struct parser *p, double *number)
{
    int negative = accept(p, '-'), count, scale = 0;
    *number = 0;
    if (peek(p) == '0')
        p->at++;
    else if (!digits(p, number, &count))
        return 0;
    if (accept(p, '.')) {
        if (!digits(p, number, &count))
            return 0;
        scale = -count;
    }
    if ((accept(p, 'e') || accept(p, 'E')) && !exponent(p, &scale))
        return 0;
    for (; scale > 0 && scale < 400; scale--)
        *number *= 10;
    for (; scale < 0 && scale > -400; scale++)
        *number /= 10;
    if (negative)
        *number = -*number;
    return 1;
}

/* ---- arrays and objects ---- */

static void append(struct value *to, struct value *element)
{
    if (to->last == NULL)
        to->first = element;
    else
        to->last->next = element;
    to->last = element;
}

static int has_key(const struct value *object, const struct value *element)
{
    const struct value *other;
    for (other = object->first; other != NULL; other = other->next)
        if (other->key_length == element->key_length
            && memcmp(other->key, element->key, element->key_length) == 0)
            return 1;
    return 0;
}

static int parse_element(struct parser *p, struct value *to)
{
    struct value *element;
    char *key = NULL;
    size_t length = 0;
    if (to->kind == OBJECT) {
        skip_space(p);
        if (!accept(p, '"'))
            return wrong(p, "a key expected");
        key = parse_string(p, &length);
        skip_space(p);
        if (key == NULL || !accept(p, ':'))
            return free(key), wrong(p, "a colon expected");
    }
    element = parse_value(p);
    if (element == NULL)
        return free(key), 0;
    element->key = key;
    element->key_length = length;
    if (key != NULL && has_key(to, element))
        return release(element), wrong(p, "a key that was there before");
    append(to, element);
    return 1;
}

static int parse_elements(struct parser *p, struct value *to, int close)
{
    if (++p->depth > MAX_DEPTH)
        return wrong(p, "too deep");
    skip_space(p);
    if (!accept(p, close)) {
        do {
            if (!parse_element(p, to))
                return 0;
            skip_space(p);
        } while (accept(p, ','));
        if (!accept(p, close))
            return wrong(p, "a comma or the end expected");
    }
    p->depth--;
    return 1;
}

static int parse_into(struct parser *p, struct value *value)
{
    switch (peek(p)) {
    case 'n': value->kind = NOTHING; return word(p, "null");
    case 't': value->kind = TRUTH; value->truth = 1; return word(p, "true");
    case 'f': value->kind = TRUTH; return word(p, "false");
    case '"': value->kind = STRING; p->at++; return (value->text = parse_string(p, &value->length)) != NULL;
    case '[': value->kind = ARRAY; p->at++; return parse_elements(p, value, ']');
    case '{': value->kind = OBJECT; p->at++; return parse_elements(p, value, '}');
    default: value->kind = NUMBER; return parse_number(p, &value->number);
    }
}

static struct value *parse_value(struct parser *p)
{
    struct value *value = allocate(sizeof *value);
    skip_space(p);
    if (parse_into(p, value))
        return value;
    release(value);
    return NULL;
}

/* ---- what there is ---- */

struct figures {
    int counts[KINDS], depth;
    uint32_t sum;
};

static void add_text(struct figures *figures, const char *text, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        figures->sum = (figures->sum ^ (unsigned char)text[i]) * 16777619u;
}

static void survey(const struct value *value, int depth, struct figures *figures)
{
    for (; value != NULL; value = value->next) {
        figures->counts[value->kind]++;
        if (depth > figures->depth)
            figures->depth = depth;
        add_text(figures, value->key, value->key_length);
        if (value->kind == STRING)
            add_text(figures, value->text, value->length);
        if (value->kind == NUMBER)
            add_text(figures, (const char *)&value->number, sizeof value->number);
        survey(value->first, depth + 1, figures);
    }
}

static size_t read_all(unsigned char *to, size_t room)
{
    size_t size = 0;
    ssize_t got;
    while (size < room && (got = read(STDIN_FILENO, to + size, room - size)) > 0)
        size += (size_t)got;
    return size;
}

int main(void)
{
    static unsigned char document[MAX_DOCUMENT];
    struct figures figures = {{0}, 0, 2166136261u};
    struct parser p = {document, document, document, NULL, 0};
    struct value *value;
    p.end += read_all(document, sizeof document);
    value = parse_value(&p);
    skip_space(&p);
    if (value == NULL || p.at != p.end) {
        printf("byte %ld: %s\n", (long)(p.at - p.start), value == NULL ? p.fault : "something after the end");
        release(value);
        return 1;
    }
    survey(value, 1, &figures);
    printf("null %d, truth %d, number %d, string %d, array %d, object %d, depth %d, sum %08x\n", figures.counts[NOTHING],
           figures.counts[TRUTH], figures.counts[NUMBER], figures.counts[STRING], figures.counts[ARRAY],
           figures.counts[OBJECT], figures.depth, (unsigned)figures.sum);
    release(value);
    return 0;
}
