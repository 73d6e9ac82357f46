/* read, pread, readv, recv and variants, and lseek */
#include "random.h"
#include "stream.h"
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);

/* The symbolic descriptor that was moved last, and its position: relative to the input's end it is labelled. */
static _Thread_local struct {
    int fd;
    off_t position;
} moved = {-1, 0};

/* Returns the position of a symbolic descriptor; the cached states of streams over it are invalidated. */
static off_t position_of(int fd)
{
    off_t position = lseek(fd, 0, SEEK_CUR);
    __cairn_m_forget();
    return moved.fd == fd && (off_t)__cairn_concrete(moved.position) == position ? moved.position : position;
}

static void move(int fd, off_t position)
{
    moved.fd = fd;
    moved.position = position;
}

static ssize_t received(void *to, ssize_t got, int object, off_t position, size_t wanted)
{
    size_t available = (size_t)got;
    if (got < 0)
        return got;
    if (object != NO_OBJECT)
        available = __cairn_m_available(object, &position, wanted, got);
    if (got > 0)
        __cairn_received(to, got, object, position);
    return (ssize_t)available;
}

static ssize_t get(int fd, void *to, size_t size)
{
    int object = __cairn_stream(fd);
    off_t position;
    ssize_t got;
    if (object == NO_OBJECT) {
        got = received(to, read(fd, to, size), NO_OBJECT, 0, size);
        if (got > 0)
            __cairn_m_received(fd, to, (size_t)got);
        return got;
    }
    position = position_of(fd);
    got = received(to, read(fd, to, __cairn_concrete(size)), object, position, size);
    move(fd, position + got);
    return got;
}

static ssize_t get_at(int fd, void *to, size_t size, off_t offset)
{
    int object = __cairn_stream(fd);
    if (object == NO_OBJECT)
        return received(to, pread(fd, to, size, offset), NO_OBJECT, 0, size);
    return received(to, pread(fd, to, __cairn_concrete(size), (off_t)__cairn_concrete(offset)), object, offset, size);
}

ssize_t MODEL(read)(int fd, void *to, size_t size)
{
    return get(fd, to, size);
}

ssize_t MODEL(__read_chk)(int fd, void *to, size_t size, size_t room)
{
    return __cairn_concrete(size) > room ? __read_chk(fd, to, size, room) : get(fd, to, size);
}

ssize_t MODEL(pread)(int fd, void *to, size_t size, off_t offset)
{
    return get_at(fd, to, size, offset);
}

ssize_t MODEL(pread64)(int fd, void *to, size_t size, off_t offset)
{
    return get_at(fd, to, size, offset);
}

ssize_t MODEL(__pread_chk)(int fd, void *to, size_t size, off_t offset, size_t room)
{
    return __cairn_concrete(size) > room ? __pread_chk(fd, to, size, offset, room) : get_at(fd, to, size, offset);
}

ssize_t MODEL(__pread64_chk)(int fd, void *to, size_t size, off_t offset, size_t room)
{
    return __cairn_concrete(size) > room ? __pread_chk(fd, to, size, offset, room) : get_at(fd, to, size, offset);
}

/* Returns the size of all buffers together; what describes them is concretized, as the kernel reads it. */
static size_t room_of(const struct iovec *parts, int count)
{
    size_t room = 0;
    int i;
    for (i = 0; i < count; i++) {
        __cairn_concretized((size_t)parts[i].iov_base);
        room += __cairn_concretized(parts[i].iov_len);
    }
    return room;
}

/* Labels bytes that were scattered over several buffers. */
static void scattered(const struct iovec *parts, size_t got, int object, off_t position)
{
    for (; got > 0; parts++) {
        size_t length = __cairn_concrete(parts->iov_len), size = length < got ? length : got;
        __cairn_received((void *)__cairn_concrete((size_t)parts->iov_base), size, object, position);
        position += (off_t)size;
        got -= size;
    }
}

ssize_t MODEL(readv)(int fd, const struct iovec *parts, int count)
{
    int object = __cairn_stream(fd);
    off_t position = object == NO_OBJECT ? 0 : position_of(fd);
    size_t room = room_of(parts, count);
    ssize_t got = readv(fd, parts, count), available = got;
    if (got >= 0 && object != NO_OBJECT) {
        available = (ssize_t)__cairn_m_available(object, &position, room, got);
        move(fd, position + available);
    }
    if (got > 0)
        scattered(parts, got, object, position);
    return available;
}

/* Standard input that is a socket elsewhere, as for a server started by inetd, is a file here. */
static ssize_t receive(int fd, void *to, size_t size, int flags, struct sockaddr *sender, socklen_t *length)
{
    if (__cairn_stream(fd) != NO_OBJECT)
        return flags & MSG_PEEK ? get_at(fd, to, size, lseek(fd, 0, SEEK_CUR)) : get(fd, to, size);
    return received(to, recvfrom(fd, to, size, flags, sender, length), NO_OBJECT, 0, size);
}

ssize_t MODEL(recv)(int fd, void *to, size_t size, int flags)
{
    return receive(fd, to, size, flags, NULL, NULL);
}

ssize_t MODEL(__recv_chk)(int fd, void *to, size_t size, size_t room, int flags)
{
    return __cairn_concrete(size) > room ? __recv_chk(fd, to, size, room, flags) : MODEL(recv)(fd, to, size, flags);
}

ssize_t MODEL(recvfrom)(int fd, void *to, size_t size, int flags, struct sockaddr *sender, socklen_t *length)
{
    return receive(fd, to, size, flags, sender, length);
}

static off_t seek(int fd, off_t offset, int whence)
{
    int object = __cairn_stream(fd);
    off_t position;
    off_t target;
    if (object == NO_OBJECT)
        return lseek(fd, offset, whence);
    position = position_of(fd);
    target = __cairn_m_target(object, whence == SEEK_CUR ? position : 0, offset, whence);
    position = lseek(fd, (off_t)__cairn_concrete(offset), whence);
    if ((off_t)__cairn_concrete(target) != position || position < 0)
        return position;
    move(fd, target);
    return target;
}

off_t MODEL(lseek)(int fd, off_t offset, int whence)
{
    return seek(fd, offset, whence);
}

off_t MODEL(lseek64)(int fd, off_t offset, int whence)
{
    return seek(fd, offset, whence);
}
