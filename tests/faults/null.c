/*
 * input: stdin 0-4
 * kind: null pointer
 * at: found->value
 * least: 1 byte
 *
 * A missing entry is dereferenced.
 */
#include <stddef.h>
#include <stdio.h>

struct entry {
    char key;
    int value;
};

static const struct entry table[] = {{'a', 1}, {'b', 2}, {'c', 4}};

static const struct entry *find(char key)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].key == key)
            return &table[i];
    return NULL;
}

int main(void)
{
    char text[4];
    int length = (int)fread(text, 1, sizeof text, stdin), sum = 0;
    for (int i = 0; i < length; i++) {
        const struct entry *found = find(text[i]);
        sum += found->value;
    }
    return sum;
}
