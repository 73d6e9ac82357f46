/*
 * opti: six functions that optimisers are tested with, each to be exactly zero. `opti N` runs number N.
 */
#include "formula.h"

#include <math.h>

static int beale(void)
{
    D(x1) D(x2)
    if (1.5 - x1 * (1 - x2) == 0)
        return REACHED;
    return MISSED;
}

static int freudenstein_roth(void)
{
    D(x1) D(x2)
    if ((-13 + x1 + ((5 - x2) * x2 - 2) * x2) + (-29 + x1 + ((x2 + 1) * x2 - 14) * x2) == 0)
        return REACHED;
    return MISSED;
}

static double theta(double x1, double x2)
{
    if (x1 > 0)
        return atan(x2 / x1) / (2 * M_PI);
    if (x1 < 0)
        return atan(x2 / x1) / (2 * M_PI) + 0.5;
    return 0;
}

static int helical_valley(void)
{
    D(x1) D(x2) D(x3)
    if (10 * (x3 - 10 * theta(x1, x2)) == 0 && 10 * (sqrt(x1 * x1 + x2 * x2) - 1) == 0 && x3 == 0)
        return REACHED;
    return MISSED;
}

static int powell(void)
{
    D(x1) D(x2)
    if (pow(10, 4) * x1 * x2 - 1 == 0 && exp(-x1) + exp(-x2) - 1.0001 == 0)
        return REACHED;
    return MISSED;
}

static int rosenbrock(void)
{
    D(x1) D(x2)
    if (pow(1 - x1, 2) + 100 * pow(x2 - x1 * x1, 2) == 0)
        return REACHED;
    return MISSED;
}

static int wood(void)
{
    D(x1) D(x2) D(x3) D(x4)
    if (10 * (x2 - x1 * x1) == 0 && 1 - x1 == 0 && sqrt(90) * (x4 - x3 * x3) == 0 && 1 - x3 == 0
        && sqrt(10) * (x2 + x4 - 2) == 0 && pow(10, -0.5) * (x2 - x4) == 0)
        return REACHED;
    return MISSED;
}

static formula *const formulas[] = {
    NULL, beale, freudenstein_roth, helical_valley, powell, rosenbrock, wood,
};

int main(int argc, char **argv)
{
    return run_formula(formulas, sizeof formulas / sizeof *formulas, argc, argv);
}
