/* fseek, ftell and their kin: the end of a symbolic stream is where its length says */
#include "stream.h"

static int seek(FILE *stream_file, off_t offset, int whence)
{
    struct cairn_stream *stream = __cairn_m_stream(stream_file);
    int failed;
    stream->next = NULL;
    if (stream->object == NO_OBJECT || whence != SEEK_END)
        return fseeko(stream_file, __cairn_pinned(offset), whence);
    failed = fseeko(stream_file, offset, whence);
    if (!failed) {
        off_t end = (off_t)__cairn_length(stream->object) + offset;
        off_t position = ftello(stream_file);
        stream->next = stream_file->_IO_read_ptr;
        stream->position = (off_t)__cairn_concrete(end) == position ? end : position;
    }
    return failed;
}

static off_t tell(FILE *file)
{
    struct cairn_stream *stream = __cairn_m_stream(file);
    return stream->object == NO_OBJECT ? ftello(file) : __cairn_m_position(stream);
}

int MODEL(fseek)(FILE *stream, long offset, int whence)
{
    return seek(stream, offset, whence);
}

int MODEL(fseeko)(FILE *stream, off_t offset, int whence)
{
    return seek(stream, offset, whence);
}

int MODEL(fseeko64)(FILE *stream, off_t offset, int whence)
{
    return seek(stream, offset, whence);
}

long MODEL(ftell)(FILE *stream)
{
    return tell(stream);
}

off_t MODEL(ftello)(FILE *stream)
{
    return tell(stream);
}

off_t MODEL(ftello64)(FILE *stream)
{
    return tell(stream);
}

void MODEL(rewind)(FILE *stream)
{
    __cairn_m_stream(stream)->next = NULL;
    rewind(stream);
}

int MODEL(fsetpos)(FILE *stream, const fpos_t *position)
{
    __cairn_m_stream(stream)->next = NULL;
    return fsetpos(stream, position);
}

int MODEL(fsetpos64)(FILE *stream, const fpos_t *position)
{
    __cairn_m_stream(stream)->next = NULL;
    return fsetpos(stream, position);
}
