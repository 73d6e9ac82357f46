/*
 * What coral, hash and opti have in common: many small functions, each of which reads its inputs and has one statement
 * to be reached. The first argument of the program says which one runs; the exit code says whether it was reached.
 */
#ifndef FORMULA_H
#define FORMULA_H

#include "cairn.h"

#include <stdlib.h>

enum { MISSED = 0, NO_SUCH_FORMULA = 3, REACHED = 10 };

/* Declares an input. */
#define INPUT(type, name) type name; cairn_symbolic(&name, sizeof name, #name);
#define D(name) INPUT(double, name)
#define I(name) INPUT(int, name)
#define L(name) INPUT(long, name)

typedef int formula(void);

static int run_formula(formula *const *formulas, int count, int argc, char **argv)
{
    int number = argc > 1 ? atoi(argv[1]) : 0;
    if (number < 0 || number >= count || !formulas[number])
        return NO_SUCH_FORMULA;
    return formulas[number]();
}

#endif
