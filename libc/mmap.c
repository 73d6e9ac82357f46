/*
 * mmap, mremap, munmap, shmat and shmdt: a mapped symbolic file is input, of the length it has in this run. Labels
 * are kept by address, so the runtime records memory that is visible at several addresses (`runtime/src/shared.rs`).
 */
#include "stream.h"
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>

/* Records a mapping of a file. Anonymous memory is shared with child processes only. */
static void note(void *memory, size_t size, int flags, int fd)
{
    int is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    if (flags & MAP_ANONYMOUS)
        return;
    if (is_shared)
        __cairn_m_forget_always();
    __cairn_mapped(fd, memory, size, is_shared);
}

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    int object = flags & MAP_ANONYMOUS ? NO_OBJECT : __cairn_stream(fd);
    void *memory = mmap(address, size, protection, flags, fd, offset);
    size_t length;
    if (memory == MAP_FAILED)
        return memory;
    size = __cairn_concretized(size);
    __cairn_fresh(memory, size);
    note(memory, size, flags, fd);
    if (object == NO_OBJECT || !(protection & PROT_READ))
        return memory;
    /* Bytes behind the end of the file in its last page are zero. */
    length = __cairn_concretized(__cairn_length(object));
    offset = __cairn_concretized(offset);
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
    int failed;
    size = __cairn_concretized(size);
    __cairn_unmapped(memory, size);
    failed = munmap(memory, size);
    if (!failed)
        __cairn_fresh(memory, size);
    return failed;
}

/* Memory that moves keeps its labels. With an old size of 0 it is mapped twice. */
void *MODEL(mremap)(void *memory, size_t old, size_t size, int flags, ...)
{
    void *wanted = NULL, *moved;
    old = __cairn_concretized(old);
    size = __cairn_concretized(size);
    flags = (int)__cairn_concretized((size_t)flags);
    if (flags & MREMAP_FIXED) {
        va_list rest;
        va_start(rest, flags);
        wanted = (void *)__cairn_concretized((size_t)va_arg(rest, void *));
        va_end(rest);
    }
    moved = mremap(memory, old, size, flags, wanted);
    if (moved == MAP_FAILED)
        return moved;
    if (old == 0)
        __cairn_lost_unlabelled();
    if (moved != memory) {
        __cairn_fresh(moved, size);
        __cairn_copy(moved, memory, old < size ? old : size);
        if (!(flags & MREMAP_DONTUNMAP) && old != 0)
            __cairn_fresh(memory, old);
    } else if (size < old) {
        __cairn_fresh((char *)memory + size, old - size);
    } else {
        __cairn_fresh((char *)memory + old, size - old);
    }
    return moved;
}

void *MODEL(shmat)(int segment, const void *address, int flags)
{
    struct shmid_ds status;
    void *memory = shmat((int)__cairn_concretized((size_t)segment), address, (int)__cairn_concretized((size_t)flags));
    if (memory == (void *)-1 || shmctl(segment, IPC_STAT, &status) != 0)
        return memory;
    __cairn_fresh(memory, status.shm_segsz);
    __cairn_attached(segment, memory, status.shm_segsz);
    return memory;
}

int MODEL(shmdt)(const void *memory)
{
    __cairn_unmapped((void *)memory, 1);
    return shmdt(memory);
}
