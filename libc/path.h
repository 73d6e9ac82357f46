/* Path names. */
#ifndef CAIRN_PATH_H
#define CAIRN_PATH_H

#include "model.h"
#include <fcntl.h>

/*
 * Called before the real function is called with a path, relative to a directory. Its result depends on which names
 * exist: compares every symbolic component of the path with the existing ones.
 */
void __cairn_m_look_up(int directory, const char *path);

/*
 * As above, for a function that may create the file: then it also matters if the name continues behind the first
 * component that does not exist.
 */
void __cairn_m_look_up_new(int directory, const char *path);

#endif
