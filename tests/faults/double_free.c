/*
 * input: stdin 0-4
 * kind: heap corruption detected by libc
 * at: free(name);
 * least: 2 bytes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char text[5] = "";
    fread(text, 1, 4, stdin);
    char *name = strdup(text);
    if (name[0] == '-') {
        if (name[1] == 'q')
            free(name);
        free(name);
        return 1;
    }
    int length = (int)strlen(name);
    free(name);
    return length;
}
