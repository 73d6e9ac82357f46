/*
 * write, pwrite, writev, send and variants, and functions that move data from one descriptor to another
 *
 * Symbolic data is reported to the runtime, since the program may read it back (`runtime/src/outputs.rs`).
 */
#include "stream.h"
#include <fcntl.h>
#include <stdint.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Maximum size of one write, and end of the address space. */
#define MOST ((size_t)0x7ffff000)
#define END ((uintptr_t)0x7ffffffff000)

/*
 * Returns the result of a call that was to write `size` bytes at `data`: all of them, as far as the address space
 * allows.
 */
static ssize_t answer(ssize_t done, const void *data, size_t size)
{
    uintptr_t left = (uintptr_t)data < END ? END - (uintptr_t)data : 0;
    if (size <= (left < MOST ? left : MOST) && done == (ssize_t)__cairn_concrete(size))
        return (ssize_t)size;
    __cairn_lost_input(&size, sizeof size);
    return done;
}

#define FIXED(number) ((int)__cairn_concretized((size_t)(number)))

ssize_t MODEL(write)(int fd, const void *data, size_t size)
{
    fd = FIXED(fd);
    __cairn_goes_out(fd, data, size);
    return answer(write(fd, data, __cairn_concrete(size)), data, size);
}

ssize_t MODEL(pwrite)(int fd, const void *data, size_t size, off_t offset)
{
    fd = FIXED(fd);
    __cairn_goes_out(fd, data, size);
    return answer(pwrite(fd, data, __cairn_concrete(size), offset), data, size);
}

ssize_t MODEL(pwrite64)(int fd, const void *data, size_t size, off_t offset)
{
    return MODEL(pwrite)(fd, data, size, offset);
}

ssize_t MODEL(sendto)(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length)
{
    fd = FIXED(fd);
    __cairn_goes_out(fd, data, size);
    if (to != NULL)
        __cairn_goes_out(fd, to, length);
    return answer(sendto(fd, data, __cairn_concrete(size), FIXED(flags), to, length), data, size);
}

ssize_t MODEL(send)(int fd, const void *data, size_t size, int flags)
{
    return MODEL(sendto)(fd, data, size, flags, NULL, 0);
}

/* Reports data in several buffers that is about to be written; their number and sizes are concretized. */
static int gathered(int fd, const struct iovec *parts, int count)
{
    int i;
    count = FIXED(count);
    for (i = 0; i < count; i++) {
        __cairn_goes_out(fd, parts[i].iov_base, parts[i].iov_len);
        __cairn_concretized(parts[i].iov_len);
        __cairn_concretized((size_t)parts[i].iov_base);
    }
    return count;
}

ssize_t MODEL(writev)(int fd, const struct iovec *parts, int count)
{
    fd = FIXED(fd);
    return writev(fd, parts, gathered(fd, parts, count));
}

ssize_t MODEL(pwritev)(int fd, const struct iovec *parts, int count, off_t offset)
{
    fd = FIXED(fd);
    return pwritev(fd, parts, gathered(fd, parts, count), (off_t)__cairn_concretized((size_t)offset));
}

ssize_t MODEL(pwritev64)(int fd, const struct iovec *parts, int count, off_t offset)
{
    return MODEL(pwritev)(fd, parts, count, offset);
}

ssize_t MODEL(pwritev2)(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    fd = FIXED(fd);
    return pwritev2(fd, parts, gathered(fd, parts, count), (off_t)__cairn_concretized((size_t)offset), FIXED(flags));
}

ssize_t MODEL(pwritev64v2)(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    return MODEL(pwritev2)(fd, parts, count, offset, flags);
}

ssize_t MODEL(vmsplice)(int fd, const struct iovec *parts, size_t count, unsigned flags)
{
    fd = FIXED(fd);
    return vmsplice(fd, parts, (size_t)gathered(fd, parts, (int)count), (unsigned)FIXED(flags));
}

static void note_message(int fd, const struct msghdr *message)
{
    gathered(fd, message->msg_iov, (int)message->msg_iovlen);
    if (message->msg_control != NULL)
        __cairn_goes_out(fd, message->msg_control, message->msg_controllen);
    if (message->msg_name != NULL)
        __cairn_goes_out(fd, message->msg_name, message->msg_namelen);
}

ssize_t MODEL(sendmsg)(int fd, const struct msghdr *message, int flags)
{
    fd = FIXED(fd);
    note_message(fd, message);
    return sendmsg(fd, message, FIXED(flags));
}

int MODEL(sendmmsg)(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    unsigned i;
    fd = FIXED(fd);
    count = (unsigned)FIXED(count);
    for (i = 0; i < count; i++)
        note_message(fd, &messages[i].msg_hdr);
    return sendmmsg(fd, messages, count, FIXED(flags));
}

/* The kernel moves the bytes itself; those of the input lose their labels. Their number is concretized. */
static size_t moves(int from, size_t size)
{
    if (__cairn_stream(from) != NO_OBJECT)
        __cairn_lost_unlabelled();
    return __cairn_concretized(size);
}

ssize_t MODEL(sendfile)(int to, int from, off_t *offset, size_t size)
{
    return sendfile(FIXED(to), FIXED(from), offset, moves(from, size));
}

ssize_t MODEL(sendfile64)(int to, int from, off_t *offset, size_t size)
{
    return MODEL(sendfile)(to, from, offset, size);
}

ssize_t MODEL(splice)(int from, off64_t *start, int to, off64_t *end, size_t size, unsigned flags)
{
    return splice(FIXED(from), start, FIXED(to), end, moves(from, size), (unsigned)FIXED(flags));
}

ssize_t MODEL(tee)(int from, int to, size_t size, unsigned flags)
{
    return tee(FIXED(from), FIXED(to), moves(from, size), (unsigned)FIXED(flags));
}

ssize_t MODEL(copy_file_range)(int from, off64_t *start, int to, off64_t *end, size_t size, unsigned flags)
{
    return copy_file_range(FIXED(from), start, FIXED(to), end, moves(from, size), (unsigned)FIXED(flags));
}
