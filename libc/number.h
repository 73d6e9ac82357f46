/* Numbers in text, as strtol and its kin read them. */
#ifndef CAIRN_NUMBER_H
#define CAIRN_NUMBER_H

#include "model.h"

/* The type of a number. */
enum number { SIGNED, UNSIGNED };

/* What strtol or strtoul would answer. `binary`: whether base 2 has a prefix, as in C23. */
unsigned long __cairn_m_number(const char *text, char **end, int base, enum number type, int binary);

#endif
