/* fgets, gets, getline, getdelim: the ends of a line and of the input are decided byte by byte */
#include "stream.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

char *__fgets_chk(char *to, size_t room, int size, FILE *from);
ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *from);

/* Initial buffer size of the library. */
#define FIRST_SIZE 120

static char *get(char *to, int size, FILE *from)
{
    struct cairn_stream *stream = __cairn_m_stream(from);
    int length = 0, character = 0;
    size = (int)__cairn_concretized(size);
    if (stream->object == NO_OBJECT || size <= 1) {
        char *line = fgets(to, size, from);
        if (line != NULL)
            __cairn_received(line, strlen(line) + 1, NO_OBJECT, 0);
        return line;
    }
    while (length < size - 1 && character != '\n') {
        character = __cairn_m_get(stream);
        if (character == EOF)
            break;
        to[length++] = (char)character;
    }
    if (length == 0)
        return NULL;
    to[length] = '\0';
    return to;
}

char *MODEL(fgets)(char *to, int size, FILE *from)
{
    return get(to, size, from);
}

char *MODEL(fgets_unlocked)(char *to, int size, FILE *from)
{
    return get(to, size, from);
}

char *MODEL(__fgets_chk)(char *to, size_t room, int size, FILE *from)
{
    return size > 0 && (size_t)size > room ? __fgets_chk(to, room, size, from) : get(to, size, from);
}

char *MODEL(__fgets_unlocked_chk)(char *to, size_t room, int size, FILE *from)
{
    return size > 0 && (size_t)size > room ? __fgets_chk(to, room, size, from) : get(to, size, from);
}

/* Returns the line without its end, into a buffer of unknown size. */
char *MODEL(gets)(char *to)
{
    char *line = get(to, INT_MAX, stdin);
    size_t length = line == NULL ? 0 : strlen(line);
    if (length > 0 && __cairn_concrete((unsigned char)line[length - 1]) == '\n')
        line[length - 1] = '\0';
    return line;
}

/* Makes room for one more character and the NUL. */
static int make_room(char **line, size_t *size, size_t length)
{
    size_t wanted = *line == NULL || *size == 0 ? FIRST_SIZE : *size;
    char *larger;
    if (*line != NULL && *size >= length + 2)
        return 1;
    if (wanted < length + 2)
        wanted *= 2;
    larger = __cairn_w_realloc(*line, wanted);
    if (larger == NULL)
        return 0;
    *line = larger;
    *size = wanted;
    return 1;
}

static ssize_t get_delimited(char **line, size_t *size, int delimiter, FILE *from)
{
    struct cairn_stream *stream = __cairn_m_stream(from);
    size_t length = 0;
    int character;
    delimiter = (int)__cairn_concretized(delimiter);
    if (stream->object == NO_OBJECT || line == NULL || size == NULL) {
        ssize_t got = getdelim(line, size, delimiter, from);
        if (got >= 0)
            __cairn_received(*line, got + 1, NO_OBJECT, 0);
        return got;
    }
    do {
        if (!make_room(line, size, length)) {
            errno = ENOMEM;
            return -1;
        }
        character = __cairn_m_get(stream);
        if (character == EOF)
            break;
        (*line)[length++] = (char)character;
    } while (character != delimiter);
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}

ssize_t MODEL(getdelim)(char **line, size_t *size, int delimiter, FILE *from)
{
    return get_delimited(line, size, delimiter, from);
}

ssize_t MODEL(__getdelim)(char **line, size_t *size, int delimiter, FILE *from)
{
    return get_delimited(line, size, delimiter, from);
}

ssize_t MODEL(getline)(char **line, size_t *size, FILE *from)
{
    return get_delimited(line, size, '\n', from);
}
