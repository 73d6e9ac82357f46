/* Parser of the patterns of regcomp and re_compile_pattern, with the errors that glibc finds in them. */
#include "regex.h"
#include <string.h>

#define NO_NUMBER (-1)
#define BAD_NUMBER (-2)
#define MOST_DEPTH 64
/* Maximum length of the name of a class or collating symbol, with its end. */
#define NAME_ROOM 32

enum token_kind {
    CHARACTER,
    END,
    TRAILING_BACKSLASH,
    ALTERNATIVE,
    OPEN_GROUP,
    CLOSE_GROUP,
    OPEN_BRACKET,
    PERIOD,
    STAR,
    PLUS,
    QUESTION,
    OPEN_COUNT,
    CLOSE_COUNT,
    BACK_REFERENCE,
    CLASS_ESCAPE,
    ANCHOR,
    /* within brackets */
    NEGATION,
    CLOSE_BRACKET,
    RANGE,
    OPEN_SYMBOL
};

struct token {
    enum token_kind kind;
    unsigned char c;
    enum assertion assertion;
    int length;
};

struct parser {
    struct pattern *pattern;
    const char *text;
    int length, at;
    reg_syntax_t syntax;
    struct token token;
    int groups, complete_groups; /* opened, and a bit for each of the first nine that was closed */
};

static int fail(struct parser *p, int error)
{
    if (p->pattern->error == 0)
        p->pattern->error = error;
    return 0;
}

static int has_failed(const struct parser *p)
{
    return p->pattern->error != 0 || p->pattern->unsupported;
}

static unsigned char raw(const struct parser *p, int index)
{
    return (unsigned char)p->text[index];
}

/* Returns a byte as the library compares it: in upper case if case is ignored. */
static unsigned char byte(const struct parser *p, int index)
{
    unsigned char c = raw(p, index);
    return p->syntax & RE_ICASE ? (unsigned char)TO_UPPER(c) : c;
}

static int new_node(struct parser *p, enum node_kind kind)
{
    struct pattern *pattern = p->pattern;
    if (pattern->nodes_used == MAX_NODES) {
        pattern->unsupported = 1;
        return 0;
    }
    __builtin_memset(&pattern->nodes[pattern->nodes_used], 0, sizeof(struct node));
    pattern->nodes[pattern->nodes_used].kind = kind;
    return pattern->nodes_used++;
}

static int pair(struct parser *p, enum node_kind kind, int left, int right)
{
    int node = new_node(p, kind);
    p->pattern->nodes[node].left = left;
    p->pattern->nodes[node].right = right;
    return node;
}

static int literal(struct parser *p, unsigned char c)
{
    int node = new_node(p, LITERAL);
    p->pattern->nodes[node].literal = c;
    return node;
}

static void add_item(struct parser *p, const char *class, unsigned char low, unsigned char high)
{
    struct pattern *pattern = p->pattern;
    if (pattern->items_used == MAX_ITEMS) {
        pattern->unsupported = 1;
        return;
    }
    pattern->items[pattern->items_used++] = (struct item){class, low, high};
}

/* Tokens outside of brackets. */

static enum token_kind if_set(int condition, enum token_kind kind)
{
    return condition ? kind : CHARACTER;
}

static void escaped(struct parser *p, struct token *token, unsigned char c)
{
    reg_syntax_t s = p->syntax;
    int gnu = !(s & RE_NO_GNU_OPS);
    static const char anchors[] = "`'<>bB";
    static const enum assertion assertions[] = {TEXT_START, TEXT_END, WORD_START, WORD_END, WORD_EDGE, NO_WORD_EDGE};
    int i;
    token->c = c;
    for (i = 0; gnu && anchors[i] != '\0'; i++)
        if (c == (unsigned char)anchors[i]) {
            token->kind = ANCHOR;
            token->assertion = assertions[i];
            return;
        }
    switch (c) {
    case '|': token->kind = if_set(!(s & RE_LIMITED_OPS) && !(s & RE_NO_BK_VBAR), ALTERNATIVE); break;
    case '(': token->kind = if_set(!(s & RE_NO_BK_PARENS), OPEN_GROUP); break;
    case ')': token->kind = if_set(!(s & RE_NO_BK_PARENS), CLOSE_GROUP); break;
    case '+': token->kind = if_set(!(s & RE_LIMITED_OPS) && (s & RE_BK_PLUS_QM), PLUS); break;
    case '?': token->kind = if_set(!(s & RE_LIMITED_OPS) && (s & RE_BK_PLUS_QM), QUESTION); break;
    case '{': token->kind = if_set((s & RE_INTERVALS) && !(s & RE_NO_BK_BRACES), OPEN_COUNT); break;
    case '}': token->kind = if_set((s & RE_INTERVALS) && !(s & RE_NO_BK_BRACES), CLOSE_COUNT); break;
    case 'w': case 'W': case 's': case 'S': token->kind = if_set(gnu, CLASS_ESCAPE); break;
    default:
        if (IN_RANGE(c, '1', '9'))
            token->kind = if_set(!(s & RE_NO_BK_REFS), BACK_REFERENCE);
    }
}

