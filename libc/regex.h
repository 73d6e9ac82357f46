/*
 * Regular expressions, as far as their results depend on symbolic bytes.
 *
 * The library's regcomp and regexec compute every result; they see no labels. To have the results in the path, the
 * model parses the pattern as they do (regex_parse.c) and runs it over the text (regex_match.c), with branches on the
 * symbolic bytes. If it arrives at the library's result, the path explains it. If not, or if the pattern has a
 * construct that the model does not support (back-references, locales with other characters), the bytes are counted
 * as lost.
 */
#ifndef CAIRN_REGEX_H
#define CAIRN_REGEX_H

#include "model.h"
#include <regex.h>

#define MAX_NODES 512
#define MAX_ITEMS 512
#define MAX_CODE 2048
#define UNLIMITED (-1)

enum node_kind { EMPTY, LITERAL, ANY, SET, ASSERTION, SEQUENCE, CHOICE, REPEAT };

enum assertion { LINE_START, LINE_END, TEXT_START, TEXT_END, WORD_START, WORD_END, WORD_EDGE, NO_WORD_EDGE };

/* A node of a pattern's syntax tree. */
struct node {
    enum node_kind kind;
    unsigned char literal;
    enum assertion assertion;
    int left, right;             /* operands of a sequence or choice; the repeated node */
    int min, max;                /* of a repetition */
    int first_item, last_item;   /* of a set: a half-open range of items */
    int negated, excludes_newline;
};

/* An item of a set: a class, or else the range from `low` to `high`. */
struct item {
    const char *class;
    unsigned char low, high;
};

enum operation { MATCH_NODE, ASSERT_NODE, SPLIT, JUMP, ACCEPT };

struct instruction {
    enum operation operation;
    int node;
    int one, other; /* next instructions */
};

struct pattern {
    reg_syntax_t syntax;
    int error;       /* as of regcomp; only errors that the parser finds itself */
    int unsupported; /* has a construct that the model does not support */
    int is_only_parsed; /* parsed, but its matching is not modelled */
    int root;
    int nodes_used, items_used, code_used;
    struct node nodes[MAX_NODES];
    struct item items[MAX_ITEMS];
    struct instruction code[MAX_CODE];
};

/* A text to search, and the flags for its ends. */
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

/* Returns 1 if a character is in a class, otherwise 0, without a branch. */
int __cairn_m_in_class(const char *class, unsigned char c, int ignores_case);

#endif
