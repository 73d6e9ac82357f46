/* Parses JSON from standard input with cJSON and writes it again. */
#include <stdio.h>
#include <cJSON.h>

static char input[1 << 16];

int main(void) {
    size_t length = fread(input, 1, sizeof input - 1, stdin);
    cJSON *value = cJSON_ParseWithLength(input, length);
    char *text = cJSON_Print(value);
    if (text) puts(text);
    cJSON_free(text);
    cJSON_Delete(value);
    return !value;
}
