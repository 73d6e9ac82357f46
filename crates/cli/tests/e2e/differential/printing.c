/* sprintf and its kin. */
#include "differential.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <wchar.h>

int __cairn_w_vsnprintf(char *, size_t, const char *, va_list);
int __cairn_w_vsprintf(char *, const char *, va_list);
int __cairn_w_vasprintf(char **, const char *, va_list);

#define ROOM 1024

/* Calls a function of the library and its model with the same arguments, on a buffer of `size`. */
static void compare(size_t size, const char *format, ...)
{
    static char real[ROOM], model[ROOM];
    char *real_text, *model_text;
    int real_length, model_length, real_errno;
    va_list arguments;
    memset(real, 'z', ROOM);
    memset(model, 'z', ROOM);
    errno = ENOENT;
    va_start(arguments, format);
    real_length = vsnprintf(real, size, format, arguments);
    va_end(arguments);
    real_errno = errno;
    errno = ENOENT;
    va_start(arguments, format);
    model_length = __cairn_w_vsnprintf(model, size, format, arguments);
    va_end(arguments);
    EXPECT(real_length == model_length, "snprintf(%zu, \"%s\"): %d, not %d", size, format, model_length, real_length);
    EXPECT(real_errno == errno, "snprintf(%zu, \"%s\"): errno %d, not %d", size, format, errno, real_errno);
    if (real_length < 0)
        return;
    EXPECT(memcmp(real, model, ROOM) == 0, "snprintf(%zu, \"%s\"): \"%s\", not \"%s\"", size, format, model, real);
    va_start(arguments, format);
    real_length = vasprintf(&real_text, format, arguments);
    va_end(arguments);
    errno = ENOENT;
    va_start(arguments, format);
    model_length = __cairn_w_vasprintf(&model_text, format, arguments);
    va_end(arguments);
    EXPECT(real_length == model_length && memcmp(real_text, model_text, (size_t)real_length + 1) == 0, "asprintf(\"%s\"): \"%s\", not \"%s\"", format, model_text, real_text);
    if (real_length < ROOM) {
        va_start(arguments, format);
        model_length = __cairn_w_vsprintf(model, format, arguments);
        va_end(arguments);
        EXPECT(real_length == model_length && memcmp(real_text, model, (size_t)real_length + 1) == 0, "sprintf(\"%s\")", format);
    }
    free(real_text);
    free(model_text);
}

static const char *const FLAGS[] = {"", "", "-", "0", "+", " ", "#", "-0", "+ ", "#0", "-#", "'"};
static const char *const WIDTHS[] = {"", "", "", "1", "5", "12", "40", "*", "99999999999"};
static const char *const PRECISIONS[] = {"", "", "", ".", ".0", ".1", ".3", ".7", ".20", ".*"};
static const char *const LITERALS[] = {"", "", "a", " b ", "%%", "%5%", "\x80"};

/* A specification with this modifier and conversion; says how many stars it has. */
static int specify(char *format, const char *size, const char *conversion)
{
    const char *width = ONE_OF(WIDTHS), *precision = ONE_OF(PRECISIONS), *before = ONE_OF(LITERALS);
    if (strlen(width) > 3 && chance(50) != 0)
        width = "7";
    sprintf(format, "%s%%%s%s%s%s%s%s", before, ONE_OF(FLAGS), width, precision, size, conversion, ONE_OF(LITERALS));
    return (*width == '*') + (strcmp(precision, ".*") == 0);
}

static uint64_t random_integer(void)
{
    static const uint64_t EDGES[] = {0, 1, 9, 10, 99, 100, 127, 128, 255, 32768, 65535, INT32_MAX, 1u << 31, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX};
    uint64_t bits = (uint64_t)chance(1u << 31) << 33 ^ (uint64_t)chance(1u << 31) << 10 ^ chance(1u << 31);
    return chance(2) ? ONE_OF(EDGES) : bits >> chance(64);
}

#define COMPARE(value)                                                                                      \
    do {                                                                                                    \
        if (stars == 0)                                                                                     \
            compare(size, format, value);                                                                   \
        else if (stars == 1)                                                                                \
            compare(size, format, first, value);                                                            \
        else                                                                                                \
            compare(size, format, first, second, value);                                                    \
    } while (0)

static void check_integer(size_t size, int first, int second)
{
    static const char *const CONVERSIONS[] = {"d", "i", "u", "o", "x", "X"};
    static const char *const NARROW[] = {"", "h", "hh"}, *const WIDE[] = {"l", "ll", "j", "z", "t", "q", "L"};
    char format[64];
    uint64_t value = random_integer();
    int narrow = chance(2) == 0, stars = specify(format, narrow ? ONE_OF(NARROW) : ONE_OF(WIDE), ONE_OF(CONVERSIONS));
    if (narrow)
        COMPARE((unsigned)value);
    else
        COMPARE(value);
}

static void check_text(size_t size, int first, int second)
{
    char format[64], *a = text(0, chance(4) ? 8 : 200, "ab\x80"), *none = NULL;
    int stars;
    stars = specify(format, "", "s");
    COMPARE(chance(9) ? a : none);
    stars = specify(format, "", "p");
    COMPARE(chance(4) ? a : none);
    stars = specify(format, "", "c");
    COMPARE((int)chance(256));
    stars = specify(format, "", "m");
    COMPARE(0);
    stars = specify(format, "", "k");
    COMPARE(0);
}

static void check_by_library(size_t size, int first, int second)
{
    static const char *const REALS[] = {"f", "e", "g", "a", "F", "E", "G", "A"};
    char format[64];
    int stars;
    stars = specify(format, chance(2) ? "" : "l", ONE_OF(REALS));
    COMPARE((double)(int64_t)random_integer() / 7);
    stars = specify(format, "L", ONE_OF(REALS));
    COMPARE((long double)random_integer() / 7);
    stars = specify(format, "l", "s");
    COMPARE(chance(2) ? L"wide" : L"w\x20ac");
    stars = specify(format, "l", "c");
    COMPARE((wint_t)'w');
}

void check_printing(void)
{
    static const size_t SIZES[] = {0, 1, 2, 7, 30, ROOM};
    size_t size = ONE_OF(SIZES);
    int first = (int)chance(40) - 15, second = (int)chance(20) - 5, real_count = 0, model_count = 0;
    char to[64];
    check_integer(size, first, second);
    check_text(size, first, second);
    check_by_library(size, first, second);
    compare(size, "%s=%d %c%lx, %.*s|%n", "name", (int)random_integer(), 'x', random_integer(), 2, "text", &real_count);
    int __cairn_w_snprintf(char *, size_t, const char *, ...);
    snprintf(to, size < 64 ? size : 64, "%d%n", (int)chance(1u << 31), &real_count);
    __cairn_w_snprintf(to, 0, "%s%n", to, &model_count);
    EXPECT(size < 20 || real_count == model_count, "%%n: %d, not %d", model_count, real_count);
}
