/*
 * fnmatch
 *
 * One branch per pair of characters, none for the members of a bracket. For multibyte characters and ksh patterns the
 * library is called.
 */
#include "model.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_FLAGS (FNM_PATHNAME | FNM_NOESCAPE | FNM_PERIOD | FNM_CASEFOLD | FNM_LEADING_DIR)

/* State of a call. */
struct match {
    const char *text;
    int flags;
};

/* Returns a character as it is compared. */
static int folded(const struct match *match, char c)
{
    unsigned char byte = (unsigned char)c;
    return match->flags & FNM_CASEFOLD ? (int)TO_LOWER(byte) : byte;
}

/* True if the text has a period that only a period of the pattern matches. */
static int is_hidden(const struct match *match, const char *at)
{
    if (!(match->flags & FNM_PERIOD) || *at != '.')
        return 0;
    return at == match->text || ((match->flags & FNM_PATHNAME) && at[-1] == '/');
}

static int is_separator(const struct match *match, char c)
{
    return (match->flags & FNM_PATHNAME) && c == '/';
}

/* A class such as `[:alpha:]`. */
struct class {
    const char *name;
    int (*contains)(int c);
};

#define CLASS(name) int __cairn_w_is##name(int c);
CLASS(alnum) CLASS(alpha) CLASS(blank) CLASS(cntrl) CLASS(digit) CLASS(graph)
CLASS(lower) CLASS(print) CLASS(punct) CLASS(space) CLASS(upper) CLASS(xdigit)
#undef CLASS
#define CLASS(name) {#name ":]", __cairn_w_is##name}

static const struct class CLASSES[] = {
    CLASS(alnum), CLASS(alpha), CLASS(blank), CLASS(cntrl), CLASS(digit), CLASS(graph),
    CLASS(lower), CLASS(print), CLASS(punct), CLASS(space), CLASS(upper), CLASS(xdigit),
};

static int starts_with(const char *text, const char *start)
{
    for (; *start != '\0'; text++, start++)
        if (*text != *start)
            return 0;
    return 1;
}

/* A bracket expression being parsed. */
struct bracket {
    const char *at;
    /* True if the character is a member so far. */
    int found;
    /* True if it has a construct that is not supported. */
    int strange;
};

/* Parses a class behind `[:`. */
static void read_class(struct bracket *bracket, int c)
{
    size_t i;
    for (i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
        if (starts_with(bracket->at, CLASSES[i].name)) {
            bracket->found |= CLASSES[i].contains(c) != 0;
            bracket->at += strlen(CLASSES[i].name);
            return;
        }
    }
    bracket->strange = 1;
}

/* Parses a character, which may be quoted; NUL if there is none. */
static char read_member(const struct match *match, struct bracket *bracket)
{
    if (*bracket->at == '\\' && !(match->flags & FNM_NOESCAPE))
        bracket->at++;
    return *bracket->at == '\0' ? '\0' : *bracket->at++;
}

/* Parses a character or a range. */
static void read_range(const struct match *match, struct bracket *bracket, int c)
{
    char low = read_member(match, bracket), high = low;
    int from, to;
    if (low != '\0' && *bracket->at == '-' && bracket->at[1] != '\0' && bracket->at[1] != ']') {
        bracket->at++;
        if (bracket->at[0] == '[')
            bracket->strange = 1;
        high = read_member(match, bracket);
    }
    from = folded(match, low);
    to = folded(match, high);
    bracket->found |= (int)(from <= c) & (int)(c <= to);
}

/* Parses the bracket expression behind `at[0]`; its end is NULL if it is unterminated. */
static struct bracket read_bracket(const struct match *match, const char *at, char c)
{
    struct bracket bracket = {at + 1, 0, 0};
    int inverted = *bracket.at == '!' || *bracket.at == '^';
    const char *first;
    bracket.at += inverted;
    for (first = bracket.at; *bracket.at != ']' || bracket.at == first;) {
        if (*bracket.at == '\0' || bracket.strange) {
            bracket.at = NULL;
            return bracket;
        }
        if (bracket.at[0] == '[' && bracket.at[1] == ':') {
            bracket.at += 2;
            read_class(&bracket, (unsigned char)c);
        } else if (bracket.at[0] == '[' && (bracket.at[1] == '=' || bracket.at[1] == '.')) {
            bracket.strange = 1;
        } else {
            read_range(match, &bracket, folded(match, c));
        }
    }
    bracket.at++;
    bracket.found ^= inverted;
    return bracket;
}

