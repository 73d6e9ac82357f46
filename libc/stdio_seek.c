/* fseek, ftell and variants: the end of a symbolic stream follows from its length */
#include "stream.h"
#include <stdio_ext.h>

static int seek(FILE *file, off_t offset, int whence)
{
    struct cairn_stream *stream = __cairn_m_stream(file);
    off_t target;
    if (stream->object == NO_OBJECT)
        return fseeko(file, offset, whence);
    target = __cairn_m_target(stream->object, whence == SEEK_CUR ? __cairn_m_position(stream) : 0, offset, whence);
    stream->next = NULL;
    if (fseeko(file, (off_t)__cairn_concrete(offset), whence) != 0)
        return -1;
    if ((off_t)__cairn_concrete(target) == ftello(file))
        __cairn_m_moved(stream, target);
    return 0;
}

static off_t tell(FILE *file)
{
    struct cairn_stream *stream = __cairn_m_stream(file);
    if (stream->object != NO_OBJECT)
        return __cairn_m_position(stream);
    __cairn_buffer_asked();
    return ftello(file);
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

int MODEL(fgetpos)(FILE *stream, fpos_t *position)
{
    __cairn_buffer_asked();
    return fgetpos(stream, position);
}

int MODEL(fgetpos64)(FILE *stream, fpos_t *position)
{
    return MODEL(fgetpos)(stream, position);
}

size_t MODEL(__fpending)(FILE *stream)
{
    __cairn_buffer_asked();
    return __fpending(stream);
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
