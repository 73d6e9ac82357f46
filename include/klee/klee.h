/*
 * klee/klee.h: programs written for KLEE, unchanged.
 *
 * Cairn implements what is meaningful without a separate state for every path: input, assumptions and errors
 * work, hints to KLEE's searcher have no effect. For a plain build link cairn_replay.c, as with cairn.h.
 */
#ifndef KLEE_H
#define KLEE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the bytes of an object symbolic; cairn_symbolic. */
void klee_make_symbolic(void *address, size_t size, const char *name);
/* Returns a symbolic int. */
int klee_int(const char *name);
/* Returns a symbolic int from `begin` up to, but not including, `end`. */
int klee_range(int begin, int end, const char *name);
/* Returns a symbolic number below `count`. */
uintptr_t klee_choose(uintptr_t count);

/* Ends the run without a finding if the condition is false; cairn_assume. */
void klee_assume(uintptr_t condition);
/* Ends the run without a finding, and without a test. */
__attribute__((__noreturn__)) void klee_silent_exit(int status);
/* Crashes. */
__attribute__((__noreturn__)) void klee_abort(void);
/* Crashes, with a message on standard error. */
__attribute__((__noreturn__)) void klee_report_error(const char *file, int line, const char *message,
                                                     const char *suffix);
#define klee_assert(condition) assert(condition)

/* True if a value depends on the input: never in a plain build. */
unsigned klee_is_symbolic(uintptr_t value);
/* True if a test is being replayed: always in a plain build. */
unsigned klee_is_replay(void);
/* Returns the value of this run, as a constant: results computed from it do not depend on the input. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

/* Crashes if the memory cannot be read. */
void klee_check_memory_access(const void *address, size_t size);
int klee_get_errno(void);

/* Functions that print to standard error. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);

/* Functions without effect. */
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