static struct token peek(struct parser *p, int at, reg_syntax_t more);

/* A caret is an anchor at the beginning of a pattern, group or alternative, or wherever the syntax says so. */
static int is_line_start(struct parser *p, int at, reg_syntax_t s)
{
    if ((s & (RE_CONTEXT_INDEP_ANCHORS | RE_CARET_ANCHORS_HERE)) || at == 0)
        return 1;
    return (s & RE_NEWLINE_ALT) && raw(p, at - 1) == '\n';
}

static int is_line_end(struct parser *p, int at, reg_syntax_t s)
{
    struct token next;
    if ((s & RE_CONTEXT_INDEP_ANCHORS) || at + 1 == p->length)
        return 1;
    next = peek(p, at + 1, s);
    return next.kind == ALTERNATIVE || next.kind == CLOSE_GROUP;
}

static void anchor(struct token *token, int is_anchor, enum assertion assertion)
{
    token->kind = if_set(is_anchor, ANCHOR);
    token->assertion = assertion;
}

static void plain(struct parser *p, struct token *token, int at, reg_syntax_t s)
{
    switch (token->c) {
    case '\n': token->kind = if_set(s & RE_NEWLINE_ALT ? 1 : 0, ALTERNATIVE); break;
    case '|': token->kind = if_set(!(s & RE_LIMITED_OPS) && (s & RE_NO_BK_VBAR), ALTERNATIVE); break;
    case '*': token->kind = STAR; break;
    case '+': token->kind = if_set(!(s & RE_LIMITED_OPS) && !(s & RE_BK_PLUS_QM), PLUS); break;
    case '?': token->kind = if_set(!(s & RE_LIMITED_OPS) && !(s & RE_BK_PLUS_QM), QUESTION); break;
    case '{': token->kind = if_set((s & RE_INTERVALS) && (s & RE_NO_BK_BRACES), OPEN_COUNT); break;
    case '}': token->kind = if_set((s & RE_INTERVALS) && (s & RE_NO_BK_BRACES), CLOSE_COUNT); break;
    case '(': token->kind = if_set(s & RE_NO_BK_PARENS ? 1 : 0, OPEN_GROUP); break;
    case ')': token->kind = if_set(s & RE_NO_BK_PARENS ? 1 : 0, CLOSE_GROUP); break;
    case '[': token->kind = OPEN_BRACKET; break;
    case '.': token->kind = PERIOD; break;
    case '^': anchor(token, is_line_start(p, at, s), LINE_START); break;
    case '$': anchor(token, is_line_end(p, at, s), LINE_END); break;
    }
}

static struct token peek(struct parser *p, int at, reg_syntax_t s)
{
    struct token token = {END, 0, LINE_START, 0};
    if (at >= p->length)
        return token;
    token.kind = CHARACTER;
    token.length = 1;
    token.c = byte(p, at);
    if (token.c != '\\') {
        plain(p, &token, at, s);
        return token;
    }
    if (at + 1 >= p->length) {
        token.kind = TRAILING_BACKSLASH;
        return token;
    }
    token.length = 2;
    escaped(p, &token, raw(p, at + 1));
    return token;
}

static void fetch(struct parser *p, reg_syntax_t more)
{
    p->token = peek(p, p->at, p->syntax | more);
    p->at += p->token.length;
}

/* Brackets. */

static struct token peek_in_brackets(struct parser *p)
{
    struct token token = {END, 0, LINE_START, 0};
    int at = p->at;
    if (at >= p->length)
        return token;
    token = (struct token){CHARACTER, byte(p, at), LINE_START, 1};
    if (token.c == '\\' && (p->syntax & RE_BACKSLASH_ESCAPE_IN_LISTS) && at + 1 < p->length) {
        token.c = byte(p, at + 1);
        token.length = 2;
    } else if (token.c == '[' && at + 1 < p->length) {
        unsigned char next = raw(p, at + 1);
        if (next == '.' || next == '=' || (next == ':' && (p->syntax & RE_CHAR_CLASSES))) {
            token.kind = OPEN_SYMBOL;
            token.c = next;
            token.length = 2;
        }
    } else if (token.c == '-') {
        token.kind = RANGE;
    } else if (token.c == ']') {
        token.kind = CLOSE_BRACKET;
    } else if (token.c == '^') {
        token.kind = NEGATION;
    }
    return token;
}

