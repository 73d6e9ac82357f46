/* Functions of one kind each: more about strings, small numbers, patterns, wide characters. */
#include "differential.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

void *__cairn_w_memmem(const void *, size_t, const void *, size_t);
char *__cairn_w_strcasestr(const char *, const char *);
void *__cairn_w_memccpy(void *, const void *, int, size_t);
int __cairn_w_strverscmp(const char *, const char *);
int __cairn_w_strcoll(const char *, const char *);
size_t __cairn_w_strxfrm(char *, const char *, size_t);
void __cairn_w_swab(const void *, void *, ssize_t);
int __cairn_w_fnmatch(const char *, const char *, int);

static void check_more_strings(void)
{
    static const char *const ALPHABETS[] = {"a", "ab", "aAbB", "01", "019.a", "\x80z"};
    const char *letters = ONE_OF(ALPHABETS);
    char *a = text(0, 9, letters), *b = text(1, chance(2) ? 9 : 3, letters), real[32], model[32];
    size_t a_length = strlen(a), b_length = strlen(b), n = chance(12);
    int c = letters[0];
    EXPECT(memmem(a, a_length, b, b_length) == __cairn_w_memmem(a, a_length, b, b_length), "memmem(\"%s\", \"%s\")", a, b);
    EXPECT(strcasestr(a, b) == __cairn_w_strcasestr(a, b), "strcasestr(\"%s\", \"%s\")", a, b);
    EXPECT(strverscmp(a, b) == __cairn_w_strverscmp(a, b), "strverscmp(\"%s\", \"%s\"): %d, not %d", a, b, __cairn_w_strverscmp(a, b), strverscmp(a, b));
    EXPECT(strcoll(a, b) == __cairn_w_strcoll(a, b), "strcoll(\"%s\", \"%s\")", a, b);
    memset(real, 'z', sizeof real);
    memset(model, 'z', sizeof model);
    EXPECT(strxfrm(real, a, n) == __cairn_w_strxfrm(model, a, n) && memcmp(real, model, sizeof real) == 0, "strxfrm(\"%s\", %zu)", a, n);
    n = chance((unsigned)a_length + 2);
    char *real_end = memccpy(real, a, c, n), *model_end = __cairn_w_memccpy(model, a, c, n);
    EXPECT((real_end ? real_end - real : -1) == (model_end ? model_end - model : -1), "memccpy(\"%s\", %zu)", a, n);
    EXPECT(memcmp(real, model, sizeof real) == 0, "memccpy(\"%s\", %zu)", a, n);
    swab(a, real, (ssize_t)n);
    __cairn_w_swab(a, model, (ssize_t)n);
    EXPECT(memcmp(real, model, sizeof real) == 0, "swab(\"%s\", %zu)", a, n);
}

char *__xpg_basename(char *), *dirname(char *);

