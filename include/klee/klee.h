/*
 * klee/klee.h: programs written for KLEE, unchanged.
 *
 * What a program asks of KLEE, Cairn does as far as it means anything without a state of its own for
 * every path: input, assumptions and errors work, hints to KLEE's searcher have no effect. For a plain
 * build link cairn_replay.c, as with cairn.h.
 */
#ifndef KLEE_H
#define KLEE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the bytes of an object input; cairn_symbolic. */
void klee_make_symbolic(void *address, size_t size, const char *name);
/* An int that is input. */
int klee_int(const char *name);
/* An int that is input, from `begin` up to and without `end`. */
int klee_range(int begin, int end, const char *name);
/* A number that is input, below `count`. */
uintptr_t klee_choose(uintptr_t count);

/* Ends the run without a word if the condition is false; cairn_assume. */
void klee_assume(uintptr_t condition);
/* Ends the run without a word, and without a test. */
__attribute__((__noreturn__)) void klee_silent_exit(int status);
/* A crash. */
__attribute__((__noreturn__)) void klee_abort(void);
/* A crash, with a message on standard error. */
__attribute__((__noreturn__)) void klee_report_error(const char *file, int line, const char *message,
                                                     const char *suffix);
#define klee_assert(condition) assert(condition)

/* Whether a value depends on the input: never in a plain build. */
unsigned klee_is_symbolic(uintptr_t value);
/* Whether a test is only run again: always in a plain build. */
unsigned klee_is_replay(void);
/* The value of this run; what is computed from it no longer depends on the input. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

/* Crashes if the memory cannot be read. */
void klee_check_memory_access(const void *address, size_t size);
int klee_get_errno(void);

/* These print to standard error. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);

/* These have no effect. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_set_forking(unsigned enable);
void klee_stack_trace(void);
void klee_print_range(const char *name, int value);
void klee_open_merge(void);
void klee_close_merge(void);

#ifdef __cplusplus
}
#endif

#endif
