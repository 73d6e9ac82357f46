/* mmap, munmap: a mapped symbolic file is input, of the length it has in this run */
#include "stream.h"
#include <sys/mman.h>

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    int object = flags & MAP_ANONYMOUS ? NO_OBJECT : __cairn_stream(fd);
    void *memory = mmap(address, size, protection, flags, fd, offset);
    size_t length;
    if (memory == MAP_FAILED)
        return memory;
    size = __cairn_pinned(size);
    __cairn_fresh(memory, size);
    if (object == NO_OBJECT || !(protection & PROT_READ))
        return memory;
    /* What follows the file's last byte in its page is zero. */
    length = __cairn_pinned(__cairn_length(object));
    offset = __cairn_pinned(offset);
    if ((size_t)offset < length)
        __cairn_received(memory, length - offset < size ? length - offset : size, object, offset);
    return memory;
}

void *MODEL(mmap)(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset);
}

void *MODEL(mmap64)(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset);
}

int MODEL(munmap)(void *memory, size_t size)
{
    int failed = munmap(memory, size);
    if (!failed)
        __cairn_fresh(memory, __cairn_concrete(size));
    return failed;
}
