/*
 * Every model in libc/ against the function that it models, on random and chosen input. The runtime is
 * stood in for: what is symbolic is decided by a coin, so that every way through a model is taken.
 * Strings end at a page that cannot be read: a model that looks too far crashes.
 */
#include "differential.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

static uint64_t state = 88172645463325252u;

unsigned chance(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

int always_tracing;
void __cairn_open_failed(const char *path) { (void)path; }
int __cairn_supervised(void) { return 0; }
int __cairn_tracing(void) { return always_tracing || chance(2) == 0; }
int __cairn_any_symbolic(const void *start, size_t size) { (void)start; (void)size; return chance(3) != 0; }
void __cairn_lost_input(const void *start, size_t size) { (void)start; (void)size; }
void __cairn_clear(const void *start, size_t size) { (void)start; (void)size; }
void *__cairn_w_malloc(size_t size) { return malloc(size); }
void *__cairn_w_realloc(void *block, size_t size) { return realloc(block, size); }
void __cairn_w_free(void *block) { free(block); }
int __cairn_main_status(int status) { return status; }
int __cairn_seen_process(int process) { return process; }
int __cairn_real_process(int process) { return process; }
void __cairn_heap_inspected(void) {}
void __cairn_flags_told(void) {}
void __cairn_unfollowed(void) {}

unsigned long comparisons;

#define ROOM 4096

/* Two places whose last byte is the last that can be read. */
static char *ends[2];

static void make_places(void)
{
    for (int i = 0; i < 2; i++) {
        char *at = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(at + ROOM, ROOM, PROT_NONE);
        ends[i] = at + ROOM;
    }
}

char *text(int place, unsigned longest, const char *alphabet)
{
    unsigned length = chance(longest + 1);
    char *at = ends[place] - length - 1;
    for (unsigned i = 0; i < length; i++)
        at[i] = alphabet[chance((unsigned)strlen(alphabet))];
    at[length] = '\0';
    return at;
}

char *joined(int place, unsigned count, const char *const *parts, unsigned kinds)
{
    char made[ROOM / 2] = "";
    size_t length;
    for (unsigned n = chance(count + 1); n > 0; n--)
        strcat(made, parts[chance(kinds)]);
    length = strlen(made) + 1;
    return memcpy(ends[place] - length, made, length);
}

static const char *const ALPHABETS[] = {"a", "ab", "abc", "aAbB", "\x80\xffz\x01", "abcdefghijklmnopqrstuvwxyzABCXYZ[@`{"};

static const char *alphabet(void) { return ALPHABETS[chance(sizeof ALPHABETS / sizeof *ALPHABETS)]; }
static unsigned long_or_short(void) { return chance(8) == 0 ? 300 : 6; }

/* ---- functions of one and two strings ---- */

#define SAME(type, name, params, args)                                                                      \
    type __cairn_w_##name params;                                                                           \
    static void check_##name params                                                                         \
    {                                                                                                       \
        type real = name args;                                                                              \
        type model = __cairn_w_##name args;                                                                 \
        EXPECT(real == model, #name " %lld, not %lld", (long long)(intptr_t)model, (long long)(intptr_t)real); \
    }

SAME(size_t, strlen, (const char *a), (a))
SAME(size_t, strnlen, (const char *a, size_t n), (a, n))
SAME(int, strcmp, (const char *a, const char *b), (a, b))
SAME(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n))
SAME(int, strcasecmp, (const char *a, const char *b), (a, b))
SAME(int, strncasecmp, (const char *a, const char *b, size_t n), (a, b, n))
SAME(char *, strchr, (const char *a, int c), (a, c))
SAME(char *, index, (const char *a, int c), (a, c))
SAME(char *, strrchr, (const char *a, int c), (a, c))
SAME(char *, rindex, (const char *a, int c), (a, c))
SAME(char *, strchrnul, (const char *a, int c), (a, c))
SAME(char *, strstr, (const char *a, const char *b), (a, b))
SAME(size_t, strspn, (const char *a, const char *b), (a, b))
SAME(size_t, strcspn, (const char *a, const char *b), (a, b))
SAME(char *, strpbrk, (const char *a, const char *b), (a, b))
SAME(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n))
SAME(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n))
SAME(void *, memchr, (const void *a, int c, size_t n), (a, c, n))
SAME(void *, memrchr, (const void *a, int c, size_t n), (a, c, n))
SAME(void *, rawmemchr, (const void *a, int c), (a, c))

