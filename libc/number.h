/* Numbers in text, as strtol and its variants read them. */
#ifndef CAIRN_NUMBER_H
#define CAIRN_NUMBER_H

#include "model.h"

/* The type of a number. */
enum number { SIGNED, UNSIGNED };

/* Models of strtol and strtoul. `binary`: base 2 has a prefix, as in C23. */
unsigned long __cairn_m_number(const char *text, char **end, int base, enum number type, int binary);

/* An integer accumulated digit by digit. */
struct integer {
    unsigned long total;
    unsigned long limit;
    int base;
    int negative;
    int digits;
    int safe;
    int fits;
};

/* Returns an integer without digits. */
struct integer __cairn_m_integer(int base, enum number type, int negative);

/* Appends `c` if it is a digit of the integer. */
int __cairn_m_take_digit(struct integer *integer, int c);

/* Returns the value; if it is out of range, the nearest one, and sets errno. */
unsigned long __cairn_m_value(const struct integer *integer);

#endif