/* An element of a set: a character, a class, an equivalence class or a collating symbol. */
struct element {
    unsigned char kind; /* 0, or the character that opens a symbol: : = . */
    unsigned char c;    /* first character of the name */
    int name_length;
    char name[NAME_ROOM];
};

static void read_symbol(struct parser *p, struct element *element, unsigned char delimiter)
{
    int i;
    element->kind = delimiter;
    if (p->at >= p->length) {
        fail(p, REG_EBRACK);
        return;
    }
    for (i = 0;; i++) {
        unsigned char c;
        if (i >= NAME_ROOM) {
            fail(p, REG_EBRACK);
            return;
        }
        c = delimiter == ':' ? raw(p, p->at) : byte(p, p->at);
        p->at++;
        if (p->at >= p->length) {
            fail(p, REG_EBRACK);
            return;
        }
        if (c == delimiter && raw(p, p->at) == ']')
            break;
        element->name[i] = (char)c;
    }
    p->at++;
    element->name_length = i;
    element->c = (unsigned char)element->name[0];
}

static void read_element(struct parser *p, struct element *element, const struct token *token, int accepts_hyphen)
{
    element->kind = 0;
    element->name_length = 1;
    element->c = token->c;
    p->at += token->length;
    if (token->kind == OPEN_SYMBOL)
        read_symbol(p, element, token->c);
    else if (token->kind == RANGE && !accepts_hyphen && peek_in_brackets(p).kind != CLOSE_BRACKET)
        fail(p, REG_ERANGE);
}

static const char *class_called(const char *name, int length)
{
    static const char *const classes[] = {"alpha", "digit", "alnum", "upper", "lower", "punct",
                                          "space", "blank", "cntrl", "graph", "print", "xdigit"};
    size_t i;
    for (i = 0; i < sizeof classes / sizeof *classes; i++) {
        int differs = (int)strlen(classes[i]) != length, at;
        for (at = 0; at < length && !differs; at++)
            if (name[at] != classes[i][at])
                differs = 1;
        if (!differs)
            return classes[i];
    }
    return NULL;
}

static void add_range(struct parser *p, const struct element *from, const struct element *to)
{
    if (from->kind == ':' || from->kind == '=' || to->kind == ':' || to->kind == '=')
        fail(p, REG_ERANGE);
    else if (from->name_length != 1 || to->name_length != 1)
        fail(p, REG_ECOLLATE);
    else if (from->c <= to->c)
        add_item(p, NULL, from->c, to->c);
    else if (p->syntax & RE_NO_EMPTY_RANGES)
        fail(p, REG_ERANGE);
}

static void add_element(struct parser *p, const struct element *element)
{
    const char *class = NULL;
    if (element->kind == ':') {
        class = class_called(element->name, element->name_length);
        if (class)
            add_item(p, class, 0, 0);
        else
            fail(p, REG_ECTYPE);
    } else if (element->name_length != 1) {
        fail(p, REG_ECOLLATE);
    } else {
        add_item(p, NULL, element->c, element->c);
    }
}

/* Parses one element or range; leaves the token after it in `token`. */
static void read_set_part(struct parser *p, struct token *token, int is_first)
{
    struct element from, to;
    int is_range = 0;
    struct token end;
    read_element(p, &from, token, is_first);
    if (has_failed(p))
        return;
    *token = peek_in_brackets(p);
    if (from.kind != ':' && from.kind != '=') {
        if (token->kind == END) {
            fail(p, REG_EBRACK);
            return;
        }
        if (token->kind == RANGE) {
            p->at += token->length;
            end = peek_in_brackets(p);
            if (end.kind == END) {
                fail(p, REG_EBRACK);
                return;
            }
            if (end.kind == CLOSE_BRACKET) {
                p->at -= token->length;
                token->kind = CHARACTER;
            } else {
                is_range = 1;
            }
        }
    }
    if (is_range) {
        read_element(p, &to, &end, 1);
        if (has_failed(p))
            return;
        *token = peek_in_brackets(p);
        add_range(p, &from, &to);
    } else {
        add_element(p, &from);
    }
    if (token->kind == END)
        fail(p, REG_EBRACK);
}

