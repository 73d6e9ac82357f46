/*
 * Regular expressions of the C library, as far as decisions on them depend on symbolic bytes.
 *
 * The library's regcomp and regexec decide everything; they see no labels. To have their answers in the path, the model
 * reads the pattern as they do (regex_parse.c) and runs it over the text (regex_match.c), by branches on the symbolic
 * bytes. If it comes to the library's answer, the path explains it. If not, or if the pattern has something the model
 * does not know (back-references, locales with other characters), the bytes count as lost.
 */
#ifndef CAIRN_REGEX_H
#define CAIRN_REGEX_H

#include "model.h"
#include <regex.h>

#define MOST_NODES 512
#define MOST_ITEMS 512
#define MOST_CODE 2048
#define UNLIMITED (-1)

enum node_kind { EMPTY, LITERAL, ANY, SET, ASSERTION, SEQUENCE, CHOICE, REPEAT };

enum assertion { LINE_START, LINE_END, TEXT_START, TEXT_END, WORD_START, WORD_END, WORD_EDGE, NO_WORD_EDGE };

/* A part of a pattern. */
struct node {
    enum node_kind kind;
    unsigned char literal;
    enum assertion assertion;
    int left, right;             /* parts of a sequence or choice; what is repeated */
    int min, max;                /* of a repetition */
    int first_item, last_item;   /* of a set: a half-open range of items */
    int negated, excludes_newline;
};

/* Characters of a set: a class if it has one, otherwise all from `low` to `high`. */
struct item {
    const char *class;
    unsigned char low, high;
};

enum operation { MATCH_NODE, ASSERT_NODE, SPLIT, JUMP, ACCEPT };

struct instruction {
    enum operation operation;
    int node;
    int one, other; /* where to go on */
};

struct pattern {
    reg_syntax_t syntax;
    int error;       /* as regcomp has it; only of the parser's own finding */
    int unsupported; /* has something that the model does not know */
    int is_only_parsed; /* how the library matches it is not modelled */
    int root;
    int nodes_used, items_used, code_used;
    struct node nodes[MOST_NODES];
    struct item items[MOST_ITEMS];
    struct instruction code[MOST_CODE];
};

/* A text to search, and what the library takes its ends for. */
struct subject {
    const char *text;
    int length;
    int not_line_start, not_line_end, newline_anchors;
};

/* Parses a pattern. */
void __cairn_m_parse_regex(struct pattern *pattern, const char *text, size_t length, reg_syntax_t syntax);

/* Start and length of the leftmost-longest match that begins from `first` to `last`; start -1 if there is none. */
struct cairn_match {
    int start, length, known;
};
struct cairn_match __cairn_m_match_regex(struct pattern *pattern, const struct subject *subject, int first,
                                         int last);

/* Membership of a character in a class, as 0 or 1, without a branch. */
int __cairn_m_in_class(const char *class, unsigned char c, int ignores_case);

#endif
