/* strchr, index, strchrnul, rawmemchr */
#include "model.h"
#include <string.h>
#include <strings.h>

static char *find(const char *text, int c)
{
    char *place = strchrnul(text, c);
    if (!symbolic_value(text) && !symbolic_value(c) && !symbolic(text, (size_t)(place - text) + 1))
        return place;
    while (*text != (char)c && *text != '\0')
        text++;
    return (char *)text;
}

char *MODEL(strchrnul)(const char *text, int c)
{
    return find(text, c);
}

char *MODEL(strchr)(const char *text, int c)
{
    char *place = find(text, c);
    return *place == (char)c ? place : NULL;
}

char *MODEL(index)(const char *text, int c)
{
    char *place = find(text, c);
    return *place == (char)c ? place : NULL;
}

void *MODEL(rawmemchr)(const void *block, int c)
{
    const char *at = block;
    char *place = rawmemchr(block, c);
    if (!symbolic_value(block) && !symbolic_value(c) && !symbolic(block, (size_t)(place - at) + 1))
        return place;
    while (*at != (char)c)
        at++;
    return (void *)at;
}
