/*
 * Functions that hand on input without labels: wide characters of a symbolic stream, asynchronous reading and writing.
 */
#include "stream.h"
#include <aio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <wchar.h>

static FILE *unseen(FILE *stream)
{
    if (__cairn_m_stream(stream)->object != NO_OBJECT)
        __cairn_lost_unseen();
    return stream;
}

static int unseen_descriptor(int fd)
{
    if (__cairn_stream(fd) != NO_OBJECT)
        __cairn_lost_unseen();
    return fd;
}

wint_t MODEL(fgetwc)(FILE *from)
{
    return fgetwc(unseen(from));
}

wint_t MODEL(getwc)(FILE *from)
{
    return getwc(unseen(from));
}

wint_t MODEL(getwchar)(void)
{
    return fgetwc(unseen(stdin));
}

wchar_t *MODEL(fgetws)(wchar_t *to, int count, FILE *from)
{
    wchar_t *read = fgetws(to, (int)__cairn_concretized((size_t)count), unseen(from));
    if (read != NULL)
        __cairn_clear(to, (wcslen(to) + 1) * sizeof *to);
    return read;
}

int MODEL(getw)(FILE *from)
{
    return getw(unseen(from));
}

ssize_t MODEL(preadv)(int fd, const struct iovec *parts, int count, off_t offset)
{
    return preadv(unseen_descriptor(fd), parts, (int)__cairn_concretized((size_t)count), (off_t)__cairn_concretized((size_t)offset));
}

ssize_t MODEL(preadv64)(int fd, const struct iovec *parts, int count, off_t offset)
{
    return MODEL(preadv)(fd, parts, count, offset);
}

int MODEL(aio_read)(struct aiocb *request)
{
    unseen_descriptor(request->aio_fildes);
    return aio_read(request);
}

int MODEL(aio_write)(struct aiocb *request)
{
    __cairn_goes_out(request->aio_fildes, (void *)request->aio_buf, request->aio_nbytes);
    return aio_write(request);
}
