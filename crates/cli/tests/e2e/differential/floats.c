/* Floating-point numbers: in text, and taken apart. */
#include "differential.h"
#include <errno.h>
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