static void check_searching(void)
{
    unsigned longest = long_or_short();
    const char *letters = alphabet();
    char *a = text(0, longest, letters), *b = text(1, chance(2) ? longest : 3, letters);
    size_t a_size = strlen(a) + 1, b_size = strlen(b) + 1, both = a_size < b_size ? a_size : b_size;
    size_t n = chance(4) == 0 ? SIZE_MAX : chance(2 * longest);
    int c = chance(3) == 0 ? 0 : (int)chance(600) - 200;
    c = chance(2) == 0 ? a[chance((unsigned)a_size)] : c;
    check_strlen(a);
    check_strnlen(a, n);
    check_strcmp(a, b);
    check_strncmp(a, b, n);
    check_strcasecmp(a, b);
    check_strncasecmp(a, b, n);
    check_strchr(a, c);
    check_index(a, c);
    check_strrchr(a, c);
    check_rindex(a, c);
    check_strchrnul(a, c);
    check_strstr(a, b);
    check_strspn(a, b);
    check_strcspn(a, b);
    check_strpbrk(a, b);
    check_memcmp(a, b, chance((unsigned)both + 1));
    check_bcmp(a, b, chance((unsigned)both + 1));
    check_memchr(a, c, chance((unsigned)a_size + 1));
    check_memrchr(a, c, chance((unsigned)a_size + 1));
    check_rawmemchr(a, a[chance((unsigned)a_size)]);
    memcpy(ends[1] - a_size, a, a_size);
    check_strcmp(a, ends[1] - a_size);
    check_memcmp(a, ends[1] - a_size, a_size);
}

/* ---- functions that write ---- */

char *__cairn_w_strcpy(char *, const char *);
char *__cairn_w_stpcpy(char *, const char *);
char *__cairn_w_strncpy(char *, const char *, size_t);
char *__cairn_w_stpncpy(char *, const char *, size_t);
char *__cairn_w_strcat(char *, const char *);
char *__cairn_w_strncat(char *, const char *, size_t);
void *__cairn_w_mempcpy(void *, const void *, size_t);
void *__cairn_w___mempcpy(void *, const void *, size_t);
void __cairn_w_bzero(void *, size_t);
char *__cairn_w_strdup(const char *);
char *__cairn_w___strdup(const char *);
char *__cairn_w_strndup(const char *, size_t);

