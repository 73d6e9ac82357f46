/*
 * Symbolic numbers that a model passes to the C library: the library's result holds for the number of this run only.
 * Each was once taken for a constant, and exhaustion was claimed. CASE selects the function under test.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void found(int what)
{
    if (what)
        abort();
}

int main(void)
{
    unsigned char b = 0;
    char text[300];
    if (read(0, &b, 1) != 1)
        return 0;
    memset(text, 1, sizeof text);
#if CASE == 0
    snprintf(text, b, "%0100d", 5);
    found(b && strlen(text) == 76);
#elif CASE == 1
    FILE *file = fopen("/proc/self/cmdline", "r");
    memset(text, 0, sizeof text);
    found(fread(text, 1, b & 15, file) == 3);
#elif CASE == 2
    found(lseek(memfd_create("x", 0), 0, b) < 0);
#elif CASE == 3
    struct stat status;
    found(fstatat(AT_FDCWD, "/", &status, b) < 0 && errno == EINVAL);
#elif CASE == 4
    found(pathconf("/", b) == 255);
#elif CASE == 5
    struct itimerspec timer = {{0, 0}, {b, 5}}, left;
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(fd, 0, &timer, NULL);
    timerfd_gettime(fd, &left);
    found(left.it_value.tv_sec == 76);
#elif CASE == 6
    unsigned char resident;
    char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + ((b & 15) << 12), 4096);
    found(mincore(memory + 7 * 4096, 4096, &resident) != 0);
#elif CASE == 7
    found(getrandom(text, 1, b) < 0);
#elif CASE == 8
    DIR *directories[2] = {opendir("/usr"), opendir("/usr")};
    int fd = dirfd(directories[1]);
    closedir(directories[b & 1]);
    found(fcntl(fd, F_GETFD) < 0);
#elif CASE == 9
    found(renameat2(AT_FDCWD, "/nonexistent", AT_FDCWD, "/nonexistent2", b) && errno == EINVAL);
#endif
    return 0;
}
