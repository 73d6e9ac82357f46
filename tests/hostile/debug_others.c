/* Memory and descriptors of the victim, by debugging calls. */
#include "hostile.h"
#include <sys/ptrace.h>
#include <sys/uio.h>

static void attack(void)
{
    pid_t others[] = {number("VICTIM"), getppid(), 1};
    char text[8] = "changed";
    struct iovec here = {text, sizeof text}, there = {(void *)strtoul(setting("MEMORY"), NULL, 16), sizeof text};
    for (unsigned i = 0; i < 3; i++) {
        NEVER(ptrace(PTRACE_ATTACH, others[i], 0, 0) == 0);
        NEVER(ptrace(PTRACE_SEIZE, others[i], 0, 0) == 0);
        NEVER(process_vm_writev(others[i], &here, 1, &there, 1, 0) > 0);
        NEVER(process_vm_readv(others[i], &here, 1, &there, 1, 0) > 0);
        REFUSED(SYS_kcmp, getpid(), others[i], 0, 0, 0);
        int fd = syscall(SYS_pidfd_open, others[i], 0);
        NEVER(fd >= 0 && syscall(SYS_pidfd_getfd, fd, 1, 0) >= 0);
    }
}