static int brackets(struct parser *p)
{
    struct token token = peek_in_brackets(p);
    int set = new_node(p, SET), is_first = 1;
    struct node *node = &p->pattern->nodes[set];
    node->first_item = p->pattern->items_used;
    if (token.kind == NEGATION) {
        node->negated = 1;
        node->excludes_newline = (p->syntax & RE_HAT_LISTS_NOT_NEWLINE) != 0;
        p->at += token.length;
        token = peek_in_brackets(p);
    }
    if (token.kind == END)
        return fail(p, REG_BADPAT);
    if (token.kind == CLOSE_BRACKET)
        token.kind = CHARACTER;
    do {
        read_set_part(p, &token, is_first);
        is_first = 0;
    } while (!has_failed(p) && token.kind != CLOSE_BRACKET);
    p->at += token.length;
    node->last_item = p->pattern->items_used;
    return set;
}

/* \w, \s and their opposites. */
static int class_escape(struct parser *p, unsigned char c)
{
    int set = new_node(p, SET), is_word = c == 'w' || c == 'W';
    p->pattern->nodes[set].first_item = p->pattern->items_used;
    p->pattern->nodes[set].negated = c == 'W' || c == 'S';
    add_item(p, is_word ? "alnum" : "space", 0, 0);
    if (is_word)
        add_item(p, NULL, '_', '_');
    p->pattern->nodes[set].last_item = p->pattern->items_used;
    return set;
}

/* The grammar. Functions leave the token after the parsed text in p->token. */

static int alternatives(struct parser *p, int nest);

static int group(struct parser *p, int nest)
{
    int tree = 0, number = p->groups++;
    if (nest > MOST_DEPTH) {
        p->pattern->unsupported = 1;
        return 0;
    }
    fetch(p, RE_CARET_ANCHORS_HERE);
    if (p->token.kind != CLOSE_GROUP)
        tree = alternatives(p, nest);
    if (!has_failed(p) && p->token.kind != CLOSE_GROUP)
        return fail(p, REG_EPAREN);
    if (number < 9)
        p->complete_groups |= 1 << number;
    return tree;
}

static int number(struct parser *p)
{
    int number = NO_NUMBER;
    for (;;) {
        fetch(p, 0);
        if (p->token.kind == END)
            return BAD_NUMBER;
        if (p->token.kind == CLOSE_COUNT || p->token.c == ',')
            return number;
        if (p->token.kind != CHARACTER || !IN_RANGE(p->token.c, '0', '9') || number == BAD_NUMBER)
            number = BAD_NUMBER;
        else
            number = (number == NO_NUMBER ? 0 : number * 10) + (p->token.c - '0');
        if (number > RE_DUP_MAX + 1)
            number = RE_DUP_MAX + 1;
    }
}

/* Parses the bounds of an interval; 0 if it counts as ordinary characters, or is wrong. */
static int interval(struct parser *p, int *min, int *max)
{
    int start_at = p->at, start = number(p), end = 0;
    struct token opened = {CHARACTER, '{', LINE_START, 0};
    if (start == NO_NUMBER) {
        if (p->token.kind != CHARACTER || p->token.c != ',')
            return fail(p, REG_BADBR);
        start = 0;
    }
    if (start != BAD_NUMBER) {
        if (p->token.kind == CLOSE_COUNT)
            end = start;
        else
            end = p->token.kind == CHARACTER && p->token.c == ',' ? number(p) : BAD_NUMBER;
    }
    if (start == BAD_NUMBER || end == BAD_NUMBER) {
        if (!(p->syntax & RE_INVALID_INTERVAL_ORD))
            return fail(p, p->token.kind == END ? REG_EBRACE : REG_BADBR);
        p->at = start_at;
        p->token = opened;
        return 0;
    }
    if ((end != NO_NUMBER && start > end) || p->token.kind != CLOSE_COUNT)
        return fail(p, REG_BADBR);
    if ((end == NO_NUMBER ? start : end) > RE_DUP_MAX)
        return fail(p, REG_ESIZE);
    *min = start;
    *max = end == NO_NUMBER ? UNLIMITED : end;
    return 1;
}

static int is_repetition(enum token_kind kind)
{
    return kind == STAR || kind == PLUS || kind == QUESTION || kind == OPEN_COUNT;
}

static int repetition(struct parser *p, int tree)
{
    int min = p->token.kind == PLUS, max = p->token.kind == QUESTION ? 1 : UNLIMITED, node;
    if (p->token.kind == OPEN_COUNT && !interval(p, &min, &max))
        return tree;
    fetch(p, 0);
    if (tree == 0 || max == 0)
        return 0;
    node = new_node(p, REPEAT);
    p->pattern->nodes[node].left = tree;
    p->pattern->nodes[node].min = min;
    p->pattern->nodes[node].max = max;
    return node;
}

