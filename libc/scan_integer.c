/* Conversions of scanf that read integers: %d %i %u %o %x %p and, in C23, %b */
#include "number.h"
#include "scan.h"

/* An integer being read. */
struct field {
    struct source *source;
    int width;
    int base;
    int c;
};

static void advance(struct field *field)
{
    if (field->width > 0)
        field->width--;
    field->c = __cairn_m_next(field->source);
}

static int base_of(char conversion)
{
    switch (conversion) {
    case 'x':
    case 'X':
    case 'p':
        return 16;
    case 'o':
        return 8;
    case 'i':
        return 0;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

/* Takes the prefix that selects the base. Its 0 may be the whole number. */
static int take_prefix(struct field *field, int binary)
{
    int base = field->base, zero;
    if (base == 8 || base == 10)
        return 0;
    zero = field->width != 0 && field->c == '0';
    if (zero) {
        advance(field);
        if ((base == 0 || base == 16) && field->width != 0 && TO_LOWER(field->c) == 'x') {
            field->base = 16;
            advance(field);
        } else if (binary && (base == 0 || base == 2) && field->width != 0 && TO_LOWER(field->c) == 'b') {
            field->base = 2;
            advance(field);
        } else if (base == 0) {
            field->base = 8;
        }
    }
    if (field->base == 0)
        field->base = 10;
    return zero;
}

/* Matches glibc's representation of a null pointer. */
static int is_nil(struct source *source)
{
    const char *expected = "(nil)";
    int c = source->last;
    while (TO_LOWER(c) == *expected) {
        if (*++expected == '\0')
            return 1;
        c = __cairn_m_next(source);
    }
    return 0;
}

enum outcome __cairn_m_scan_integer(struct source *source, const struct directive *directive, int binary, void *to)
{
    char conversion = directive->conversion;
    enum number type = conversion == 'd' || conversion == 'i' ? SIGNED : UNSIGNED;
    struct field field = {source, directive->width, base_of(conversion), __cairn_m_next(source)};
    struct integer integer;
    unsigned long value;
    int minus, sign, zero;
    if (field.c == EOF)
        return NO_INPUT;
    minus = field.c == '-';
    sign = minus || field.c == '+';
    if (sign)
        advance(&field);
    zero = take_prefix(&field, binary);
    integer = __cairn_m_integer(field.base, type, minus);
    while (field.width != 0 && __cairn_m_take_digit(&integer, field.c))
        advance(&field);
    if (zero || integer.digits > 0) {
        __cairn_m_put_back(source);
    } else if (sign || conversion != 'p' || (field.width >= 0 && field.width < 5) || !is_nil(source)) {
        __cairn_m_put_back(source);
        return MISMATCH;
    }
    value = __cairn_m_value(&integer);
    if (to != NULL)
        __cairn_m_store(to, conversion == 'p' ? LONG : directive->size, value);
    return CONVERTED;
}
