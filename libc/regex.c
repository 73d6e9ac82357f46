/* regcomp, regexec, re_compile_pattern, re_search and variants */
#include "regex.h"
#include <stdlib.h>
#include <string.h>

/* Parsed patterns, by the library's compiled object. */
struct known {
    const void *compiled;
    struct pattern pattern;
    struct known *next;
};
static struct known *all;

/* Drops a pattern that the library frees or recompiles. */
static void forget(const regex_t *regex)
{
    struct known **at = &all, *found;
    while (*at && (*at)->compiled != regex->buffer)
        at = &(*at)->next;
    found = *at;
    if (!found || !regex->buffer)
        return;
    *at = found->next;
    free(found);
}

static struct known *find(const regex_t *regex)
{
    struct known *known = all;
    while (known && known->compiled != regex->buffer)
        known = known->next;
    return known;
}

/* True if the model supports the characters: those of the C locale, or ASCII. */
static int knows_characters(const char *text, size_t size)
{
    size_t i;
    if (!__cairn_m_plain_characters() || !__cairn_m_plain_order())
        return 0;
    for (i = 0; MB_CUR_MAX > 1 && i < size; i++)
        if ((unsigned char)text[i] > 127)
            return 0;
    return 1;
}

/* Parses the pattern that the library has compiled with this result, to have the result in the path. */
static void explain(const regex_t *regex, const char *text, size_t length, reg_syntax_t syntax, int error)
{
    struct known *known = malloc(sizeof *known);
    int is_explained;
    /* Memory of a pattern that was freed without an intercepted call may be in use again. */
    forget(regex);
    if (!known) {
        __cairn_lost_input(text, length);
        return;
    }
    __cairn_clear(known, sizeof *known);
    is_explained = !regex->translate && length <= MAX_NODES && knows_characters(text, length);
    if (is_explained) {
        __cairn_m_parse_regex(&known->pattern, text, length, syntax);
        is_explained = !known->pattern.unsupported && known->pattern.error == error;
    }
    if (!is_explained)
        __cairn_lost_input(text, length);
    if (!is_explained || error != 0) {
        free(known);
        return;
    }
    known->compiled = regex->buffer;
    known->next = all;
    all = known;
}

int MODEL(regcomp)(regex_t *regex, const char *text, int flags)
{
    reg_syntax_t syntax;
    int error;
    flags = (int)__cairn_concretized((size_t)flags);
    error = regcomp(regex, text, flags);
    if (!__cairn_tracing())
        return error;
    syntax = flags & REG_EXTENDED ? RE_SYNTAX_POSIX_EXTENDED : RE_SYNTAX_POSIX_BASIC;
    if (flags & REG_ICASE)
        syntax |= RE_ICASE;
    if (flags & REG_NEWLINE)
        syntax = (syntax & ~RE_DOT_NEWLINE) | RE_HAT_LISTS_NOT_NEWLINE;
    explain(regex, text, __cairn_m_length(text, NO_LIMIT), syntax, error);
    return error;
}

/* Returns the error number for an error message of the library. */
static int number_of(const char *message)
{
    char text[128];
    int error;
    if (!message)
        return 0;
    for (error = REG_BADPAT; error <= REG_ERPAREN; error++) {
        regerror(error, NULL, text, sizeof text);
        if (strcmp(text, message) == 0)
            return error;
    }
    return -1;
}

const char *MODEL(re_compile_pattern)(const char *text, size_t length, struct re_pattern_buffer *regex)
{
    const char *message;
    length = __cairn_concretized(length);
    if (!__cairn_tracing())
        return re_compile_pattern(text, length, regex);
    forget(regex);
    message = re_compile_pattern(text, length, regex);
    explain(regex, text, length, re_syntax_options, number_of(message));
    return message;
}

void MODEL(regfree)(regex_t *regex)
{
    forget(regex);
    regfree(regex);
}

#define UNKNOWN (-3)

/* Result of the library: -1 for no match, UNKNOWN for what it does not return. */
struct answer {
    int start, length;
};

