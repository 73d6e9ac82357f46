/* Floating-point numbers: in text, and taken apart. */
#include "differential.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define FLOAT(type, name, size)                                                                             \
    {                                                                                                       \
        type __cairn_w_##name(const char *, char **), real, model;                                          \
        char *real_end, *model_end;                                                                         \
        int real_errno;                                                                                     \
        errno = 77;                                                                                         \
        real = name(from, &real_end);                                                                       \
        real_errno = errno;                                                                                 \
        errno = 77;                                                                                         \
        model = __cairn_w_##name(from, &model_end);                                                         \
        EXPECT(memcmp(&real, &model, size) == 0, #name "(\"%s\"): %La, not %La", from, (long double)model, (long double)real); \
        EXPECT(real_errno == errno, #name "(\"%s\"): errno %d, not %d", from, errno, real_errno);           \
        EXPECT(real_end == model_end, #name "(\"%s\"): end %td, not %td", from, model_end - from, real_end - from); \
    }

/* Digits with a point and an exponent, most of them a number. */
static char *random_number(void)
{
    char made[64] = "", digits[24];
    for (unsigned i = 0, n = chance(20); i < n; i++)
        strcat(made, (char[]){(char)('0' + chance(10)), '\0'});
    if (chance(2))
        strcat(made, ".");
    for (unsigned i = 0, n = chance(8); i < n; i++)
        strcat(made, (char[]){(char)('0' + chance(10)), '\0'});
    snprintf(digits, sizeof digits, "e%d", (int)chance(60) - 30);
    if (chance(2))
        strcat(made, digits);
    const char *const PARTS[] = {made};
    return joined(0, 1, PARTS, 1);
}

void check_floats_in_text(void)
{
    static const char *const PARTS[] = {"", " ", "\t", "-", "+", "0", "1", "9", "12", "345", ".", ".5", "0.1", "e", "E", "e5", "e-7", "e+22", "e23",
        "e-22", "e400", "e-400", "e99999", "9007199254740993", "9007199254740992", "16777217", "33554433", "1.00000005960464477539062",
        "123456789012345678", "0x", "0X", "0x1", "0x.8", "p3", "p-1", "p", "a", "inf", "INFINITY", "infin", "in", "nan", "nan(", "NaN(12_a)",
        ")", "x", "\x80", "0000000", "00000000000000000000", "3.4028236e38", "1e-45"};
    char *from = chance(2) ? random_number() : joined(0, 5, PARTS, sizeof PARTS / sizeof *PARTS);
    double __cairn_w_atof(const char *);
    double real, model;
    FLOAT(double, strtod, sizeof(double))
    FLOAT(float, strtof, sizeof(float))
    FLOAT(long double, strtold, 10)
    real = atof(from);
    model = __cairn_w_atof(from);
    EXPECT(memcmp(&real, &model, sizeof real) == 0, "atof(\"%s\")", from);
}

/* ---- parts of numbers ---- */

static double random_double(void)
{
    static const double EDGES[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 0x1p52, 0x1p53, -0x1p62, 0x1p63, INFINITY, -INFINITY, NAN, 0x1p-1022, 0x1p-1074,
        0x1.fffffffffffffp1023, 0.49999999999999994, 4503599627370495.5};
    uint64_t bits = (uint64_t)chance(1u << 31) << 33 ^ (uint64_t)chance(1u << 31) << 12 ^ chance(1u << 31);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (chance(3) == 0)
        return ONE_OF(EDGES);
    return chance(2) ? number : ((double)chance(4000) - 2000) / 4;
}

/* As the header has them, not as its macros. */
int __isnan(double), __isnanf(float), __isinf(double), __isinff(float), __finite(double), __finitef(float);
int __signbit(double), __signbitf(float), __fpclassify(double), __fpclassifyf(float);

#define SAME_NUMBER(type, real, model, what)                                                                \
    do {                                                                                                    \
        type real_number = (real), model_number = (model);                                                  \
        EXPECT(memcmp(&real_number, &model_number, sizeof real_number) == 0, what "(%a): %a, not %a", (double)number, \
               (double)model_number, (double)real_number);                                                  \
    } while (0)

#define TEST(type, name)                                                                                    \
    {                                                                                                       \
        int __cairn_w_##name(type);                                                                         \
        type number = (type)full;                                                                           \
        EXPECT(name(number) == __cairn_w_##name(number), #name "(%a): %d, not %d", (double)number, __cairn_w_##name(number), name(number)); \
    }

#define SPLIT(type, name, part)                                                                             \
    {                                                                                                       \
        type __cairn_w_##name(type, part *), number = (type)full;                                           \
        part real_part = 0, model_part = 0;                                                                 \
        SAME_NUMBER(type, name(number, &real_part), __cairn_w_##name(number, &model_part), #name);          \
        EXPECT(memcmp(&real_part, &model_part, sizeof real_part) == 0, #name "(%a)", (double)number);       \
    }

#define WITH_INT(type, name)                                                                                \
    {                                                                                                       \
        type __cairn_w_##name(type, int), number = (type)full;                                              \
        SAME_NUMBER(type, name(number, n), __cairn_w_##name(number, n), #name);                             \
    }

#define REMAINDER(type, name, with_quotient)                                                                \
    {                                                                                                       \
        type __cairn_w_##name(type, type), __cairn_w_##with_quotient(type, type, int *), by = (type)other;  \
        int real_quotient = 0, model_quotient = 0;                                                          \
        SAME_NUMBER(type, name((type)full, by), __cairn_w_##name((type)full, by), #name);                   \
        SAME_NUMBER(type, with_quotient((type)full, by, &real_quotient), __cairn_w_##with_quotient((type)full, by, &model_quotient), #with_quotient); \
        EXPECT(real_quotient == model_quotient, #with_quotient "(%a, %a): %d, not %d", full, other, model_quotient, real_quotient); \
    }

#define TO(result, type, name)                                                                              \
    {                                                                                                       \
        result __cairn_w_##name(type);                                                                      \
        type number = (type)full;                                                                           \
        SAME_NUMBER(result, name(number), __cairn_w_##name(number), #name);                                 \
    }

void check_parts_of_numbers(void)
{
    double full = random_double(), number = full, other = random_double();
    int n = chance(9) == 0 ? INT_MIN : (int)chance(200) - 100;
    double __cairn_w_nextafter(double, double), __cairn_w_scalbln(double, long);
    TEST(double, __isnan) TEST(float, __isnanf) TEST(double, __isinf) TEST(float, __isinff) TEST(double, __finite) TEST(float, __finitef)
    TEST(double, __fpclassify) TEST(float, __fpclassifyf)
    int __cairn_w___signbit(double), __cairn_w___signbitf(float);
    EXPECT(!__signbit(full) == !__cairn_w___signbit(full) && !__signbitf((float)full) == !__cairn_w___signbitf((float)full), "signbit(%a)", full);
    SPLIT(double, frexp, int) SPLIT(float, frexpf, int) SPLIT(double, modf, double) SPLIT(float, modff, float)
    WITH_INT(double, ldexp) WITH_INT(float, ldexpf) WITH_INT(double, scalbn) WITH_INT(float, scalbnf)
    TO(int, double, ilogb) TO(int, float, ilogbf) TO(double, double, logb) TO(float, float, logbf)
    SAME_NUMBER(double, scalbln(full, n), __cairn_w_scalbln(full, n), "scalbln");
    SAME_NUMBER(double, nextafter(full, other), __cairn_w_nextafter(full, other), "nextafter");
    SAME_NUMBER(double, nextafter(full, full), __cairn_w_nextafter(full, full), "nextafter");
    REMAINDER(double, remainder, remquo) REMAINDER(float, remainderf, remquof)
}
