/* strstr */
#include "model.h"
#include <string.h>

static int starts_with(const char *text, const char *start)
{
    for (; *start != '\0'; text++, start++)
        if (*text != *start)
            return 0;
    return 1;
}

char *MODEL(strstr)(const char *text, const char *part)
{
    char *place = strstr(text, part);
    size_t length = strlen(part);
    size_t seen = place ? (size_t)(place - text) + length : strlen(text) + 1;
    if (!symbolic_value(text) && !symbolic_value(part) && !symbolic(text, seen)
        && !symbolic(part, length + 1))
        return place;
    for (;; text++) {
        if (starts_with(text, part))
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}
