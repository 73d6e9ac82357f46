/* fread and variants */
#include "random.h"
#include "stream.h"

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *from);

static size_t get(void *to, size_t size, size_t count, FILE *from)
{
    struct cairn_stream *stream = __cairn_m_stream(from);
    off_t position;
    size_t bytes, available, wanted = size * count;
    if (stream->object == NO_OBJECT || wanted == 0) {
        size_t got = fread(to, size, count, from);
        __cairn_received(to, got * size, NO_OBJECT, 0);
        __cairn_m_received_from(from, to, got * size);
        return got;
    }
    position = __cairn_m_position(stream);
    fread(to, __cairn_concrete(size), __cairn_concrete(count), from);
    bytes = (size_t)(ftello(from) - (off_t)__cairn_concrete(position));
    available = __cairn_m_available(stream->object, &position, wanted, bytes);
    if (bytes > 0)
        __cairn_received(to, bytes, stream->object, position);
    __cairn_m_moved(stream, position + (off_t)available);
    /* The decision that all bytes exist was made before. */
    return __cairn_concrete(available) == __cairn_concrete(wanted) ? count : available / size;
}

size_t MODEL(fread)(void *to, size_t size, size_t count, FILE *from)
{
    return get(to, size, count, from);
}

size_t MODEL(fread_unlocked)(void *to, size_t size, size_t count, FILE *from)
{
    return get(to, size, count, from);
}

/* The real functions abort if the buffer is too small. */
static int fits(size_t room, size_t size, size_t count)
{
    size = __cairn_concrete(size);
    count = __cairn_concrete(count);
    return size == 0 || count <= room / size;
}

size_t MODEL(__fread_chk)(void *to, size_t room, size_t size, size_t count, FILE *from)
{
    if (!fits(room, size, count))
        return __fread_chk(to, room, size, count, from);
    return get(to, size, count, from);
}

size_t MODEL(__fread_unlocked_chk)(void *to, size_t room, size_t size, size_t count, FILE *from)
{
    if (!fits(room, size, count))
        return __fread_chk(to, room, size, count, from);
    return get(to, size, count, from);
}
