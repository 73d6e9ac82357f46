/* Namespaces, in which it would be root. */
#include "hostile.h"

static void attack(void)
{
    static const int kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80};
    uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    for (unsigned i = 0; i < 8; i++) {
        NEVER(unshare(kinds[i]) == 0);
        long child = kinds[i] == 0x80 ? -1 : syscall(SYS_clone, kinds[i] | SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            _exit(0);
        NEVER(child > 0);
    }
    long child = syscall(435 /* clone3 */, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    NEVER(child > 0);
    NEVER(setns(open("/proc/self/ns/mnt", O_RDONLY), 0) == 0);
}
