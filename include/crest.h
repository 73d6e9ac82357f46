/*
 * crest.h: programs written for CREST, unchanged.
 *
 *     int x;
 *     CREST_int(x);     // Cairn chooses the value of x
 *
 * Each marker makes its variable input, under the variable's name. See cairn.h.
 */
#ifndef CREST_H
#define CREST_H

#include "cairn.h"

#define CREST_INPUT(type, x) cairn_symbolic(&(x), sizeof(type), #x)

#define CREST_char(x) CREST_INPUT(char, x)
#define CREST_unsigned_char(x) CREST_INPUT(unsigned char, x)
#define CREST_short(x) CREST_INPUT(short, x)
#define CREST_unsigned_short(x) CREST_INPUT(unsigned short, x)
#define CREST_int(x) CREST_INPUT(int, x)
#define CREST_unsigned_int(x) CREST_INPUT(unsigned int, x)
#define CREST_long(x) CREST_INPUT(long, x)
#define CREST_unsigned_long(x) CREST_INPUT(unsigned long, x)
#define CREST_long_long(x) CREST_INPUT(long long, x)
#define CREST_unsigned_long_long(x) CREST_INPUT(unsigned long long, x)
#define CREST_float(x) CREST_INPUT(float, x)
#define CREST_double(x) CREST_INPUT(double, x)

#endif
