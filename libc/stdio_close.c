/* Functions after which a stream or descriptor refers to another file. */
#include "stream.h"
#include <unistd.h>

int MODEL(fclose)(FILE *stream)
{
    __cairn_m_forget();
    __cairn_descriptors_change();
    return fclose(stream);
}

int MODEL(pclose)(FILE *stream)
{
    __cairn_m_forget();
    __cairn_descriptors_change();
    return pclose(stream);
}

/* Called before a descriptor is closed, or becomes a copy of another. */
static int replaced(int fd)
{
    fd = (int)__cairn_concretized((size_t)fd);
    __cairn_m_forget();
    __cairn_descriptor_changes(fd);
    return fd;
}

int MODEL(close)(int fd)
{
    return close(replaced(fd));
}

int MODEL(dup2)(int from, int to)
{
    return dup2((int)__cairn_concretized((size_t)from), replaced(to));
}

int MODEL(dup3)(int from, int to, int flags)
{
    return dup3((int)__cairn_concretized((size_t)from), replaced(to), flags);
}
