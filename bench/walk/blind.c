/*
 * blind: a product that is to be equal to one of its factors. `blind 1` runs it.
 */
#include "formula.h"

static int product(void)
{
    I(a) I(b)
    int c = (int)((unsigned)a * (unsigned)b);
    if (b > 2 && b == c)
        return REACHED;
    return MISSED;
}

static formula *const formulas[] = {NULL, product};

int main(int argc, char **argv)
{
    return run_formula(formulas, sizeof formulas / sizeof *formulas, argc, argv);
}
