/*
 * Shared parts of hostile targets: a decision on the input, an attack, and a check that it was prevented. A call
 * that must not succeed aborts the program if it does, so that the campaign has a crash to report.
 *
 * Targets never run as root, and name nothing but the victim that the test has started for them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIFETIME 60

/* Aborts if something happened that must not. */
#define NEVER(happened)                                                                                                          \
    do {                                                                                                                         \
        if (happened) {                                                                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #happened);                                                       \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)
#define MUST(happens) NEVER(!(happens))
/* A system call that must fail. */
#define REFUSED(...) NEVER(syscall(__VA_ARGS__) >= 0)

static inline const char *setting(const char *name)
{
    const char *value = getenv(name);
    MUST(value);
    return value;
}

static inline long number(const char *name)
{
    return atol(setting(name));
}

static inline const char *at(const char *directory, const char *name)
{
    static char paths[4][4096];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", setting(directory), name);
    return path;
}

static void attack(void);

int main(void)
{
    char input[2] = "";
    if (getuid() == 0 || geteuid() == 0)
        return 7;
    if (read(0, input, 2) < 0)
        return 8;
    if (input[0] == 'x')
        puts("x");
    attack();
    return 0;
}
