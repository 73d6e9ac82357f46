/* strverscmp: numbers inside strings are compared by value, those with leading zeros as fractions */
#include "model.h"
#include <string.h>

static int is_digit(char c)
{
    return IN_RANGE(c, '0', '9');
}

/* Kind of number that the digits before the first difference belong to. */
enum before { NO_NUMBER, ZEROS, INTEGER, FRACTION };

/* Skips the common prefix; determines the kind of number at its end. */
static size_t shared(const char *a, const char *b, enum before *before)
{
    size_t i;
    *before = NO_NUMBER;
    for (i = 0; a[i] == b[i] && a[i] != '\0'; i++) {
        if (!is_digit(a[i]))
            *before = NO_NUMBER;
        else if (*before == NO_NUMBER)
            *before = a[i] == '0' ? ZEROS : INTEGER;
        else if (*before == ZEROS && a[i] != '0')
            *before = FRACTION;
    }
    return i;
}

/* The longer of two numbers is the larger one; of equal lengths, the first difference decides. */
static int compare_lengths(const char *a, const char *b, int difference)
{
    size_t i;
    for (i = 1; is_digit(a[i]); i++)
        if (!is_digit(b[i]))
            return 1;
    return is_digit(b[i]) ? -1 : difference;
}

static int compare(const char *a, const char *b)
{
    enum before before;
    size_t same = shared(a, b, &before);
    int difference, a_digit, b_digit;
    a += same;
    b += same;
    difference = (unsigned char)*a - (unsigned char)*b;
    a_digit = is_digit(*a);
    b_digit = is_digit(*b);
    if (before == INTEGER || (before == NO_NUMBER && a_digit && b_digit && *a != '0' && *b != '0')) {
        if (a_digit && b_digit)
            return compare_lengths(a, b, difference);
        return a_digit ? 1 : b_digit ? -1 : difference;
    }
    if (before == ZEROS && a_digit != b_digit)
        return a_digit ? -1 : 1;
    return difference;
}

int MODEL(strverscmp)(const char *a, const char *b)
{
    if (!__cairn_tracing()
        || (!symbolic_value(a) && !symbolic_value(b) && !symbolic(a, strlen(a) + 1) && !symbolic(b, strlen(b) + 1)))
        return strverscmp(a, b);
    return a == b ? 0 : compare(a, b);
}
