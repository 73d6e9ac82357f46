/* Takes memory, in the way that its first byte of input says, and keeps it until it is killed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 8 << 20, PIECES = 40 };

static char *content;

static void keep(void)
{
    for (;;) pause();
}

static int filled_memfd(void)
{
    int fd = memfd_create("hog", 0);
    if (fd < 0 || write(fd, content, PIECE) != PIECE) _exit(9);
    return fd;
}

static void fill_memfds(void)
{
    for (int i = 0; i < PIECES; i++) filled_memfd();
}

static void fill_shared(int forget)
{
    for (int i = 0; i < PIECES; i++) {
        char *piece = mmap(0, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        memset(piece, 1, PIECE);
        if (forget) madvise(piece, PIECE, MADV_DONTNEED);
    }
}

static void send_away(int socket, int fd)
{
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    if (sendmsg(socket, &message, MSG_DONTWAIT) < 0) _exit(8);
    close(fd);
}

static void fill_sockets(void)
{
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    for (int i = 0; i < PIECES; i++) send_away(pair[0], filled_memfd());
}

static void fill_children(void)
{
    for (int i = 0; i < 12; i++)
        if (fork() == 0) memset(malloc(20 << 20), 1, 20 << 20), keep();
}

static void fill_page_tables(void)
{
    size_t size = 120ull << 30;
    volatile char *zeros = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; at < size; at += 2 << 20) zeros[at];
}

static void use_a_little(void)
{
    for (int i = 0; i < PIECES; i++) close(filled_memfd());
    char *shared = mmap(0, 1 << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(shared, 1, PIECE);
    int status;
    for (int i = 0; i < 12; i++)
        if (fork() == 0) usleep(200000), _exit(0);
    while (wait(&status) > 0) ;
    _exit(3);
}

int main(void)
{
    char way = 0;
    if (read(0, &way, 1) != 1) return 1;
    content = malloc(PIECE);
    memset(content, 7, PIECE);
    switch (way) {
    case 'm': fill_memfds(); break;
    case 's': fill_shared(0); break;
    case 'd': fill_shared(1); break;
    case 'i': fill_sockets(); break;
    case 'n': prctl(PR_SET_DUMPABLE, 0), fill_memfds(); break;
    case 'c': prctl(PR_SET_NAME, "\xff\xfe"), memset(malloc(320 << 20), 1, 320 << 20); break;
    case 'f': fill_children(); break;
    case 'p': fill_page_tables(); break;
    case 'o': use_a_little(); break;
    default: return 2;
    }
    keep();
}
