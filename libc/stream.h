/*
 * What the models of reading functions share.
 *
 * Streams that are not symbolic are left to the library. Of a symbolic one the length is input: how many
 * bytes a function gets is decided by branches here, so that shorter and longer inputs are tried as any other
 * side of a branch is. The bytes themselves come from the real function, which keeps the stream's state.
 */
#ifndef CAIRN_STREAM_H
#define CAIRN_STREAM_H

#include "model.h"
#include <stdio.h>
#include <sys/types.h>

#define NO_OBJECT (-1)

/* The runtime's: the input object behind a descriptor or file, or NO_OBJECT; the length of an object. */
int __cairn_stream(int fd);
int __cairn_stream_of_file(dev_t device, ino_t inode);
size_t __cairn_length(int object);

/* The runtime's: labels for what was read from a place of an object; none with NO_OBJECT. */
void __cairn_received(void *to, size_t size, int object, off_t from);
int __cairn_character(int object, off_t from, int character);

/* The runtime's: a value without its label; a value that is fixed from now on; pages that are new. */
size_t __cairn_concrete(size_t value);
size_t __cairn_concretized(size_t value);
void __cairn_fresh(void *start, size_t size);
void __cairn_copy(void *to, const void *from, size_t size);

/*
 * The runtime's: data is about to be written to a descriptor or stream, from which it may come back; the program
 * learns how much is in a stream's buffer; a descriptor is about to mean another file, or any may; a stream gets a buffer of the
 * program's; how much of the object at an address is left, 0 if it is not known; input goes where it is not seen.
 */
void __cairn_goes_out(int fd, const void *data, size_t size);
void __cairn_goes_into(FILE *stream, const void *data, size_t size);
void __cairn_character_out(FILE *stream, int character);
void __cairn_buffer_asked(void);
void __cairn_descriptor_changes(int fd);
void __cairn_descriptors_change(void);
void __cairn_own_buffer(void);
size_t __cairn_room(const void *at);
void __cairn_lost_unseen(void);

/* The runtime's: a file was mapped, or a segment of shared memory, or is read by a stream; memory is about to be unmapped. */
void __cairn_mapped(int fd, void *start, size_t size, int is_shared);
void __cairn_attached(int segment, void *start, size_t size);
void __cairn_memory_stream(void *start, size_t size);
void __cairn_unmapped(void *start, size_t size);

/* A stream of the library that was read from. */
struct cairn_stream {
    FILE *file;
    unsigned age;
    int object;
    const char *next; /* where the library's buffer stood when the position was known; NULL if it was not */
    off_t position;
};

/* What is known of a stream. */
struct cairn_stream *__cairn_m_stream(FILE *file);

/* Forgets all that is known: descriptors mean other files, or were moved behind the library's back. */
void __cairn_m_forget(void);

/* Keeps nothing from now on: files may change without a call. */
void __cairn_m_forget_always(void);

/* Where a symbolic stream stands; has a label if the end of the input was its measure. */
off_t __cairn_m_position(struct cairn_stream *stream);

/* The next character of a symbolic stream, or EOF. */
int __cairn_m_get(struct cairn_stream *stream);

/* Where a seek leads from `current`, which is decided to be in the file or not. */
off_t __cairn_m_target(int object, off_t current, off_t offset, int whence);

/* A symbolic stream stands at a position now. */
void __cairn_m_moved(struct cairn_stream *stream, off_t position);

/*
 * How many bytes there are of those wanted at a position. The real function got `got`: should the file have
 * changed since the run began, that is what counts.
 */
size_t __cairn_m_available(int object, off_t position, size_t wanted, size_t got);

#endif
