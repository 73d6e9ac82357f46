/* strrchr, rindex */
#include "model.h"
#include <string.h>
#include <strings.h>

static char *find_last(const char *text, int c)
{
    const char *place = strrchr(text, c);
    if (!symbolic_value(text) && !symbolic_value(c) && !symbolic(text, strlen(text) + 1))
        return (char *)place;
    for (place = NULL; *text != '\0'; text++)
        if (*text == (char)c)
            place = text;
    if ((char)c == '\0')
        place = text;
    return (char *)place;
}

char *MODEL(strrchr)(const char *text, int c)
{
    return find_last(text, c);
}

char *MODEL(rindex)(const char *text, int c)
{
    return find_last(text, c);
}
