/*
 * Pattern matching by an NFA: a set of states that advances byte by byte.
 *
 * One branch decides if a state accepts a byte, and every state that the library could be in is tested: the library's
 * result, the positions of groups included, follows from these decisions.
 */
#include "regex.h"
#include <stdlib.h>
#include <string.h>

/* Size of the cache of decisions: states times bytes. */
#define MOST_ANSWERS 65536
enum { NOT_ASKED, NO, YES };

struct matcher {
    struct pattern *pattern;
    const struct subject *subject;
    char *answers; /* by node and position */
    int *queue, *next_queue;
    char *is_queued;
    int used, next_used;
};

int __cairn_m_in_class(const char *class, unsigned char c, int ignores_case)
{
    int upper = IN_RANGE(c, 'A', 'Z'), lower = IN_RANGE(c, 'a', 'z'), digit = IN_RANGE(c, '0', '9');
    int graph = IN_RANGE(c, '!', '~');
    /* First the initial letters, then the second ones where needed. */
    switch (class[0]) {
    case 'a': return upper | lower | (class[2] == 'n' ? digit : 0);
    case 'b': return (c == ' ') | (c == '\t');
    case 'c': return IN_RANGE(c, 0, 31) | (c == 127);
    case 'd': return digit;
    case 'g': return graph;
    case 'l': return lower | (upper & ignores_case);
    case 'u': return upper | (lower & ignores_case);
    case 's': return IS_SPACE(c);
    case 'x': return digit | IN_RANGE(c | 32, 'a', 'f');
    default: return class[1] == 'r' ? graph | (c == ' ') : graph & !(upper | lower | digit);
    }
}

static unsigned char byte_at(const struct matcher *m, int at)
{
    unsigned char c = (unsigned char)m->subject->text[at];
    return m->pattern->syntax & RE_ICASE ? (unsigned char)TO_UPPER(c) : c;
}

static int in_set(const struct matcher *m, const struct node *set, unsigned char c)
{
    int ignores_case = (m->pattern->syntax & RE_ICASE) != 0, found = 0, i;
    for (i = set->first_item; i < set->last_item; i++) {
        const struct item *item = &m->pattern->items[i];
        found |= item->class ? __cairn_m_in_class(item->class, c, ignores_case) : (item->low <= c) & (c <= item->high);
    }
    return set->negated ? !(found | (set->excludes_newline & (c == '\n'))) : found;
}

static int accepts(const struct matcher *m, const struct node *node, unsigned char c)
{
    reg_syntax_t syntax = m->pattern->syntax;
    switch (node->kind) {
    case LITERAL: return node->literal == c;
    case ANY:
        return !(((syntax & RE_DOT_NEWLINE) == 0) & (c == '\n')) & !(((syntax & RE_DOT_NOT_NULL) != 0) & (c == 0));
    default: return in_set(m, node, c);
    }
}

static int does_accept(struct matcher *m, int node, int at)
{
    char *answer = &m->answers[node * m->subject->length + at];
    if (*answer == NOT_ASKED) {
        if (accepts(m, &m->pattern->nodes[node], byte_at(m, at)))
            *answer = YES;
        else
            *answer = NO;
    }
    return *answer == YES;
}

/* Assertions on the bytes around a position. */

static int is_word(const struct matcher *m, int at)
{
    unsigned char c;
    if (at < 0 || at >= m->subject->length)
        return 0;
    c = (unsigned char)m->subject->text[at];
    if (IS_LETTER(c) | IN_RANGE(c, '0', '9') | (c == '_'))
        return 1;
    return 0;
}

static int is_line_start(const struct subject *s, int at)
{
    if (at == 0)
        return !s->not_line_start;
    return s->newline_anchors && s->text[at - 1] == '\n';
}

static int is_line_end(const struct subject *s, int at)
{
    if (at == s->length)
        return !s->not_line_end;
    return s->newline_anchors && s->text[at] == '\n';
}

static int holds(const struct matcher *m, enum assertion assertion, int at)
{
    switch (assertion) {
    case LINE_START: return is_line_start(m->subject, at);
    case LINE_END: return is_line_end(m->subject, at);
    case TEXT_START: return at == 0;
    case TEXT_END: return at == m->subject->length;
    case WORD_START: return !is_word(m, at - 1) && is_word(m, at);
    case WORD_END: return is_word(m, at - 1) && !is_word(m, at);
    case WORD_EDGE: return is_word(m, at - 1) != is_word(m, at);
    default: return is_word(m, at - 1) == is_word(m, at);
    }
}

/* Compilation of the syntax tree to instructions. */