enum answer { YES, NO, DO_NOT_KNOW };

static enum answer matches(const struct match *match, const char *pattern, const char *text);

/* Result of a star at the end of a pattern. */
static enum answer last_star(const struct match *match, const char *text)
{
    if (!(match->flags & FNM_PATHNAME) || (match->flags & FNM_LEADING_DIR))
        return YES;
    for (; *text != '\0'; text++)
        if (*text == '/')
            return NO;
    return YES;
}

static enum answer after_star(const struct match *match, const char *pattern, const char *text)
{
    if (is_hidden(match, text))
        return NO;
    while (*pattern == '*')
        pattern++;
    if (*pattern == '\0')
        return last_star(match, text);
    for (;; text++) {
        enum answer answer = matches(match, pattern, text);
        if (answer != NO || *text == '\0' || is_separator(match, *text))
            return answer;
    }
}

/* Matches one character of the text with the start of the pattern, which is advanced. */
static enum answer matches_one(const struct match *match, const char **pattern, const char *text)
{
    const char *at = *pattern;
    char c = *at;
    if (c == '?') {
        ++*pattern;
        return *text == '\0' || is_separator(match, *text) || is_hidden(match, text) ? NO : YES;
    }
    if (c == '[') {
        struct bracket bracket;
        if (*text == '\0')
            return NO;
        bracket = read_bracket(match, at, *text);
        if (bracket.strange)
            return DO_NOT_KNOW;
        if (bracket.at != NULL) {
            *pattern = bracket.at;
            return is_hidden(match, text) || is_separator(match, *text) || !bracket.found ? NO : YES;
        }
    }
    if (c == '\\' && !(match->flags & FNM_NOESCAPE)) {
        c = at[1];
        *pattern += c != '\0';
    }
    ++*pattern;
    return *text != '\0' && c != '\0' && folded(match, c) == folded(match, *text) ? YES : NO;
}

static enum answer matches(const struct match *match, const char *pattern, const char *text)
{
    while (*pattern != '\0') {
        enum answer answer;
        if (*pattern == '*')
            return after_star(match, pattern + 1, text);
        answer = matches_one(match, &pattern, text++);
        if (answer != YES)
            return answer;
    }
    return *text == '\0' || ((match->flags & FNM_LEADING_DIR) && *text == '/') ? YES : NO;
}

/* True if every byte is a character. */
static int is_ascii(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text > 127)
            return 0;
    return 1;
}

static int is_concrete(const char *pattern, const char *text)
{
    return !symbolic_value(pattern) && !symbolic_value(text) && !symbolic(pattern, strlen(pattern) + 1)
           && !symbolic(text, strlen(text) + 1);
}

/* Returns the library's result, which holds for just these strings: they are concretized. */
static int leave_alone(const char *pattern, const char *text, int answer)
{
    __cairn_m_concretize(pattern, strlen(pattern) + 1);
    __cairn_m_concretize(text, strlen(text) + 1);
    return answer;
}

int MODEL(fnmatch)(const char *pattern, const char *text, int flags)
{
    struct match match = {text, flags};
    int answer = fnmatch(pattern, text, flags);
    if (!__cairn_tracing() || is_concrete(pattern, text) || (flags & ~KNOWN_FLAGS) != 0 || !__cairn_m_plain_characters()
        || !__cairn_m_plain_order())
        return answer;
    if (MB_CUR_MAX > 1 && (!is_ascii(pattern) || !is_ascii(text)))
        return leave_alone(pattern, text, answer);
    switch (matches(&match, pattern, text)) {
    case YES:
        return 0;
    case NO:
        return FNM_NOMATCH;
    default:
        return leave_alone(pattern, text, answer);
    }
}
