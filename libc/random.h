/* Random bytes that are the same in every run. */
#ifndef CAIRN_RANDOM_H
#define CAIRN_RANDOM_H

#include "model.h"
#include <stdio.h>

/* Fills memory with the next random bytes. */
void __cairn_m_fill_randomly(char *to, size_t size);

/* Records a descriptor that was opened under this name, if it is a random device. */
void __cairn_m_opened(int fd, const char *path);

/* Replaces bytes that were read from a descriptor if it is a random device. */
void __cairn_m_received(int fd, void *bytes, size_t size);

/* Replaces bytes that were read from a stream, which need not have a descriptor, if it is a random device. */
void __cairn_m_received_from(FILE *stream, void *bytes, size_t size);

#endif
