/* Functions after which a stream or descriptor means another file. */
#include "stream.h"
#include <unistd.h>

int MODEL(fclose)(FILE *stream)
{
    __cairn_m_forget();
    return fclose(stream);
}

int MODEL(pclose)(FILE *stream)
{
    __cairn_m_forget();
    return pclose(stream);
}

int MODEL(close)(int fd)
{
    __cairn_m_forget();
    return close((int)__cairn_pinned((size_t)fd));
}

int MODEL(dup2)(int from, int to)
{
    __cairn_m_forget();
    return dup2((int)__cairn_pinned((size_t)from), (int)__cairn_pinned((size_t)to));
}

int MODEL(dup3)(int from, int to, int flags)
{
    __cairn_m_forget();
    return dup3((int)__cairn_pinned((size_t)from), (int)__cairn_pinned((size_t)to), flags);
}
