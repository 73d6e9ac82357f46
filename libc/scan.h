/* What the models of the scanf family share. They read as glibc does, which is not quite what C says. */
#ifndef CAIRN_SCAN_H
#define CAIRN_SCAN_H

#include "format.h"
#include "model.h"
#include <stdarg.h>
#include <stdio.h>

/* Where the characters come from: a string, or else a stream. */
struct source {
    const char *text;
    FILE *stream;
    /* The last character; after EOF there are no more, and the error number is what it was then. */
    int last;
    int error;
    size_t taken;
};

/* The next character or EOF. */
int __cairn_m_next(struct source *source);

/* The next character unless `width` is used up; a negative width is none. */
int __cairn_m_next_within(struct source *source, int *width);

/* Puts the last character back. */
void __cairn_m_put_back(struct source *source);

/* Which functions are modelled: those of old (`%as` allocates), of C99, or of C23 (binary numbers). */
enum dialect { OLD, C99, C23 };

/* What a conversion specification says. */
struct directive {
    int position;
    int width;
    int suppress;
    int allocate;
    int localized;
    enum size size;
    char conversion;
};

/* Reads the directive behind a percent sign, and says where it ends. */
const char *__cairn_m_directive(const char *format, enum dialect dialect, struct directive *directive);

/* The characters that `%[` takes. */
struct set {
    int ranges;
    unsigned char low[128];
    unsigned char high[128];
};

/* Reads the set behind `%[` and says where it ends: NULL if nowhere. */
const char *__cairn_m_set(const char *format, struct set *set);

/* How a conversion went: well, badly, or there was no input. */
enum outcome { CONVERTED, MISMATCH, NO_INPUT };

/* Conversions. `to` is NULL if nothing is assigned. */
enum outcome __cairn_m_scan_integer(struct source *source, const struct directive *directive, int binary, void *to);
enum outcome __cairn_m_scan_float(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_string(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_characters(struct source *source, const struct directive *directive, void *to);
enum outcome __cairn_m_scan_set(struct source *source, const struct directive *directive,
                                const struct set *set, void *to);

/* Whether these models understand all of a format. */
int __cairn_m_can_scan(const char *format, enum dialect dialect);

/* What sscanf and fscanf would answer. */
int __cairn_m_scan_text(const char *text, const char *format, enum dialect dialect, va_list arguments);
int __cairn_m_scan_stream(FILE *stream, const char *format, enum dialect dialect, va_list arguments);

/* Text of any length. */
struct gathered {
    char *start;
    size_t length;
    size_t room;
};

/* Appends a character; does nothing once there is no memory. */
void __cairn_m_gather(struct gathered *text, char c);

/* The text with a NUL behind it, or NULL if there was no memory. */
char *__cairn_m_gathered(struct gathered *text);

#endif
