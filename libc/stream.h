/*
 * Shared declarations of the models of input functions.
 *
 * Streams that are not symbolic are left to the library. The length of a symbolic stream is input: how many bytes a
 * function returns is decided by branches here, so that shorter and longer inputs are explored like any other side of
 * a branch. The bytes themselves come from the real function, which keeps the stream's state.
 */
#ifndef CAIRN_STREAM_H
#define CAIRN_STREAM_H

#include "model.h"
#include <stdio.h>
#include <sys/types.h>

#define NO_OBJECT (-1)

/* Runtime: returns the input object behind a descriptor or file, or NO_OBJECT; the length of an object. */
int __cairn_stream(int fd);
int __cairn_stream_of_file(dev_t device, ino_t inode);
size_t __cairn_length(int object);

/* Runtime: labels bytes that were read from an offset of an object; removes labels if it is NO_OBJECT. */
void __cairn_received(void *to, size_t size, int object, off_t from);
int __cairn_character(int object, off_t from, int character);

/* Runtime: returns a value without its label; concretizes a value; marks pages as new. */
size_t __cairn_concrete(size_t value);
size_t __cairn_concretized(size_t value);
void __cairn_fresh(void *start, size_t size);
void __cairn_copy(void *to, const void *from, size_t size);

/*
 * Runtime: data is about to be written to a descriptor or stream, from which the program may read it back; the
 * program queries the fill level of a stream's buffer; a descriptor, or any, is about to refer to another file; a
 * stream gets a buffer of the program's; returns the size left of the object at an address, 0 if unknown; input
 * reaches the program without labels.
 */
void __cairn_goes_out(int fd, const void *data, size_t size);
void __cairn_goes_into(FILE *stream, const void *data, size_t size);
void __cairn_character_out(FILE *stream, int character);
void __cairn_buffer_asked(void);
void __cairn_descriptor_changes(int fd);
void __cairn_descriptors_change(void);
void __cairn_own_buffer(void);
size_t __cairn_room(const void *at);
void __cairn_lost_unlabelled(void);

/*
 * Runtime: a file was mapped, or a shared memory segment, or a stream reads memory; memory is about to be unmapped.
 */
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

/* Returns the cached state of a stream. */
struct cairn_stream *__cairn_m_stream(FILE *file);

/* Invalidates the cache: descriptors refer to other files, or were moved without the library. */
void __cairn_m_forget(void);

/* Disables the cache: files may change without a call. */
void __cairn_m_forget_always(void);

/* Returns the position of a symbolic stream; labelled if it is relative to the end of the input. */
off_t __cairn_m_position(struct cairn_stream *stream);

/* Returns the next character of a symbolic stream, or EOF. */
int __cairn_m_get(struct cairn_stream *stream);

/* Returns the target of a seek from `current`, after a decision on whether that is inside the file. */
off_t __cairn_m_target(int object, off_t current, off_t offset, int whence);

/* Sets the position of a symbolic stream. */
void __cairn_m_moved(struct cairn_stream *stream, off_t position);

/*
 * Returns how many of the `wanted` bytes at a position exist, and concretizes the position if there are any. The real
 * function returned `got`: if the file has changed since the run began, that is the result.
 */
size_t __cairn_m_available(int object, off_t *position, size_t wanted, size_t got);

#endif
