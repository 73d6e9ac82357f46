/* Shared parts of the models of input functions: cache of streams and their positions. */
#include "stream.h"
#include <stdint.h>

#define STREAMS 8

/* Cache of stream states: reading a byte must not cost a system call. */
static _Thread_local struct cairn_stream streams[STREAMS];
static unsigned age = 1;
static int keeps_nothing;

void __cairn_m_forget(void)
{
    age++;
}

void __cairn_m_forget_always(void)
{
    keeps_nothing = 1;
}

struct cairn_stream *__cairn_m_stream(FILE *file)
{
    struct cairn_stream *stream = &streams[((uintptr_t)file >> 5) % STREAMS];
    if (stream->file != file || stream->age != age || keeps_nothing) {
        stream->file = file;
        stream->age = age;
        stream->object = __cairn_stream(fileno(file));
        stream->next = NULL;
    }
    return stream;
}

off_t __cairn_m_position(struct cairn_stream *stream)
{
    if (stream->next == NULL || stream->next != stream->file->_IO_read_ptr)
        stream->position = ftello(stream->file);
    return stream->position;
}

off_t __cairn_m_target(int object, off_t current, off_t offset, int whence)
{
    off_t target = offset + (whence == SEEK_END ? (off_t)__cairn_length(object) : current);
    return target < 0 ? -1 : target;
}

void __cairn_m_moved(struct cairn_stream *stream, off_t position)
{
    stream->next = stream->file->_IO_read_ptr;
    stream->position = position;
}

int __cairn_m_get(struct cairn_stream *stream)
{
    off_t position = __cairn_m_position(stream);
    int character;
    /* A position before the beginning is in pushed-back text. */
    if ((off_t)__cairn_concrete(position) >= 0 && (size_t)position >= __cairn_length(stream->object))
        return fgetc(stream->file);
    position = __cairn_concretized(position);
    character = fgetc(stream->file);
    if (character == EOF) {
        stream->next = NULL;
        return EOF;
    }
    __cairn_m_moved(stream, position + 1);
    return position < 0 ? character : __cairn_character(stream->object, position, character);
}

size_t __cairn_m_available(int object, off_t *position, size_t wanted, size_t got)
{
    ssize_t left = (ssize_t)__cairn_length(object) - *position;
    size_t available = wanted;
    if (left < (ssize_t)wanted)
        available = left <= 0 ? 0 : (size_t)left;
    /*
     * If the position depends on the input, so does whether bytes were read: without a decision on that before it, the
     * concretization would be missing from some runs with the same decisions.
     */
    if (symbolic_value(*position) && available > 0)
        *position = (off_t)__cairn_concretized((size_t)*position);
    return __cairn_concrete(available) == got ? available : got;
}
