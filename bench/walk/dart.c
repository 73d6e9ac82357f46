/*
 * dart: the running example of the DART paper. The second fault needs a positive number whose cube wraps around.
 */
#include "cairn.h"

#include <stdlib.h>

static void test(int x, int y)
{
    unsigned ux = (unsigned)x;
    int cube = (int)(ux * ux * ux);
    if (cube > 0) {
        if (x > 0 && y == 10)
            abort();
    } else {
        if (x > 0 && y == 20)
            abort();
    }
}

int main(void)
{
    int x, y;
    cairn_symbolic(&x, sizeof x, "x");
    cairn_symbolic(&y, sizeof y, "y");
    test(x, y);
    return 0;
}