/* A repetition operator with nothing before it is skipped in some syntaxes, in others an error or a character. */
static int is_skipped(struct parser *p)
{
    enum token_kind kind = p->token.kind;
    int is_wrong = (p->syntax & RE_CONTEXT_INVALID_OPS) || (kind == OPEN_COUNT && (p->syntax & RE_CONTEXT_INVALID_DUP));
    if (!is_repetition(kind))
        return 0;
    if (is_wrong)
        return fail(p, REG_BADRPT);
    return (p->syntax & RE_CONTEXT_INDEP_OPS) != 0;
}

/* A closing token, or a repetition operator, that counts as an ordinary character. */
static int misplaced(struct parser *p)
{
    if (p->token.kind == CLOSE_GROUP && !(p->syntax & RE_UNMATCHED_RIGHT_PAREN_ORD))
        return fail(p, REG_ERPAREN);
    return literal(p, p->token.c);
}

static int back_reference(struct parser *p)
{
    if (!(p->complete_groups & 1 << (p->token.c - '1')))
        return fail(p, REG_ESUBREG);
    p->pattern->is_only_parsed = 1;
    return new_node(p, EMPTY);
}

static int primary(struct parser *p, int nest)
{
    switch (p->token.kind) {
    case CHARACTER: return literal(p, p->token.c);
    case OPEN_GROUP: return group(p, nest + 1);
    case OPEN_BRACKET: return brackets(p);
    case PERIOD: return new_node(p, ANY);
    case BACK_REFERENCE: return back_reference(p);
    case CLASS_ESCAPE: return class_escape(p, p->token.c);
    case TRAILING_BACKSLASH: return fail(p, REG_EESCAPE);
    default: return misplaced(p);
    }
}

/* An anchor, which is not repeated. */
static int anchored(struct parser *p)
{
    int node = new_node(p, ASSERTION);
    p->pattern->nodes[node].assertion = p->token.assertion;
    /* At \b and \B glibc misses matches that begin with an empty one. */
    if (p->token.assertion == WORD_EDGE || p->token.assertion == NO_WORD_EDGE)
        p->pattern->is_only_parsed = 1;
    fetch(p, 0);
    return node;
}

static int expression(struct parser *p, int nest)
{
    int tree;
    while (is_skipped(p))
        fetch(p, 0);
    if (has_failed(p) || p->token.kind == ALTERNATIVE || p->token.kind == END)
        return 0;
    if (p->token.kind == ANCHOR)
        return anchored(p);
    tree = primary(p, nest);
    if (has_failed(p))
        return 0;
    fetch(p, 0);
    while (is_repetition(p->token.kind)) {
        tree = repetition(p, tree);
        if (has_failed(p))
            return 0;
        if ((p->syntax & RE_CONTEXT_INVALID_DUP) && (p->token.kind == STAR || p->token.kind == OPEN_COUNT))
            return fail(p, REG_BADRPT);
    }
    return tree;
}

static int ends_branch(const struct parser *p, int nest)
{
    enum token_kind kind = p->token.kind;
    return kind == ALTERNATIVE || kind == END || (nest > 0 && kind == CLOSE_GROUP);
}

static int sequence(struct parser *p, int nest)
{
    int tree = expression(p, nest);
    while (!has_failed(p) && !ends_branch(p, nest)) {
        int next = expression(p, nest);
        tree = tree && next ? pair(p, SEQUENCE, tree, next) : tree + next;
    }
    return tree;
}

static int alternatives(struct parser *p, int nest)
{
    int tree = sequence(p, nest);
    while (!has_failed(p) && p->token.kind == ALTERNATIVE) {
        int next = 0;
        fetch(p, RE_CARET_ANCHORS_HERE);
        if (!ends_branch(p, nest))
            next = sequence(p, nest);
        tree = pair(p, CHOICE, tree, next);
    }
    return tree;
}

void __cairn_m_parse_regex(struct pattern *pattern, const char *text, size_t length, reg_syntax_t syntax)
{
    struct parser p = {.pattern = pattern, .text = text, .length = (int)length, .syntax = syntax};
    pattern->syntax = syntax;
    pattern->error = pattern->unsupported = pattern->is_only_parsed = 0;
    pattern->nodes_used = pattern->items_used = pattern->code_used = 0;
    new_node(&p, EMPTY); /* node 0: nothing */
    fetch(&p, RE_CARET_ANCHORS_HERE);
    pattern->root = alternatives(&p, 0);
}
