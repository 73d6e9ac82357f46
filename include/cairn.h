/*
 * cairn.h: markers for the input of your program.
 *
 *     int age;
 *     cairn_symbolic(&age, sizeof age, "age");   // Cairn chooses the value
 *     cairn_assume(age >= 0 && age < 130);       // and keeps within these bounds
 *
 * Programs that read standard input, a file or their arguments need none of this: see `cairn run`.
 *
 * The same source builds with any C or C++ compiler. Link `cairn_replay.c` (next to this file) into
 * such a build and it replays a generated test:
 *
 *     clang program.c cairn_replay.c -o program
 *     CAIRN_TEST=000007.ktest ./program
 */
#ifndef CAIRN_H
#define CAIRN_H

#include <stddef.h>

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define CAIRN_INLINE static inline
#else
#define CAIRN_INLINE static
#endif

#if defined(__GNUC__)
#define CAIRN_UNUSED __attribute__((__unused__))
#define CAIRN_NORETURN __attribute__((__noreturn__))
#else
#define CAIRN_UNUSED
#define CAIRN_NORETURN
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes the `size` bytes at `object` symbolic. Cairn chooses their values, different ones in every run, and
 * traces what the program does with them. `name` identifies the bytes in generated tests; it need not be
 * unique.
 */
void cairn_symbolic(void *object, size_t size, const char *name);

/* Ends this run without a finding: the program would never be given such an input. */
CAIRN_NORETURN void cairn_reject(void);

/*
 * Continues only if `condition` holds. Unlike an assertion, a false condition is no finding: it excludes
 * such inputs from the search.
 */
CAIRN_INLINE CAIRN_UNUSED void cairn_assume(int condition)
{
    if (!condition)
        cairn_reject();
}

#ifdef __cplusplus
}
#endif

#endif