static int agrees(struct cairn_match match, struct answer answer)
{
    if (!match.known || (match.start < 0) != (answer.start == -1))
        return 0;
    return match.start < 0
           || ((answer.start == UNKNOWN || match.start == answer.start)
               && (answer.length == UNKNOWN || match.length == answer.length));
}

/* Runs a pattern over the text that the library has searched, to have its result in the path. */
static void explain_match(const regex_t *regex, const struct subject *subject, int first, int last,
                          struct answer answer)
{
    struct known *known = find(regex);
    struct cairn_match match = {-1, 0, 0};
    size_t size = (size_t)subject->length;
    if (!symbolic(subject->text, size) && !(known && symbolic(&known->pattern, sizeof known->pattern)))
        return;
    if (known && !known->pattern.is_only_parsed && knows_characters(subject->text, size))
        match = __cairn_m_match_regex(&known->pattern, subject, first, last);
    if (agrees(match, answer))
        return;
    __cairn_lost_input(subject->text, size);
    if (known)
        __cairn_lost_input(&known->pattern, sizeof known->pattern);
}

int MODEL(regexec)(const regex_t *regex, const char *text, size_t count, regmatch_t groups[], int flags)
{
    int first = 0, length = 0, error;
    struct answer answer = {-1, UNKNOWN};
    struct subject subject;
    count = regex->no_sub ? 0 : __cairn_concretized(count);
    flags = (int)__cairn_concretized((size_t)flags);
    if (flags & REG_STARTEND) {
        first = (int)__cairn_concretized((size_t)groups[0].rm_so);
        length = (int)__cairn_concretized((size_t)groups[0].rm_eo);
    }
    error = regexec(regex, text, count, groups, flags);
    if (!__cairn_tracing())
        return error;
    if (!(flags & REG_STARTEND))
        length = (int)__cairn_concretized(__cairn_m_length(text, NO_LIMIT));
    if (first < 0 || first > length)
        return error;
    if (error == 0) {
        __cairn_clear(groups, count * sizeof *groups);
        answer.start = count > 0 ? groups[0].rm_so : UNKNOWN;
        answer.length = count > 0 ? groups[0].rm_eo - groups[0].rm_so : UNKNOWN;
    }
    subject = (struct subject){text, length, flags & REG_NOTBOL, flags & REG_NOTEOL, regex->newline_anchor};
    explain_match(regex, &subject, first, length, answer);
    return error;
}

regoff_t MODEL(re_search)(struct re_pattern_buffer *regex, const char *text, regoff_t length, regoff_t start,
                          regoff_t range, struct re_registers *groups)
{
    struct subject subject;
    regoff_t answer, last;
    length = (regoff_t)__cairn_concretized((size_t)length);
    start = (regoff_t)__cairn_concretized((size_t)start);
    range = (regoff_t)__cairn_concretized((size_t)range);
    answer = re_search(regex, text, length, start, range, groups);
    if (!__cairn_tracing() || start < 0 || start > length)
        return answer;
    if (range < 0) {
        __cairn_lost_input(text, (size_t)length);
        return answer;
    }
    last = range > length - start ? length : start + range;
    subject = (struct subject){text, length, regex->not_bol, regex->not_eol, regex->newline_anchor};
    explain_match(regex, &subject, start, last, (struct answer){answer, UNKNOWN});
    return answer;
}

regoff_t MODEL(re_match)(struct re_pattern_buffer *regex, const char *text, regoff_t length, regoff_t start,
                         struct re_registers *groups)
{
    struct subject subject;
    regoff_t answer;
    length = (regoff_t)__cairn_concretized((size_t)length);
    start = (regoff_t)__cairn_concretized((size_t)start);
    answer = re_match(regex, text, length, start, groups);
    if (!__cairn_tracing() || start < 0 || start > length)
        return answer;
    subject = (struct subject){text, length, regex->not_bol, regex->not_eol, regex->newline_anchor};
    explain_match(regex, &subject, start, start,
                  (struct answer){answer < 0 ? answer : start, answer < 0 ? UNKNOWN : answer});
    return answer;
}
