/*
 * Shared declarations of the library models.
 *
 * A model replaces a function of the C library: calls of NAME go to __cairn_w_NAME. It is compiled by `cairn cc`, so
 * its branches on symbolic bytes are branches of the path; calls in here are not redirected, so a model can call the
 * real function. Each model does that first, and returns the real result if nothing that the function reads is
 * symbolic: code on concrete data keeps the library's speed. Otherwise it computes the result byte by byte, and must
 * arrive at the same one. Until that is decided it must not branch on a byte of its arguments: the path would depend
 * on a result that is not in it.
 *
 * Symbolic arguments of a library function that a model calls are concretized, since the result holds for these only.
 * Exempt are functions whose results the models express themselves (EXPRESSED in pass/modelled.rs), and values that a
 * model passes through __cairn_concrete, because the rest of the model expresses the result for others.
 *
 * Memory is copied by __builtin_memcpy and similar: they copy labels, the library's functions do not.
 */
#ifndef CAIRN_MODEL_H
#define CAIRN_MODEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>

/* Functions of the runtime. */
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

/* True if any of these bytes is symbolic. */
#define symbolic(start, size) __cairn_any_symbolic((start), (size))

/* True if a parameter is symbolic: it is put into memory for the test. */
#define symbolic_value(parameter) __cairn_any_symbolic(&(parameter), sizeof(parameter))

#define NO_LIMIT ((size_t)-1)

/* Returns the length of a string, at most `limit`. */
size_t __cairn_m_length(const char *text, size_t limit);

/* Concretizes bytes, before the library, which sees no labels, reads them. */
void __cairn_m_concretize(const char *text, size_t size);

/*
 * Concretizes a non-ASCII character, before the library classifies it, unless characters have one byte: then all are
 * alike.
 */
size_t __cairn_m_concretize_multibyte(size_t c);

/* Returns the number of characters at the start of `text` that are in `set`, or are not. */
size_t __cairn_m_span(const char *text, const char *set, int in);

/* Returns the next token of `text`, or of the text saved in `rest`. */
char *__cairn_m_token(char *text, const char *delimiters, char **rest);

/* True if the character classes are those of the C locale. */
int __cairn_m_plain_characters(void);

/* True if strings are collated by the codes of their characters. */
int __cairn_m_plain_order(void);

/* Character classes without a branch: the program's own branch on the result is enough. */
#define IN_RANGE(c, low, high) ((unsigned)(c) - (unsigned)(low) <= (unsigned)((high) - (low)))
#define IS_LETTER(c) IN_RANGE((unsigned)(c) | 32u, 'a', 'z')
#define IS_SPACE(c) (((c) == ' ') | IN_RANGE(c, '\t', '\r'))
#define TO_LOWER(c) ((c) + (IN_RANGE(c, 'A', 'Z') << 5))
#define TO_UPPER(c) ((c) - (IN_RANGE(c, 'a', 'z') << 5))

#endif
