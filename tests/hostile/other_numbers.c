/* System calls by the numbers of other architectures. */
#include "hostile.h"

static void attack(void)
{
    REFUSED(0x40000000 | SYS_getpid);
    REFUSED(0x40000000 | 520 /* execve of x32 */, "/bin/true", NULL, NULL);
    REFUSED(9999);
    pid_t child = fork();
    if (child == 0) {
        /* getpid of 32-bit programs, 20. */
        long answer = 20;
        __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
        _exit(answer > 0 ? 9 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    NEVER(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}