#define CUTS(name)                                                                                          \
    {                                                                                                       \
        char *__cairn_w_##name(char *), real[32] = "", model[32] = "", *real_name, *model_name;             \
        strcpy(real, path);                                                                                 \
        strcpy(model, path);                                                                                \
        real_name = name(real);                                                                             \
        model_name = __cairn_w_##name(model);                                                               \
        EXPECT(strcmp(real_name, model_name) == 0, #name "(\"%s\"): \"%s\", not \"%s\"", path, model_name, real_name); \
        EXPECT(memcmp(real, model, sizeof real) == 0, #name "(\"%s\")", path);                              \
    }

static void check_paths(void)
{
    char *__cairn_w_basename(const char *);
    const char *path = text(0, 8, chance(4) ? "//ab" : "/");
    EXPECT(basename(path) == __cairn_w_basename(path), "basename(\"%s\")", path);
    CUTS(__xpg_basename)
    CUTS(dirname)
}

static void check_patterns(void)
{
    static const char *const PARTS[] = {"*", "?", "[ab]", "[!a]", "[^a-c]", "[a-c]", "[]a]", "[a-]", "[[:alpha:]]", "[[:upper:]b]", "[", "[a", "]", "\\", "\\*",
        "[\\]a]", "a", "b", "A", ".", "/", "*a", "**", "*/", "[.]", "[/]", "[[:foo:]]", "[[=a=]]", "[[.a.]]", "[c-a]", "[--0]", "[A-Z]", "[a-\\c]", "[!", "-"};
    static const char *const WORDS[] = {"a", "b", "c", "A", "B", ".", "/", "-", "]", "[", "*", "ab", "/.", "\\", "\x80"};
    static const int FLAGS[] = {FNM_PATHNAME, FNM_NOESCAPE, FNM_PERIOD, FNM_CASEFOLD, FNM_LEADING_DIR};
    const char *pattern = joined(0, 5, PARTS, sizeof PARTS / sizeof *PARTS), *a = joined(1, 5, WORDS, sizeof WORDS / sizeof *WORDS);
    int flags = 0, real, model;
    for (int n = (int)chance(4); n > 0; n--)
        flags |= ONE_OF(FLAGS);
    flags |= chance(50) == 0 ? FNM_EXTMATCH : 0;
    real = fnmatch(pattern, a, flags);
    model = __cairn_w_fnmatch(pattern, a, flags);
    EXPECT(real == model, "fnmatch(\"%s\", \"%s\", %d): %d, not %d", pattern, a, flags, model, real);
}

#define UNARY(type, name, value)                                                                            \
    {                                                                                                       \
        type __cairn_w_##name(type);                                                                        \
        type number = (type)(value);                                                                        \
        EXPECT((name)(number) == __cairn_w_##name(number), #name "(%lld)", (long long)number);              \
    }

#define TO_INT(type, name, value)                                                                           \
    {                                                                                                       \
        int __cairn_w_##name(type);                                                                         \
        type number = (type)(value);                                                                        \
        EXPECT((name)(number) == __cairn_w_##name(number), #name "(%lld)", (long long)number);              \
    }

#define DIVISION(type, result, name)                                                                        \
    {                                                                                                       \
        result __cairn_w_##name(type, type), real, model;                                                   \
        type a = (type)value, b = (type)other;                                                              \
        if (b != 0 && b != -1) {                                                                            \
            real = name(a, b);                                                                              \
            model = __cairn_w_##name(a, b);                                                                 \
            EXPECT(real.quot == model.quot && real.rem == model.rem, #name);                                \
        }                                                                                                   \
    }

static void check_integers(void)
{
    uint64_t value = (uint64_t)chance(1u << 31) << 33 ^ (uint64_t)chance(1u << 31) << 2, other = chance(1u << 20);
    value = (int64_t)value >> chance(64);
    UNARY(int, abs, value) UNARY(long, labs, value) UNARY(long long, llabs, value) UNARY(intmax_t, imaxabs, value)
    TO_INT(int, ffs, value) TO_INT(long, ffsl, value) TO_INT(long long, ffsll, value)
    UNARY(uint32_t, htonl, value) UNARY(uint32_t, ntohl, value) UNARY(uint16_t, htons, value) UNARY(uint16_t, ntohs, value)
    other = chance(2) ? other : -other;
    DIVISION(int, div_t, div) DIVISION(long, ldiv_t, ldiv) DIVISION(long long, lldiv_t, lldiv) DIVISION(intmax_t, imaxdiv_t, imaxdiv)
}

#define WIDE(name)                                                                                          \
    {                                                                                                       \
        int __cairn_w_##name(wint_t);                                                                       \
        EXPECT((name)(c) == __cairn_w_##name(c), #name "(%u): %d, not %d", c, __cairn_w_##name(c), (name)(c)); \
    }

static void check_wide_character(wint_t c)
{
    static const char *const CLASSES[] = {"alpha", "digit", "space", "upper", "punct", "none"};
    wint_t __cairn_w_towlower(wint_t), __cairn_w_towupper(wint_t), __cairn_w_btowc(int);
    int __cairn_w_wctob(wint_t), __cairn_w_iswctype(wint_t, wctype_t), __cairn_w_wcwidth(wchar_t);
    int __cairn_w_wctomb(char *, wchar_t);
    size_t __cairn_w_wcrtomb(char *, wchar_t, mbstate_t *);
    const char *class = ONE_OF(CLASSES);
    char real[16] = "", model[16] = "";
    WIDE(iswalnum) WIDE(iswalpha) WIDE(iswblank) WIDE(iswcntrl) WIDE(iswdigit) WIDE(iswgraph)
    WIDE(iswlower) WIDE(iswprint) WIDE(iswpunct) WIDE(iswspace) WIDE(iswupper) WIDE(iswxdigit)
    EXPECT(towlower(c) == __cairn_w_towlower(c) && towupper(c) == __cairn_w_towupper(c), "case of %u", c);
    EXPECT(btowc((int)c) == __cairn_w_btowc((int)c) && wctob(c) == __cairn_w_wctob(c), "byte %u", c);
    EXPECT(!iswctype(c, wctype(class)) == !__cairn_w_iswctype(c, wctype(class)), "iswctype(%u, %s)", c, class);
    EXPECT(wcwidth((wchar_t)c) == __cairn_w_wcwidth((wchar_t)c), "wcwidth(%u)", c);
    EXPECT(wcrtomb(real, (wchar_t)c, NULL) == __cairn_w_wcrtomb(model, (wchar_t)c, NULL) && strcmp(real, model) == 0, "wcrtomb(%u)", c);
    EXPECT(wctomb(real, (wchar_t)c) == __cairn_w_wctomb(model, (wchar_t)c) && strcmp(real, model) == 0, "wctomb(%u)", c);
}

/* Functions that remember part of a character are made to forget it. */
#define FRESH(name, real_call, model_call)                                                                  \
    {                                                                                                       \
        int real_length, model_length;                                                                      \
        mblen(NULL, 0);                                                                                     \
        mbtowc(NULL, NULL, 0);                                                                              \
        real_length = real_call;                                                                            \
        mblen(NULL, 0);                                                                                     \
        mbtowc(NULL, NULL, 0);                                                                              \
        model_length = model_call;                                                                          \
        EXPECT(real_length == model_length, #name "(\"%s\", %zu): %d, not %d", a, n, model_length, real_length); \
    }

/* Text of several bytes for some characters, read byte by byte or as much as there is. */
static void check_multibyte_text(void)
{
    size_t __cairn_w_mbrtowc(wchar_t *, const char *, size_t, mbstate_t *), __cairn_w_mbrlen(const char *, size_t, mbstate_t *);
    int __cairn_w_mbtowc(wchar_t *, const char *, size_t), __cairn_w_mblen(const char *, size_t);
    static const char *const PARTS[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xc3", "\x80", "z", "\xff"};
    const char *a = joined(0, 4, PARTS, sizeof PARTS / sizeof *PARTS);
    mbstate_t real_state = {0}, model_state = {0};
    size_t left = strlen(a) + 1, n = chance(2) ? 1 : left, real, model;
    do {
        wchar_t real_wide = 7, model_wide = 7;
        n = n < left ? n : left;
        FRESH(mblen, mblen(a, n), __cairn_w_mblen(a, n));
        FRESH(mbtowc, mbtowc(&real_wide, a, n), __cairn_w_mbtowc(&model_wide, a, n));
        EXPECT(real_wide == model_wide, "mbtowc(\"%s\")", a);
        EXPECT(mbrlen(a, n, &(mbstate_t){0}) == __cairn_w_mbrlen(a, n, &(mbstate_t){0}), "mbrlen(\"%s\")", a);
        real = mbrtowc(&real_wide, a, n, &real_state);
        model = __cairn_w_mbrtowc(&model_wide, a, n, &model_state);
        EXPECT(real == model && real_wide == model_wide, "mbrtowc(\"%s\", %zu): %zd, not %zd", a, n, model, real);
        real = real == (size_t)-2 ? n : real;
        a += real;
        left -= real;
    } while (real != 0 && real != (size_t)-1 && left > 0);
}

#define SIGN(number) (((number) > 0) - ((number) < 0))

static void check_wide_strings(void)
{
    size_t __cairn_w_mbstowcs(wchar_t *, const char *, size_t), __cairn_w_wcstombs(char *, const wchar_t *, size_t), __cairn_w_wcslen(const wchar_t *);
    int __cairn_w_wcscmp(const wchar_t *, const wchar_t *), __cairn_w_wcsncmp(const wchar_t *, const wchar_t *, size_t), __cairn_w_wmemcmp(const wchar_t *, const wchar_t *, size_t);
    wchar_t *__cairn_w_wcschr(const wchar_t *, wchar_t), *__cairn_w_wmemchr(const wchar_t *, wchar_t, size_t), *__cairn_w_wcscpy(wchar_t *, const wchar_t *);
    static const char *const PARTS[] = {"a", "a", "b", "z", "\xc3\xa4"};
    const char *a = joined(0, 5, PARTS, chance(4) ? 4 : 5);
    wchar_t real[32] = L"zzzzzzzzzzzzzzzz", model[32] = L"zzzzzzzzzzzzzzzz", other[32], c = L"abz"[chance(4)];
    char real_bytes[32] = "zzzzzzzzzzz", model_bytes[32] = "zzzzzzzzzzz";
    size_t n = chance(8), length = mbstowcs(NULL, a, 0);
    EXPECT(length == __cairn_w_mbstowcs(NULL, a, 0), "mbstowcs(\"%s\")", a);
    EXPECT(mbstowcs(real, a, n) == __cairn_w_mbstowcs(model, a, n), "mbstowcs(\"%s\", %zu)", a, n);
    if (length == (size_t)-1)
        return;
    EXPECT(memcmp(real, model, sizeof real) == 0, "mbstowcs(\"%s\", %zu)", a, n);
    mbstowcs(real, a, 32);
    mbstowcs(other, joined(0, 5, PARTS, 4), 32);
    EXPECT(wcstombs(NULL, real, 0) == __cairn_w_wcstombs(NULL, real, 0), "wcstombs");
    EXPECT(wcstombs(real_bytes, real, n) == __cairn_w_wcstombs(model_bytes, real, n) && memcmp(real_bytes, model_bytes, 32) == 0, "wcstombs(%zu)", n);
    EXPECT(wcslen(real) == __cairn_w_wcslen(real), "wcslen");
    EXPECT(SIGN(wcscmp(real, other)) == SIGN(__cairn_w_wcscmp(real, other)), "wcscmp");
    EXPECT(SIGN(wcsncmp(real, other, n)) == SIGN(__cairn_w_wcsncmp(real, other, n)), "wcsncmp");
    EXPECT(SIGN(wmemcmp(real, other, n)) == SIGN(__cairn_w_wmemcmp(real, other, n)), "wmemcmp");
    EXPECT(wcschr(real, c) == __cairn_w_wcschr(real, c), "wcschr");
    EXPECT(wmemchr(real, c, length) == __cairn_w_wmemchr(real, c, length), "wmemchr");
    EXPECT(wcscmp(__cairn_w_wcscpy(model, real), real) == 0, "wcscpy");
}

void check_misc(void)
{
    check_wide_strings();
    check_more_strings();
    check_patterns();
    check_paths();
    check_integers();
    check_multibyte_text();
}

void check_wide_characters(void)
{
    for (wint_t c = 0; c < 300; c++)
        check_wide_character(c);
    check_wide_character(WEOF);
}
