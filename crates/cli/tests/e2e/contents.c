// Each line with a decision says what stands in its condition, and whether it is nested in another one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int left, right;
};

static int total, table[8];
static struct pair *pairs;

static int own(int x) {
    if (x > total) return 3; // local
    return 5;
}

static int conditions(int x, char *text, struct pair by_value, int (*call)(int)) {
    int c, numbers[4] = {0}, y = x;
    if (x) total++; // local
    if (x != 0) total++; // local integer
    if (total) total++; //
    if (table[x]) total++; // local
    if (table[3] > total) total++; // integer
    if (numbers[x] > -x) total++; // local
    if (*numbers > ~x) total++; // local
    if (by_value.right > total) total++; // local
    if (pairs->right > total) total++; // dereference
    if (pairs[2].left > total) total++; // dereference integer
    if (*text == 'x') total++; // local dereference text
    if (*text > 'x') total++; // local dereference text
    if (x == 'x') total++; // local text
    if (x > 'x') total++; // local integer
    if (x == 1000) total++; // local integer
    if (strcmp(text, "word")) total++; // local external text
    if (strcmp(text, "word") == 0) total++; // local external text integer
    if (own(x) > total) total++; // local
    if (call(x)) total++; // local
    if (atoi(text) > total && (y = total) > x) total++; // local external; local nested
    if ((double)x > 0.5) total++; // local
    if (text) total++; // local
    while ((c = getchar()) != EOF) // local external integer
        if (c > total) break; // local
    if (x < total) { // local
        while (y < total) // local nested
            if (y++ > x) total++; // local nested
    } else if (y > x) { // local nested
        if (x < c) total++; // local nested
    }
    if (y < x) return 2; // local
    if (c < y) exit(1); // local
    if (c > x) total++; // local
    switch (*text) { // local dereference text
    case 'a':
        if (c > y) total++; // local nested
        break;
    case 0:
        total++;
    }
    switch (x) { // local integer
    case 1:
    case 'z':
        total++;
    }
    return own(y);
}

int main(int argc, char **argv) {
    if (argc > 1) // local integer
        return conditions(argc, argv[1], (struct pair){1, 2}, own);
    return 0;
}
