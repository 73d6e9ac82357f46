/*
 * cairn-example: random
 * input: stdin 4
 * branches: 7
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 100
 *
 * A hash table with a random seed: within a campaign it is always the same one, so that predictions hold.
 * Out of reach: no seed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static uint32_t secret;
static volatile int collisions;

static uint32_t place(unsigned char key)
{
    return (key ^ secret) * 2654435761u >> 26;
}

int main(void)
{
    unsigned char keys[4] = {0};
    int i;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        return 9;
    fread(keys, 1, 4, stdin);
    for (i = 1; i < 4; i++)
        if (keys[0] != keys[i] && place(keys[0]) == place(keys[i]))
            collisions++;
    return 0;
}
