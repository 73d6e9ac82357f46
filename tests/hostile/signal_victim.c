/* Signals to a process by every system call that sends them. */
#include "hostile.h"

static void attack(void)
{
    pid_t victim = number("VICTIM");
    siginfo_t forged = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    NEVER(kill(victim, 0) == 0);
    NEVER(kill(victim, SIGKILL) == 0);
    NEVER(kill(-getpgid(victim), SIGKILL) == 0 && getpgid(victim) > 0);
    REFUSED(SYS_tkill, victim, SIGKILL);
    REFUSED(SYS_tgkill, victim, victim, SIGKILL);
    REFUSED(SYS_rt_sigqueueinfo, victim, SIGUSR1, &forged);
    int fd = syscall(SYS_pidfd_open, victim, 0);
    NEVER(fd >= 0 && syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0);
    int ends[2];
    MUST(pipe(ends) == 0);
    NEVER(fcntl(ends[0], F_SETOWN, victim) == 0);
    NEVER(fcntl(ends[0], F_SETSIG, SIGKILL) == 0);
}
