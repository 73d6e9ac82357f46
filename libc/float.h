/* Floating-point numbers in text. */
#ifndef CAIRN_FLOAT_H
#define CAIRN_FLOAT_H

#include "model.h"

/* Models of strtod, strtof and strtold. */
double __cairn_m_double(const char *text, char **end);
float __cairn_m_float(const char *text, char **end);
long double __cairn_m_long_double(const char *text, char **end);

#endif
