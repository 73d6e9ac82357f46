/* Names of files. */
#ifndef CAIRN_PATH_H
#define CAIRN_PATH_H

#include "model.h"
#include <fcntl.h>

/*
 * The real function is about to be asked about a path, seen from a directory. What it answers depends on which names
 * exist: compares every symbolic part of the path with what there is.
 */
void __cairn_m_look_up(int directory, const char *path);

/* The same for a function that may create the file: whether the name goes on behind what does not exist counts, too. */
void __cairn_m_look_up_new(int directory, const char *path);

#endif
