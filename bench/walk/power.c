/*
 * power: is one number the square of the other?
 */
#include "cairn.h"

#include <stdio.h>

static void test(int x, int y)
{
    int path;
    if (x <= 0)
        return;
    if (y == (int)((unsigned)x * (unsigned)x))
        path = 1;
    else
        path = 2;
    if (y > 8) {
        if (path == 1)
            puts("a large square");
        if (path == 2)
            puts("a large number");
    } else {
        if (path == 1)
            puts("a small square");
        if (path == 2)
            puts("a small number");
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
