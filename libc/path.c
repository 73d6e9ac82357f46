/*
 * Path lookup.
 *
 * The file system is no input, but the part of it that a program sees is selected by names that may be symbolic. A
 * symbolic name is compared with the entries of its directory, one after the other, as the kernel does: a failed
 * lookup is then in the path, later runs find the existing files, and a name that does not exist may still become any
 * other one.
 *
 * A name under which the program has created a file itself is returned by the directory without labels, and anywhere
 * in the list: such names are kept here, with their labels, and compared last.
 */
#include "path.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Buffer for the names of a directory, about a hundred; a chosen bound. In a larger directory the name is
 * concretized.
 */
#define ROOM 4096

/* Maximum number of created names that are kept; a chosen bound. */
#define MAX_CREATED 8

/* A path, its starting directory, and the position of its next component. */
struct place {
    int directory;
    const char *path;
    const char *name;
    int may_be_made;
};

/* Entries of a directory. */
struct listing {
    dev_t device;
    ino_t inode;
    ssize_t size;
    _Alignas(struct dirent64) char entries[ROOM];
};

/* Names that did not exist when a function was about to create them. */
static _Thread_local struct made {
    dev_t device;
    ino_t directory;
    char name[NAME_MAX + 1];
} made[MAX_CREATED];
static _Thread_local int made_count;

/* Opens the directory of all components before a position. */
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

/*
 * Lists a directory; its size is -1 if it cannot be read, or is too large. Returns 0 if there is no such directory.
 */
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

/* True if the next component of a path is this name. */
static int is_name(const char *at, const char *name)
{
    for (; *name != '\0'; at++, name++)
        if (*at != *name)
            return 0;
    return *at == '/' || *at == '\0';
}

/*
 * Returns the labelled name under which the program has created an entry, NULL if it existed before; without a branch
 * of the path.
 */
static const char *made_name(const struct listing *listing, const char *entry)
{
    int i;
    for (i = 0; i < made_count; i++)
        if (made[i].directory == listing->inode && made[i].device == listing->device && !strcmp(made[i].name, entry))
            return made[i].name;
    return NULL;
}

/*
 * Returns the length of the entry that equals the next component, among the created or the other ones; 0 if none
 * does.
 */
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

/* Records that a function is about to create a file of this name. */
static void remember(const char *name, size_t length, const struct listing *listing)
{
    struct made *next = &made[made_count];
    /* The system returns the name to every caller without labels. */
    __cairn_lost_input(name, length);
    if (made_count == MAX_CREATED || length > NAME_MAX)
        return;
    next->device = listing->device;
    next->directory = listing->inode;
    __builtin_memcpy(next->name, name, length);
    next->name[length] = '\0';
    made_count++;
}

/* Decides which entry a symbolic component of this length is; returns the length of the existing part. */
static size_t decide_component(const struct place *place, size_t length)
{
    struct listing listing;
    size_t found;
    if (!list(place, &listing))
        return 0;
    if (listing.size < 0) {
        __cairn_m_concretize(place->name, length + 1);
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

/* Follows a path to its end, or to the first component that does not exist. */
static const char *look_up(int directory, const char *path, int may_be_made)
{
    struct place place = {directory, path, without_slashes(path), may_be_made};
    while (*place.name != '\0') {
        size_t length = strcspn(place.name, "/"), found = length;
        if (symbolic(place.name, length + 1))
            found = decide_component(&place, length);
        if (found == 0)
            break;
        place.name = without_slashes(place.name + found);
    }
    return place.name;
}

/* True if the path is symbolic. */
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

/* Sink of the branch on the text behind a name that could be created. */
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