static int emit(struct pattern *p, enum operation operation, int node, int one, int other)
{
    if (p->code_used == MAX_CODE) {
        p->unsupported = 1;
        return 0;
    }
    p->code[p->code_used] = (struct instruction){operation, node, one, other};
    return p->code_used++;
}

static void compile(struct pattern *p, int tree);

static void compile_choice(struct pattern *p, const struct node *node)
{
    int split = emit(p, SPLIT, 0, 0, 0), jump;
    p->code[split].one = p->code_used;
    compile(p, node->left);
    jump = emit(p, JUMP, 0, 0, 0);
    p->code[split].other = p->code_used;
    compile(p, node->right);
    p->code[jump].one = p->code_used;
}

static void compile_optional(struct pattern *p, int tree, int again)
{
    int split = emit(p, SPLIT, 0, 0, 0);
    p->code[split].one = p->code_used;
    compile(p, tree);
    if (again)
        emit(p, JUMP, 0, split, 0);
    p->code[split].other = p->code_used;
}

static void compile_repeat(struct pattern *p, const struct node *node)
{
    int i;
    for (i = 0; i < node->min && !p->unsupported; i++)
        compile(p, node->left);
    if (node->max == UNLIMITED)
        compile_optional(p, node->left, 1);
    for (; i < node->max && !p->unsupported; i++)
        compile_optional(p, node->left, 0);
}

static void compile(struct pattern *p, int tree)
{
    const struct node *node = &p->nodes[tree];
    switch (node->kind) {
    case EMPTY: break;
    case SEQUENCE:
        compile(p, node->left);
        compile(p, node->right);
        break;
    case CHOICE: compile_choice(p, node); break;
    case REPEAT: compile_repeat(p, node); break;
    case ASSERTION: emit(p, ASSERT_NODE, tree, 0, 0); break;
    default: emit(p, MATCH_NODE, tree, 0, 0); break;
    }
}

/* Adds a state and its epsilon closure; returns 1 if the closure accepts. */
static int add(struct matcher *m, int state, int at)
{
    const struct instruction *code = &m->pattern->code[state];
    if (m->is_queued[state])
        return 0;
    m->is_queued[state] = 1;
    switch (code->operation) {
    case ACCEPT: return 1;
    case JUMP: return add(m, code->one, at);
    case SPLIT: return add(m, code->one, at) | add(m, code->other, at);
    case ASSERT_NODE: return holds(m, m->pattern->nodes[code->node].assertion, at) ? add(m, state + 1, at) : 0;
    default: m->next_queue[m->next_used++] = state; return 0;
    }
}

static void turn_over(struct matcher *m)
{
    int *queue = m->queue;
    m->queue = m->next_queue;
    m->next_queue = queue;
    m->used = m->next_used;
    m->next_used = 0;
    __builtin_memset(m->is_queued, 0, (size_t)m->pattern->code_used);
}

/* Returns the length of the longest match at a position, or -1. */
static int longest_from(struct matcher *m, int start)
{
    int at = start, longest = -1, i;
    m->next_used = 0;
    __builtin_memset(m->is_queued, 0, (size_t)m->pattern->code_used);
    if (add(m, 0, at))
        longest = 0;
    for (turn_over(m); m->used > 0 && at < m->subject->length; turn_over(m), at++)
        for (i = 0; i < m->used; i++)
            if (does_accept(m, m->pattern->code[m->queue[i]].node, at) && add(m, m->queue[i] + 1, at + 1))
                longest = at + 1 - start;
    return longest;
}

struct cairn_match __cairn_m_match_regex(struct pattern *pattern, const struct subject *subject, int first, int last)
{
    struct cairn_match match = {-1, 0, 0};
    struct matcher m = {.pattern = pattern, .subject = subject};
    size_t answers = (size_t)pattern->nodes_used * (size_t)subject->length + 1, states;
    if (pattern->code_used == 0) {
        compile(pattern, pattern->root);
        emit(pattern, ACCEPT, 0, 0, 0);
    }
    if (pattern->unsupported || answers > MOST_ANSWERS)
        return match;
    states = (size_t)pattern->code_used;
    m.answers = calloc(1, answers + states + 2 * states * sizeof(int) + sizeof(int));
    if (!m.answers)
        return match;
    m.queue = (int *)(((size_t)m.answers + answers + states + sizeof(int)) & ~(sizeof(int) - 1));
    m.next_queue = m.queue + states;
    m.is_queued = m.answers + answers;
    __cairn_clear(m.answers, answers + states + 2 * states * sizeof(int) + sizeof(int));
    for (match.known = 1; first <= last && match.start < 0; first++) {
        match.length = longest_from(&m, first);
        match.start = match.length < 0 ? -1 : first;
    }
    free(m.answers);
    return match;
}