#define WRITES(real_call, model_call)                                                                       \
    do {                                                                                                    \
        char real[1024], model[1024], *to = real, *real_result, *model_result;                              \
        memset(real, 'z', sizeof real);                                                                     \
        strcpy(real, b);                                                                                    \
        memcpy(model, real, sizeof real);                                                                   \
        real_result = real_call;                                                                            \
        to = model;                                                                                         \
        model_result = model_call;                                                                          \
        EXPECT(real_result - real == model_result - model, #model_call);                                    \
        EXPECT(memcmp(real, model, sizeof real) == 0, #model_call);                                         \
    } while (0)

static void check_writing(void)
{
    unsigned longest = long_or_short();
    char *a = text(0, longest, alphabet()), *b = text(1, longest, alphabet());
    size_t n = chance(longest + 3), m = chance((unsigned)strlen(a) + 1);
    char *copy;
    WRITES(strcpy(to, a), __cairn_w_strcpy(to, a));
    WRITES(stpcpy(to, a), __cairn_w_stpcpy(to, a));
    WRITES(strncpy(to, a, n), __cairn_w_strncpy(to, a, n));
    WRITES(stpncpy(to, a, n), __cairn_w_stpncpy(to, a, n));
    WRITES(strcat(to, a), __cairn_w_strcat(to, a));
    WRITES(strncat(to, a, n), __cairn_w_strncat(to, a, n));
    WRITES(mempcpy(to, a, m), __cairn_w_mempcpy(to, a, m));
    WRITES(mempcpy(to, a, m), __cairn_w___mempcpy(to, a, m));
    WRITES((bzero(to, n), to), (__cairn_w_bzero(to, n), to));
    copy = __cairn_w_strdup(a);
    EXPECT(strcmp(copy, a) == 0, "strdup");
    free(copy);
    copy = __cairn_w___strdup(a);
    EXPECT(strcmp(copy, a) == 0, "__strdup");
    free(copy);
    copy = __cairn_w_strndup(a, n);
    EXPECT(strncmp(copy, a, n) == 0 && strlen(copy) == strnlen(a, n), "strndup");
    free(copy);
}

/* ---- pieces ---- */

char *__cairn_w_strtok(char *, const char *);
char *__cairn_w_strtok_r(char *, const char *, char **);
char *__cairn_w___strtok_r(char *, const char *, char **);
char *__cairn_w_strsep(char **, const char *);

#define PIECES(real_call, model_call)                                                                       \
    do {                                                                                                    \
        char real[1024], model[1024], *real_rest = real, *model_rest = model, *real_start = real,           \
             *model_start = model, *real_piece, *model_piece;                                               \
        int count = 0;                                                                                      \
        strcpy(real, a);                                                                                    \
        strcpy(model, a);                                                                                   \
        (void)real_rest;                                                                                    \
        (void)model_rest;                                                                                   \
        do {                                                                                                \
            char *rest = real_rest, *start = real_start;                                                    \
            real_piece = real_call;                                                                         \
            real_rest = rest;                                                                               \
            rest = model_rest, start = model_start;                                                         \
            model_piece = model_call;                                                                       \
            model_rest = rest;                                                                              \
            EXPECT(!real_piece == !model_piece, #model_call);                                               \
            EXPECT(!real_piece || real_piece - real == model_piece - model, #model_call);                   \
            EXPECT(!real_rest == !model_rest, #model_call);                                                 \
            EXPECT(!real_rest || real_rest - real == model_rest - model, #model_call);                      \
            EXPECT(strcmp(real, model) == 0, #model_call);                                                  \
            real_start = model_start = NULL;                                                                \
            (void)start;                                                                                    \
        } while (real_piece && count++ < 1000);                                                             \
        EXPECT(memcmp(real, model, strlen(a) + 1) == 0, #model_call);                                       \
    } while (0)

static void check_pieces(void)
{
    const char *letters = alphabet();
    char *a = text(0, long_or_short(), letters), *b = text(1, 3, letters);
    PIECES(strtok(start, b), __cairn_w_strtok(start, b));
    PIECES(strtok_r(start, b, &rest), __cairn_w_strtok_r(start, b, &rest));
    PIECES(strtok_r(start, b, &rest), __cairn_w___strtok_r(start, b, &rest));
    PIECES(strsep(&rest, b), __cairn_w_strsep(&rest, b));
}

/* ---- characters ---- */

#define CHARACTER(name)                                                                                     \
    {                                                                                                       \
        int __cairn_w_##name(int);                                                                          \
        for (int c = -128; c < 256; c++)                                                                    \
            EXPECT((name)(c) == __cairn_w_##name(c), #name " of %d: %d, not %d", c, __cairn_w_##name(c), (name)(c)); \
    }

static void check_characters(void)
{
    CHARACTER(isalpha) CHARACTER(isdigit) CHARACTER(isalnum) CHARACTER(isspace) CHARACTER(isupper)
    CHARACTER(islower) CHARACTER(ispunct) CHARACTER(isxdigit) CHARACTER(iscntrl) CHARACTER(isprint)
    CHARACTER(isgraph) CHARACTER(isblank) CHARACTER(isascii) CHARACTER(toascii) CHARACTER(toupper)
    CHARACTER(tolower)
}

/* ---- numbers ---- */

char *number_text(void)
{
    static const char *const PARTS[] = {"", " ", "\t\n ", "-", "+", "0", "0x", "0X", "0b", "x", "1", "7", "9", "z", "aF", "g",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "2147483648",
        "7fffffffffffffff", "8000000000000000", "ffffffffffffffff", "10000000000000000", "777777777777777777777",
        "1y2p0ij32e8e7", "3w5e11264sgsf", "00000000000000000000000000000001", "12", "\x80", "."};
    return joined(0, 5, PARTS, sizeof PARTS / sizeof *PARTS);
}

#define NUMBER(type, name)                                                                                  \
    {                                                                                                       \
        type __cairn_w_##name(const char *, char **, int);                                                  \
        char *real_end = (char *)1, *model_end = (char *)1, **none = NULL;                                  \
        type real, model;                                                                                   \
        int real_errno;                                                                                     \
        errno = 77;                                                                                         \
        real = name(a, chance(9) ? &real_end : none, base);                                                 \
        real_errno = errno;                                                                                 \
        errno = 77;                                                                                         \
        model = __cairn_w_##name(a, real_end == (char *)1 && base >= 0 && base != 1 && base <= 36 ? none : &model_end, base); \
        EXPECT(real == model, #name "(\"%s\", %d): %lld, not %lld", a, base, (long long)model, (long long)real); \
        EXPECT(real_errno == errno, #name "(\"%s\", %d): errno %d, not %d", a, base, errno, real_errno);    \
        EXPECT(real_end == model_end, #name "(\"%s\", %d): end %td, not %td", a, base, model_end - a, real_end - a); \
    }

#define ASCII_NUMBER(type, name)                                                                            \
    {                                                                                                       \
        type __cairn_w_##name(const char *);                                                                \
        EXPECT(name(a) == __cairn_w_##name(a), #name "(\"%s\")", a);                                        \
    }

static void check_numbers(void)
{
    static const int BASES[] = {0, 8, 10, 16, 36, 2, 10, 0, 16, 1, -1, 37, 7, 35};
    char *a = number_text();
    int base = BASES[chance(sizeof BASES / sizeof *BASES)];
    NUMBER(long, strtol)
    NUMBER(long long, strtoll)
    NUMBER(intmax_t, strtoimax)
    NUMBER(unsigned long, strtoul)
    NUMBER(unsigned long long, strtoull)
    NUMBER(uintmax_t, strtoumax)
    ASCII_NUMBER(int, atoi)
    ASCII_NUMBER(long, atol)
    ASCII_NUMBER(long long, atoll)
}

/* This libc may not have the functions of C23: what is special about them are binary numbers. */
static void check_c23(void)
{
    long __cairn_w___isoc23_strtol(const char *, char **, int);
    char *end;
    EXPECT(__cairn_w___isoc23_strtol(" -0b101z", &end, 0) == -5 && *end == 'z', "binary, base 0");
    EXPECT(__cairn_w___isoc23_strtol("0B11", &end, 2) == 3 && *end == '\0', "binary, base 2");
    EXPECT(__cairn_w___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b', "only a prefix");
    EXPECT(__cairn_w___isoc23_strtol("0b1", &end, 16) == 0xb1 && *end == '\0', "a digit of base 16");
    EXPECT(__cairn_w___isoc23_strtol("0x1f", &end, 0) == 31 && *end == '\0', "base 16");
}

/* ---- sorting ---- */

void __cairn_w_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void __cairn_w_qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void *__cairn_w_bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));

static unsigned long order;

/* Compares first bytes only, so that the order of equals shows, and remembers who was compared. */
static int compare(const void *a, const void *b)
{
    const unsigned char *x = a, *y = b;
    order = order * 31 + x[0] * 7u + y[0];
    return x[0] - y[0];
}

static int compare_with(const void *a, const void *b, void *count)
{
    ++*(unsigned long *)count;
    return compare(a, b);
}

/* Room for one more is after the last element. */
static void check_linear_search(unsigned char *elements, size_t count, size_t size, unsigned char first)
{
    void *__cairn_w_lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
    void *__cairn_w_lsearch(const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
    unsigned char key[64] = {first}, copy[1024];
    size_t real_count = count, model_count = count;
    memcpy(copy, elements, sizeof copy);
    EXPECT(lfind(key, elements, &count, size, compare) == __cairn_w_lfind(key, elements, &count, size, compare), "lfind");
    unsigned char *real = lsearch(key, elements, &real_count, size, compare);
    unsigned char *model = __cairn_w_lsearch(key, copy, &model_count, size, compare);
    EXPECT(real - elements == model - copy && real_count == model_count && memcmp(elements, copy, sizeof copy) == 0, "lsearch");
}

static void check_sorting(void)
{
    unsigned char real[1024], model[1024], again[1024], key;
    unsigned size = 1 + chance(40), count = chance(20), kinds = 1 + chance(10);
    unsigned long real_order;
    for (unsigned i = 0; i < count; i++) {
        memset(real + i * size, (int)i, size);
        real[i * size] = (unsigned char)chance(kinds);
    }
    memcpy(model, real, sizeof real);
    memcpy(again, real, sizeof real);
    order = 0;
    qsort(real, count, size, compare);
    real_order = order;
    order = 0;
    __cairn_w_qsort(model, count, size, compare);
    EXPECT(memcmp(real, model, count * size) == 0, "qsort of %u times %u", count, size);
    EXPECT(order == real_order, "qsort of %u times %u", count, size);
    __cairn_w_qsort_r(again, count, size, compare_with, &order);
    EXPECT(memcmp(real, again, count * size) == 0, "qsort_r of %u times %u", count, size);
    key = (unsigned char)chance(kinds);
    EXPECT(bsearch(&key, real, count, size, compare) == __cairn_w_bsearch(&key, real, count, size, compare), "bsearch");
    check_linear_search(real, count, size, (unsigned char)chance(kinds + 1));
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    make_places();
    check_c23();
    check_readers();
    for (int i = 0; i < 50000; i++) {
        if (i == 40000)
            setlocale(LC_ALL, "C.UTF-8");
        check_searching();
        check_writing();
        check_pieces();
        check_numbers();
        check_sorting();
        check_scanning();
        check_floats_in_text();
        check_printing();
        check_misc();
        check_regex();
        check_parts_of_numbers();
        if (i % 10 == 0)
            check_scanning_streams();
        if (i % 1000 == 0) {
            check_characters();
            check_wide_characters();
            check_threads();
            check_writers();
        }
    }
    printf("%lu comparisons, all equal\n", comparisons);
    return 0;
}
