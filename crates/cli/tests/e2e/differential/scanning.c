/* The scanf family. */
#include "differential.h"
#include <errno.h>
#include <limits.h>

int __cairn_w_sscanf(const char *, const char *, ...);
int __cairn_w___isoc99_sscanf(const char *, const char *, ...);
int __cairn_w___isoc99_fscanf(FILE *, const char *, ...);
int old_sscanf(const char *, const char *, ...) __asm__("sscanf");

#define ARGUMENTS 6
#define SIZE 256

/* What a call was given to write to. */
struct targets {
    _Alignas(16) char bytes[ARGUMENTS][SIZE];
};

#define ALL(targets)                                                                                        \
    (targets)->bytes[0], (targets)->bytes[1], (targets)->bytes[2], (targets)->bytes[3], (targets)->bytes[4], \
        (targets)->bytes[5]

/* What an argument points to. The text of `%mc` has no end. */
enum allocated { NOTHING, STRING, CHARACTERS };

/* A format, and what it allocates. */
struct format {
    char text[512];
    enum allocated allocated[ARGUMENTS];
    int count;
};

static const char *const LITERALS[] = {"", "", " ", "\t", "%%", "a", ",", ":", "-", " ,", "x", "  "};
static const char *const WIDTHS[] = {"", "", "", "", "1", "2", "3", "5", "12", "40", "99999999999"};
static const char *const SIZES[] = {"", "", "", "h", "hh", "l", "ll", "j", "z", "t", "L", "q"};
static const char *const CONVERSIONS[] = {"d", "i", "u", "o", "x", "X", "p", "n", "a", "e", "f", "g", "E", "G", "%", "k"};
static const char *const TEXTS[] = {"s", "c", "[a-c]", "[^,]", "[]x]", "[^]x]", "[-a]", "[a-]", "[0-9.]", "[z-a]", "[^ ]"};
static const char *const MODES[] = {"", "", "", "*", "m"};

static void add_directive(struct format *format, int old)
{
    const char *mode = ONE_OF(MODES), *star = *mode == '*' ? "*" : "";
    int is_text = chance(2) == 0;
    enum allocated allocated = is_text && *mode == 'm' ? STRING : NOTHING;
    strcat(strcat(strcat(format->text, "%"), star), ONE_OF(WIDTHS));
    if (allocated)
        strcat(format->text, old && chance(2) ? "a" : "m");
    if (is_text) {
        const char *what = ONE_OF(TEXTS);
        /* `%ac` is not one of the old forms. */
        what = *what == 'c' && format->text[strlen(format->text) - 1] == 'a' ? "s" : what;
        allocated = allocated && *what == 'c' ? CHARACTERS : allocated;
        strcat(format->text, what);
    } else
        strcat(strcat(format->text, ONE_OF(SIZES)), ONE_OF(CONVERSIONS));
    if (*star == '\0' && format->text[strlen(format->text) - 1] != '%')
        format->allocated[format->count++] = allocated;
}

static void make_format(struct format *format, int old)
{
    memset(format, 0, sizeof *format);
    strcat(format->text, ONE_OF(LITERALS));
    while (format->count < ARGUMENTS - 1 && chance(4) != 0) {
        add_directive(format, old);
        strcat(format->text, ONE_OF(LITERALS));
    }
}

static char *input(void)
{
    static const char *const PARTS[] = {" ", "\t\n", "a", "b,", ",", ":", "-", "+", "0", "0x", "0X1f", "x", "12", "7", "-1", "(nil)", "(ni",
        "]", "%", "99999999999999999999", "-9223372036854775808", "1.5", ".5", "1e3", "1e+", "1e-2", "0x1.8p3", "0x", "nan", "in", "inf",
        "infinity", "infi", "-inf", "\x80", "abcabc", "3.", ".", "e", "0b1", "17179869184", "-2147483649", "0.1", "123456789012345678"};
    return chance(8) == 0 ? number_text() : joined(0, 6, PARTS, sizeof PARTS / sizeof *PARTS);
}

static void compare_targets(struct targets *real, struct targets *model, const struct format *format, const char *from)
{
    for (int i = 0; i < ARGUMENTS; i++) {
        char *real_text, *model_text;
        memcpy(&real_text, real->bytes[i], sizeof real_text);
        memcpy(&model_text, model->bytes[i], sizeof model_text);
        if (!format->allocated[i] || real_text == NULL || real_text == (char *)0x7a7a7a7a7a7a7a7a) {
            EXPECT(memcmp(real->bytes[i], model->bytes[i], SIZE) == 0, "\"%s\" from \"%s\": argument %d", format->text, from, i);
            continue;
        }
        EXPECT(model_text != NULL && memcmp(real_text, model_text, 1) == 0, "\"%s\" from \"%s\": argument %d", format->text, from, i);
        if (format->allocated[i] == STRING)
            EXPECT(strcmp(real_text, model_text) == 0, "\"%s\" from \"%s\": argument %d", format->text, from, i);
        free(real_text);
        free(model_text);
    }
}

void check_scanning(void)
{
    static struct targets real, model;
    struct format format;
    char *from = input();
    int old = chance(4) == 0, real_count, model_count, real_errno;
    make_format(&format, old);
    memset(&real, 'z', sizeof real);
    memset(&model, 'z', sizeof model);
    errno = 77;
    real_count = old ? old_sscanf(from, format.text, ALL(&real)) : sscanf(from, format.text, ALL(&real));
    real_errno = errno;
    errno = 77;
    model_count = old ? __cairn_w_sscanf(from, format.text, ALL(&model)) : __cairn_w___isoc99_sscanf(from, format.text, ALL(&model));
    EXPECT(real_count == model_count, "\"%s\" from \"%s\": %d, not %d", format.text, from, model_count, real_count);
    EXPECT(real_errno == errno, "\"%s\" from \"%s\": errno %d, not %d", format.text, from, errno, real_errno);
    compare_targets(&real, &model, &format, from);
}

void check_scanning_streams(void)
{
    static struct targets real, model;
    struct format format;
    char *from = input();
    FILE *real_stream = fmemopen(from, strlen(from) + (*from == '\0'), "r");
    FILE *model_stream = fmemopen(from, strlen(from) + (*from == '\0'), "r");
    do {
        make_format(&format, 0);
        memset(&real, 'z', sizeof real);
        memset(&model, 'z', sizeof model);
        int real_count = fscanf(real_stream, format.text, ALL(&real));
        int model_count = __cairn_w___isoc99_fscanf(model_stream, format.text, ALL(&model));
        EXPECT(real_count == model_count, "\"%s\" from \"%s\": %d, not %d", format.text, from, model_count, real_count);
        EXPECT(ftell(real_stream) == ftell(model_stream), "\"%s\" from \"%s\": at %ld, not %ld", format.text, from, ftell(model_stream), ftell(real_stream));
        EXPECT(!feof(real_stream) == !feof(model_stream), "\"%s\" from \"%s\": end %d, not %d", format.text, from, feof(model_stream), feof(real_stream));
        compare_targets(&real, &model, &format, from);
    } while (!feof(real_stream) && chance(4) != 0);
    fclose(real_stream);
    fclose(model_stream);
}
