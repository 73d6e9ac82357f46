/* Functions that return input without labels: wide characters of a symbolic stream, asynchronous input and output. */
#include "stream.h"
#include <aio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <wchar.h>

static FILE *count_lost(FILE *stream)
{
    if (__cairn_m_stream(stream)->object != NO_OBJECT)
        __cairn_lost_unlabelled();
    return stream;
}

static int count_lost_descriptor(int fd)
{
    if (__cairn_stream(fd) != NO_OBJECT)
        __cairn_lost_unlabelled();
    return fd;
}

wint_t MODEL(fgetwc)(FILE *from)
{
    return fgetwc(count_lost(from));
}

wint_t MODEL(getwc)(FILE *from)
{
    return getwc(count_lost(from));
}

wint_t MODEL(getwchar)(void)
{
    return fgetwc(count_lost(stdin));
}

wchar_t *MODEL(fgetws)(wchar_t *to, int count, FILE *from)
{
    wchar_t *read = fgetws(to, (int)__cairn_concretized((size_t)count), count_lost(from));
    if (read != NULL)
        __cairn_clear(to, (wcslen(to) + 1) * sizeof *to);
    return read;
}

int MODEL(getw)(FILE *from)
{
    return getw(count_lost(from));
}

ssize_t MODEL(preadv)(int fd, const struct iovec *parts, int count, off_t offset)
{
    return preadv(count_lost_descriptor(fd), parts, (int)__cairn_concretized((size_t)count),
                  (off_t)__cairn_concretized((size_t)offset));
}

ssize_t MODEL(preadv64)(int fd, const struct iovec *parts, int count, off_t offset)
{
    return MODEL(preadv)(fd, parts, count, offset);
}

int MODEL(aio_read)(struct aiocb *request)
{
    count_lost_descriptor(request->aio_fildes);
    return aio_read(request);
}

int MODEL(aio_write)(struct aiocb *request)
{
    __cairn_goes_out(request->aio_fildes, (void *)request->aio_buf, request->aio_nbytes);
    return aio_write(request);
}
