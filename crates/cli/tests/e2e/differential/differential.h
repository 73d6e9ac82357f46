/* What the tests of the models share: a coin, places for text, and a complaint. */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long comparisons;

#define EXPECT(condition, ...)                                                                              \
    do {                                                                                                    \
        comparisons++;                                                                                      \
        if (!(condition)) {                                                                                 \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                          \
            printf(__VA_ARGS__);                                                                            \
            puts("");                                                                                       \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

/* Otherwise a coin decides at each call if the run is traced. */
extern int always_tracing;

/* A number below `n`. */
unsigned chance(unsigned n);

/* One of an array. */
#define ONE_OF(array) ((array)[chance(sizeof(array) / sizeof *(array))])

/* A string of few different characters, so that much is equal, at the end of one of two places. */
char *text(int place, unsigned longest, const char *alphabet);

/* A string of up to `count` parts at the end of a place. */
char *joined(int place, unsigned count, const char *const *parts, unsigned kinds);

/* The text of a number, or nearly so. */
char *number_text(void);

/* Each compares models once, on new input. */
void check_scanning(void);
void check_scanning_streams(void);
void check_floats_in_text(void);
void check_printing(void);
void check_misc(void);
void check_regex(void);
void check_wide_characters(void);
void check_parts_of_numbers(void);
void check_threads(void);
void check_writers(void);

/* Compares the models of reading functions on many files. */
void check_readers(void);

#endif
