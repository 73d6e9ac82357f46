/*
 * Looking up a path.
 *
 * The file system is no input, but which part of it a program sees is decided by names that may be. A symbolic name is
 * compared with those in its directory, one after the other, as the kernel would do it: that no file is called so is
 * then in the path, later runs find the files there are, and a name that does not exist may still become any other one.
 *
 * A name under which the program has made a file itself comes back from the directory without labels, and anywhere in
 * the list: such names are kept here, with their labels, and compared last.
 */
#include "path.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for the names of a directory, a hundred or so. In a larger one a name stays as it is. */
#define ROOM 4096

/* Names that are remembered. */
#define MOST_MADE 8

/* A path, the directory it is seen from, and where the next of its names begins. */
struct place {
    int directory;
    const char *path;
    const char *name;
    int may_be_made;
};

/* What a directory holds. */
struct listing {
    dev_t device;
    ino_t inode;
    ssize_t size;
    _Alignas(struct dirent64) char entries[ROOM];
};

/* Names that did not exist when a function was about to make them. */
static _Thread_local struct made {
    dev_t device;
    ino_t directory;
    char name[NAME_MAX + 1];
} made[MOST_MADE];
static _Thread_local int made_count;

/* Opens the directory that all before a place leads to. */
static int open_before(const struct place *place)
{
    char before[PATH_MAX];
    size_t length = (size_t)(place->name - place->path);
    if (length == 0)
        return openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (length >= sizeof before) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(before, place->path, length);
    before[length] = '\0';
    return openat(place->directory, before, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Reads a directory; its size is -1 if it cannot be read, or is too large. Answers 0 if there is no such directory. */
static int list(const struct place *place, struct listing *listing)
{
    char more[ROOM];
    struct stat status;
    int fd = open_before(place);
    listing->size = -1;
    if (fd < 0)
        return errno == EACCES || errno == EMFILE || errno == ENFILE;
    if (fstat(fd, &status) == 0)
        listing->size = getdents64(fd, listing->entries, ROOM);
    if (listing->size > 0 && getdents64(fd, more, ROOM) != 0)
        listing->size = -1;
    close(fd);
    __cairn_clear(listing->entries, listing->size > 0 ? (size_t)listing->size : 0);
    __cairn_clear(&status, sizeof status);
    listing->device = status.st_dev;
    listing->inode = status.st_ino;
    return 1;
}

/* Whether the next name in a path is this one. */
static int is_name(const char *at, const char *name)
{
    for (; *name != '\0'; at++, name++)
        if (*at != *name)
            return 0;
    return *at == '/' || *at == '\0';
}

/* The name under which the program has made an entry, NULL if it was there before; without a branch of the path. */
static const char *made_name(const struct listing *listing, const char *entry)
{
    int i;
    for (i = 0; i < made_count; i++)
        if (made[i].directory == listing->inode && made[i].device == listing->device && !strcmp(made[i].name, entry))
            return made[i].name;
    return NULL;
}

/* The length of the entry that the next name is, of those that the program has made or of the others; 0 if none. */
static size_t match(const char *name, const struct listing *listing, int is_made)
{
    const char *at = listing->entries, *end = at + listing->size;
    while (at < end) {
        const struct dirent64 *entry = (const void *)at;
        const char *own = made_name(listing, entry->d_name);
        if ((own != NULL) == is_made && is_name(name, own != NULL ? own : entry->d_name))
            return strlen(entry->d_name);
        at += entry->d_reclen;
    }
    return 0;
}

/* A function is about to make a file of this name. */
static void remember(const char *name, size_t length, const struct listing *listing)
{
    struct made *next = &made[made_count];
    /* The system shows the name to everything that asks without it. */
    __cairn_lost_input(name, length);
    if (made_count == MOST_MADE || length > NAME_MAX)
        return;
    next->device = listing->device;
    next->directory = listing->inode;
    __builtin_memcpy(next->name, name, length);
    next->name[length] = '\0';
    made_count++;
}

/* Settles a symbolic name, which has this length now; answers what there is of it. */
static size_t settle(const struct place *place, size_t length)
{
    struct listing listing;
    size_t found;
    if (!list(place, &listing))
        return 0;
    if (listing.size < 0) {
        __cairn_m_pin(place->name, length + 1);
        return length;
    }
    found = match(place->name, &listing, 0);
    if (found == 0)
        found = match(place->name, &listing, 1);
    if (found == 0 && place->may_be_made)
        remember(place->name, length, &listing);
    return found;
}

static const char *without_slashes(const char *at)
{
    while (*at == '/')
        at++;
    return at;
}

/* Goes along a path to its end, or to the first name that does not exist. */
static const char *look_up(int directory, const char *path, int may_be_made)
{
    struct place place = {directory, path, without_slashes(path), may_be_made};
    while (*place.name != '\0') {
        size_t length = strcspn(place.name, "/"), found = length;
        if (symbolic(place.name, length + 1))
            found = settle(&place, length);
        if (found == 0)
            break;
        place.name = without_slashes(place.name + found);
    }
    return place.name;
}

/* Whether there is anything to look up. */
static int is_symbolic(const char *path)
{
    return __cairn_tracing() && path != NULL && symbolic(path, strlen(path) + 1);
}

void __cairn_m_look_up(int directory, const char *path)
{
    int saved = errno;
    path = (const char *)__cairn_concretized((size_t)path);
    if (is_symbolic(path))
        look_up(directory, path, 0);
    errno = saved;
}

/* What a name that could be created is followed by. */
static volatile int followed;

void __cairn_m_look_up_new(int directory, const char *path)
{
    int saved = errno;
    path = (const char *)__cairn_concretized((size_t)path);
    if (is_symbolic(path)) {
        path = look_up(directory, path, 1);
        while (*path != '/' && *path != '\0')
            path++;
        if (*path == '/' && *without_slashes(path) != '\0')
            followed++;
    }
    errno = saved;
}
