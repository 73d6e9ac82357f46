/* Regular expressions: errors and matches of random patterns, in all syntaxes that the C library has. */
#include "../../../../../libc/regex.h"
#include "differential.h"

static const char *const PARTS[] = {
    "a",  "b",   "ab",  "\\(", "\\)", "(",     ")",     "*",   "+",   "?",   "\\+", "\\?",  "{",   "}",    "\\{", "\\}",
    "1",  "2",   ",",   "{1}", "{2,}", "\\{1,2\\}", "{,2}", "|",   "\\|", "^",   "$",   ".",    "[",   "]",    "[^", "[a-b]",
    "-",  "[:alpha:]", "[[:digit:]]", "[:", ":]", "[=a=]", "[[.-.]]", "[.", "\\",  "\\w", "\\W",  "\\s", "\\b", "\\<", "\\>",
    "\\B", "\\`", "\\'", "\n",  "A",   "[b-a]", "[]a]",  "[a-]", "[a\\]", "\\.", "_", " ", "[[:upper:]b]", "---", "\\1",
};

static const reg_syntax_t SYNTAXES[] = {
    RE_SYNTAX_POSIX_BASIC, RE_SYNTAX_POSIX_EXTENDED, RE_SYNTAX_EMACS,        RE_SYNTAX_AWK,
    RE_SYNTAX_GNU_AWK,     RE_SYNTAX_POSIX_AWK,      RE_SYNTAX_GREP,         RE_SYNTAX_EGREP,
    RE_SYNTAX_POSIX_EGREP, RE_SYNTAX_POSIX_MINIMAL_BASIC, RE_SYNTAX_POSIX_MINIMAL_EXTENDED,
};

static int error_of(const char *message)
{
    char text[128];
    int error;
    for (error = REG_BADPAT; message && error <= REG_ERPAREN; error++) {
        regerror(error, NULL, text, sizeof text);
        if (strcmp(text, message) == 0)
            return error;
    }
    return 0;
}

static void check_matches(struct pattern *pattern, struct re_pattern_buffer *regex, const char *source)
{
    int n;
    for (n = 0; n < 4; n++) {
        const char *subject = text(1, 7, "abA1 _\n-");
        int length = (int)strlen(subject), first = (int)chance((unsigned)length + 1);
        struct subject s = {subject, length, chance(2), chance(2), regex->newline_anchor};
        struct cairn_match match;
        regoff_t start, whole;
        regex->not_bol = s.not_line_start != 0;
        regex->not_eol = s.not_line_end != 0;
        start = re_search(regex, subject, length, first, length - first, NULL);
        match = __cairn_m_match_regex(pattern, &s, first, length);
        if (!match.known)
            return;
        EXPECT(match.start == start, "'%s' (%lx) on '%s' from %d: %d, not %d", source, pattern->syntax, subject, first,
               match.start, start);
        whole = start < 0 ? -1 : re_match(regex, subject, length, start, NULL);
        EXPECT(start < 0 || match.length == whole, "'%s' (%lx) on '%s' from %d: length %d, not %d", source,
               pattern->syntax, subject, first, match.length, whole);
    }
}

void check_regex(void)
{
    static struct pattern pattern;
    struct re_pattern_buffer regex = {0};
    const char *source = joined(0, 7, PARTS, sizeof PARTS / sizeof *PARTS), *message;
    re_syntax_options = ONE_OF(SYNTAXES) | (chance(4) == 0 ? RE_ICASE : 0) | (chance(4) == 0 ? RE_NEWLINE_ALT : 0);
    message = re_compile_pattern(source, strlen(source), &regex);
    __cairn_m_parse_regex(&pattern, source, strlen(source), re_syntax_options);
    EXPECT(pattern.unsupported || pattern.error == error_of(message), "'%s' (%lx): %d, not %s", source,
           re_syntax_options, pattern.error, message ? message : "no error");
    if (!message && !pattern.unsupported && !pattern.is_only_parsed)
        check_matches(&pattern, &regex, source);
    if (!message)
        regfree(&regex);
}
