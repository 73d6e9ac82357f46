/*
 * cairn-example: replace
 * input: args 5 1, stdin 0-1
 * branches: 74
 * unreachable: 2
 * faults: 1
 * fault: SIGSEGV compile_star
 * strategy: random-branch
 * execs: 5000
 *
 * Replaces every match of a pattern in a line: `replace PATTERN SUBSTITUTE < line`.
 *
 * In the pattern, `?` is any character, `[x]` or `[x-z]` a character of the range, `c*` any number of
 * c, `^` the start of the line (as first character), `$` its end (as last), `@t` a tab, and `@` before
 * anything else takes that as it is. In the substitute, `&` is the text that was matched.
 *
 * The fault: a `*` with nothing before it is taken literally, but after `^` there is nothing to
 * repeat either, and `previous` is still null.
 *
 * Out of reach: the wrong number of arguments, and a line of more than eight characters.
 */
#include <stdio.h>
#include <stdlib.h>

#define MAX_ITEMS 3
#define MAX_LINE 8

enum item_kind { RANGE, LINE_START, LINE_END };

/* A literal is a range of one character. */
struct item {
    enum item_kind kind;
    unsigned char low, high;
    int repeated;
};

struct pattern {
    struct item items[MAX_ITEMS];
    int length;
};

struct line {
    unsigned char text[MAX_LINE];
    int length;
};

static void fail(const char *message)
{
    printf("error: %s\n", message);
    exit(1);
}

/* The character an escape stands for; `*rest` is just behind the `@`. */
static unsigned char escaped(const unsigned char **rest)
{
    unsigned char c = **rest;
    if (c == '\0')
        return '@';
    (*rest)++;
    if (c == 't')
        return '\t';
    return c;
}

static struct item *append(struct pattern *pattern, enum item_kind kind, unsigned char low, unsigned char high)
{
    struct item *item = &pattern->items[pattern->length];
    if (pattern->length == MAX_ITEMS)
        fail("the pattern is too long");
    pattern->length++;
    item->kind = kind;
    item->low = low;
    item->high = high;
    item->repeated = 0;
    return item;
}

static struct item *compile_range(struct pattern *pattern, const unsigned char **rest)
{
    const unsigned char *at = *rest;
    unsigned char low = at[0], high = low;
    if (low == '\0')
        fail("a range is not closed");
    at++;
    if (at[0] == '-') {
        high = at[1];
        if (high < low)
            fail("a range is empty");
        at += 2;
    }
    if (at[0] != ']')
        fail("a range is not closed");
    *rest = at + 1;
    return append(pattern, RANGE, low, high);
}

static struct item *compile_star(struct pattern *pattern, struct item *volatile previous)
{
    if (pattern->length == 0)
        return append(pattern, RANGE, '*', '*');
    previous->repeated = 1;
    return previous;
}

static void compile(struct pattern *pattern, const unsigned char *text)
{
    struct item *previous = NULL;
    pattern->length = 0;
    if (*text == '^') {
        append(pattern, LINE_START, 0, 0);
        text++;
    }
    while (*text != '\0') {
        unsigned char c = *text++;
        switch (c) {
        case '?':
            previous = append(pattern, RANGE, 1, 255);
            break;
        case '[':
            previous = compile_range(pattern, &text);
            break;
        case '*':
            previous = compile_star(pattern, previous);
            break;
        case '$':
            previous = append(pattern, *text == '\0' ? LINE_END : RANGE, c, c);
            break;
        case '@':
            c = escaped(&text);
            /* fall through */
        default:
            previous = append(pattern, RANGE, c, c);
        }
    }
}

static int matches_one(const struct item *item, const struct line *line, int at)
{
    return at < line->length && line->text[at] >= item->low && line->text[at] <= item->high;
}

/* Where a match of the items from `i` on ends that starts at `at`, or -1. */
static int match(const struct pattern *pattern, int i, const struct line *line, int at)
{
    const struct item *item = &pattern->items[i];
    int end, most = at;
    if (i == pattern->length)
        return at;
    if (item->kind == LINE_START)
        return at == 0 ? match(pattern, i + 1, line, at) : -1;
    if (item->kind == LINE_END)
        return at == line->length ? match(pattern, i + 1, line, at) : -1;
    if (!item->repeated)
        return matches_one(item, line, at) ? match(pattern, i + 1, line, at + 1) : -1;
    while (matches_one(item, line, most))
        most++;
    for (; most >= at; most--) {
        end = match(pattern, i + 1, line, most);
        if (end >= 0)
            return end;
    }
    return -1;
}

static void print_range(const struct line *line, int from, int to)
{
    for (; from < to; from++)
        putchar(line->text[from]);
}

static void print_substitute(const unsigned char *substitute, const struct line *line, int from, int to)
{
    while (*substitute != '\0') {
        unsigned char c = *substitute++;
        if (c == '&') {
            print_range(line, from, to);
        } else {
            if (c == '@')
                c = escaped(&substitute);
            putchar(c);
        }
    }
}

static void replace_all(const struct pattern *pattern, const unsigned char *substitute, const struct line *line)
{
    int at = 0;
    while (at <= line->length) {
        int end = match(pattern, 0, line, at);
        if (end >= 0)
            print_substitute(substitute, line, at, end);
        if (end > at) {
            at = end;
        } else {
            print_range(line, at, at < line->length ? at + 1 : at);
            at++;
        }
    }
    putchar('\n');
}

static void read_line(struct line *line)
{
    int c;
    line->length = 0;
    while (line->length < MAX_LINE && (c = getchar()) != EOF && c != '\n')
        line->text[line->length++] = (unsigned char)c;
}

int main(int argc, char **argv)
{
    struct pattern pattern;
    struct line line;
    if (argc != 3)
        fail("usage: replace PATTERN SUBSTITUTE");
    compile(&pattern, (const unsigned char *)argv[1]);
    read_line(&line);
    replace_all(&pattern, (const unsigned char *)argv[2], &line);
    return 0;
}
