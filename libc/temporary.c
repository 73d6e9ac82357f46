/*
 * mkstemp, mkdtemp, mktemp, tmpnam and variants
 *
 * The library makes up names from the clock and random bytes. Here they are the same in every run; a name that
 * exists, as a file of an earlier run, is skipped.
 */
#include "random.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PLACEHOLDERS 6
#define ATTEMPTS 10000

/* Returns the placeholders before a suffix; NULL if there are none, or the run is not supervised. */
static char *placeholders(char *name, int suffix)
{
    size_t length = strlen(name);
    if (!__cairn_supervised() || suffix < 0 || length < (size_t)suffix + PLACEHOLDERS)
        return NULL;
    if (symbolic(name, length + 1)) {
        __cairn_lost_input(name, length + 1);
        return NULL;
    }
    name += length - (size_t)suffix - PLACEHOLDERS;
    return strncmp(name, "XXXXXX", PLACEHOLDERS) == 0 ? name : NULL;
}

static void make_up(char *part)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[PLACEHOLDERS];
    int i;
    __cairn_m_fill_randomly((char *)random, sizeof random);
    for (i = 0; i < PLACEHOLDERS; i++)
        part[i] = letters[random[i] % (sizeof letters - 1)];
}

static int open_new(char *name, int suffix, int flags)
{
    char *part = placeholders(name, suffix = (int)__cairn_concretized((size_t)suffix));
    int attempt, fd = -1, error = errno;
    if (!part)
        return mkostemps(name, suffix, flags);
    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        make_up(part);
        fd = open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd >= 0)
        errno = error;
    return fd;
}

#define OPENS_NEW(function, parameters, suffix, flags)                                                                 \
    int MODEL(function) parameters                                                                                     \
    {                                                                                                                  \
        return open_new(name, suffix, flags);                                                                          \
    }

OPENS_NEW(mkstemp, (char *name), 0, 0)
OPENS_NEW(mkstemp64, (char *name), 0, 0)
OPENS_NEW(mkostemp, (char *name, int flags), 0, flags)
OPENS_NEW(mkostemp64, (char *name, int flags), 0, flags)
OPENS_NEW(mkstemps, (char *name, int suffix), suffix, 0)
OPENS_NEW(mkstemps64, (char *name, int suffix), suffix, 0)
OPENS_NEW(mkostemps, (char *name, int suffix, int flags), suffix, flags)
OPENS_NEW(mkostemps64, (char *name, int suffix, int flags), suffix, flags)

char *MODEL(mkdtemp)(char *name)
{
    char *part = placeholders(name, 0);
    int attempt, error = errno;
    if (!part)
        return mkdtemp(name);
    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        make_up(part);
        if (mkdir(name, S_IRWXU) == 0) {
            errno = error;
            return name;
        }
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

/* Makes up the last characters of a name that the library has found, so that no file has it. */
static char *rename_last(char *name)
{
    struct stat status;
    int attempt, error = errno;
    char *part = name + strlen(name) - PLACEHOLDERS;
    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        make_up(part);
        if (lstat(name, &status) != 0)
            break;
    }
    errno = error;
    return name;
}

char *MODEL(mktemp)(char *name)
{
    char *part = placeholders(name, 0);
    mktemp(name);
    return part && *name ? rename_last(name) : name;
}

char *MODEL(tmpnam)(char *to)
{
    char *name = tmpnam(to);
    return name && __cairn_supervised() ? rename_last(name) : name;
}

/* The library's name ends with six random characters, as that of mktemp. */
char *MODEL(tempnam)(const char *directory, const char *prefix)
{
    char *name = tempnam(directory, prefix);
    return name && __cairn_supervised() ? rename_last(name) : name;
}
