/* basename in both variants, dirname: strings are cut where the library cuts them */
#include "model.h"

char *__cairn_w_strrchr(const char *text, int c);

/* Returns the start of the slashes that end at `end`; the path's first one does not count. */
static size_t before_slashes(const char *path, size_t end)
{
    while (end > 1 && path[end - 1] == '/')
        end--;
    return end;
}

/* Returns the start of the last component of a path that ends at `end`. */
static size_t start_of_name(const char *path, size_t end)
{
    while (end > 0 && path[end - 1] != '/')
        end--;
    return end;
}

/* GNU variant: the text behind the last slash. */
char *MODEL(basename)(const char *path)
{
    char *slash = __cairn_w_strrchr(path, '/');
    return slash != NULL ? slash + 1 : (char *)path;
}

/* POSIX variant: slashes at the end do not count. */
char *MODEL(__xpg_basename)(char *path)
{
    size_t length, end;
    if (path == NULL || path[0] == '\0')
        return (char *)".";
    length = __cairn_m_length(path, NO_LIMIT);
    end = before_slashes(path, length);
    if (end == 1 && path[0] == '/')
        return path + length - 1;
    if (end < length)
        path[end] = '\0';
    return path + start_of_name(path, end);
}

char *MODEL(dirname)(char *path)
{
    size_t length, end;
    if (path == NULL)
        return (char *)".";
    length = __cairn_m_length(path, NO_LIMIT);
    end = start_of_name(path, before_slashes(path, length));
    if (end == 0)
        return (char *)".";
    /* Two slashes at the very beginning stay two. */
    if (end == 1 && length == 2 && path[1] == '/')
        return path;
    path[end == 2 && path[0] == '/' ? 2 : before_slashes(path, end)] = '\0';
    return path;
}
