/*
 * What the models share.
 *
 * A model stands for a function of the C library: calls of NAME go to __cairn_w_NAME. It is compiled by
 * `cairn cc`, so its branches on symbolic bytes are branches of the path; calls in here are not
 * redirected, so a model can ask the real function. Each begins by doing so, and answers with what it
 * says if nothing that it had to look at is symbolic: code on concrete data keeps the library's speed.
 * Otherwise it goes byte by byte, and must come to the same answer. Until that is decided it must not
 * branch on a byte it was given: the path would depend on an answer that is not in it.
 *
 * Symbolic arguments of a library function that a model calls are concretized, since its answer holds for these only.
 * Exempt are those the models express themselves (EXPRESSED in pass/modelled.rs), and values that a model hands over
 * through __cairn_concrete, because the rest of it says what the answer is for others.
 *
 * Memory is copied by __builtin_memcpy and its kin: they move labels, the library's functions do not.
 */
#ifndef CAIRN_MODEL_H
#define CAIRN_MODEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>

/* The runtime's. */
int __cairn_tracing(void);
int __cairn_supervised(void);
int __cairn_any_symbolic(const void *start, size_t size);
void __cairn_clear(const void *start, size_t size);
void __cairn_lost_input(const void *start, size_t size);
size_t __cairn_concretized(size_t value);
size_t __cairn_concrete(size_t value);
void __cairn_open_failed(const char *path);
void *__cairn_w_malloc(size_t size);
void *__cairn_w_realloc(void *memory, size_t size);
void __cairn_w_free(void *memory);

#define MODEL(name) __cairn_w_##name

/* Whether any of these bytes is symbolic. */
#define symbolic(start, size) __cairn_any_symbolic((start), (size))

/* Whether a parameter is symbolic: it has to lie in memory for that. */
#define symbolic_value(parameter) __cairn_any_symbolic(&(parameter), sizeof(parameter))

#define NO_LIMIT ((size_t)-1)

/* The length of a string or `limit`, whichever is less. */
size_t __cairn_m_length(const char *text, size_t limit);

/* Keeps bytes as they are for the rest of the path: the library, which sees no labels, is asked about them. */
void __cairn_m_pin(const char *text, size_t size);

/* A character other than ASCII that the library is asked about: where characters have one byte, all are alike. */
size_t __cairn_m_settled(size_t c);

/* How many characters at the start of `text` are in `set`, or are not. */
size_t __cairn_m_span(const char *text, const char *set, int in);

/* The next piece of `text`, or of what `rest` has kept. */
char *__cairn_m_token(char *text, const char *delimiters, char **rest);

/* Whether the classes of characters are those of the C locale. */
int __cairn_m_plain_characters(void);

/* Whether strings are ordered by the codes of their characters. */
int __cairn_m_plain_order(void);

/* Character classes without a branch: the program's own branch on the answer is enough. */
#define IN_RANGE(c, low, high) ((unsigned)(c) - (unsigned)(low) <= (unsigned)((high) - (low)))
#define IS_LETTER(c) IN_RANGE((unsigned)(c) | 32u, 'a', 'z')
#define IS_SPACE(c) (((c) == ' ') | IN_RANGE(c, '\t', '\r'))
#define TO_LOWER(c) ((c) + (IN_RANGE(c, 'A', 'Z') << 5))
#define TO_UPPER(c) ((c) - (IN_RANGE(c, 'a', 'z') << 5))

#endif
