/*
 * Shared declarations of the models of the scanf family. They behave as glibc does, which deviates from the C
 * standard.
 */
#ifndef CAIRN_SCAN_H
#define CAIRN_SCAN_H

#include "format.h"
#include "model.h"
#include <stdarg.h>
#include <stdio.h>

/* Source of characters: a string, or else a stream. */
struct source {
    const char *text;
    FILE *stream;
    /* The last character; after EOF there are no more, and `error` is the error number at that point. */
    int last;
    int error;
    size_t taken;
};

/* Returns the next character or EOF. */
int __cairn_m_next(struct source *source);

/* Returns the next character unless `width` is exhausted; a negative width is unlimited. */
int __cairn_m_next_within(struct source *source, int *width);

/* Puts the last character back. */
void __cairn_m_put_back(struct source *source);

/* Variants of the functions: traditional (`%as` allocates), C99, or C23 (binary numbers). */
enum dialect { OLD, C99, C23 };

/* A parsed conversion specification. */
struct directive {
    int position;
    int width;
    int suppress;
    int allocate;
    int localized;
    enum size size;
    char conversion;
};

/* Parses the directive after a percent sign; returns its end. */
const char *__cairn_m_directive(const char *format, enum dialect dialect, struct directive *directive);

/* Set of characters of `%[`. */
struct set {
    int ranges;
    unsigned char low[128];
    unsigned char high[128];
};

/* Parses the set after `%[`; returns its end, or NULL if it is unterminated. */
const char *__cairn_m_set(const char *format, struct set *set);

/* Result of a conversion. */
enum outcome { CONVERTED, MISMATCH, NO_INPUT };

/* Conversions. `to` is NULL if nothing is assigned. */
enum outcome __cairn_m_scan_integer(struct source *source, const struct directive *directive, int binary, void *to);
enum outcome __cairn_m_scan_float(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_string(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_characters(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_set(struct source *source, const struct directive *directive,
                                const struct set *set, void *to);

/* True if the models support every directive of a format. */
int __cairn_m_can_scan(const char *format, enum dialect dialect);

/* Models of sscanf and fscanf. */
int __cairn_m_scan_text(const char *text, const char *format, enum dialect dialect, va_list arguments);
int __cairn_m_scan_stream(FILE *stream, const char *format, enum dialect dialect, va_list arguments);

/* Growing text buffer. */
struct gathered {
    char *start;
    size_t length;
    size_t room;
};

/* Appends a character; does nothing after an allocation failure. */
void __cairn_m_gather(struct gathered *text, char c);

/* Returns the NUL-terminated text, or NULL after an allocation failure. */
char *__cairn_m_gathered(struct gathered *text);

#endif
