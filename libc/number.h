/* Numbers in text, as strtol and its kin read them. */
#ifndef CAIRN_NUMBER_H
#define CAIRN_NUMBER_H

#include "model.h"

/* The type of a number. */
enum number { SIGNED, UNSIGNED };

/* What strtol or strtoul would answer. `binary`: whether base 2 has a prefix, as in C23. */
unsigned long __cairn_m_number(const char *text, char **end, int base, enum number type, int binary);

/* An integer whose digits come one by one. */
struct integer {
    unsigned long total;
    unsigned long limit;
    int base;
    int negative;
    int digits;
    int safe;
    int fits;
};

/* An integer without digits yet. */
struct integer __cairn_m_integer(int base, enum number type, int negative);

/* Takes `c`, if it is a digit of the integer. */
int __cairn_m_take_digit(struct integer *integer, int c);

/* The value; the nearest one, with an error number, if it has none in its type. */
unsigned long __cairn_m_value(const struct integer *integer);

#endif
