/*
 * What a program asks of its signals, its heap and its stacks must come true in a process that is used for many runs as well; where
 * it does not, this aborts. One input crashes in any case.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LARGE 900000

static sigjmp_buf back;
static char *stack, *volatile seen;

static void expect(int holds) {
    if (!holds) abort();
}

static void leap(int signal) { siglongjmp(back, signal); }

static void use_much(int signal) {
    char local[LARGE * 8 / 9];
    memset(local, signal, sizeof local);
    seen = local + getppid() % 2;
    siglongjmp(back, signal);
}

static void faults_twice(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigfillset(&action.sa_mask);
    sigaction(SIGILL, &action, NULL);
    for (volatile int i = 0; i < 2; i++) {
        if (!sigsetjmp(back, 1)) __builtin_trap();
    }
}

static void block_and_kill(void) {
    sigset_t one, now;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, NULL);
    sigprocmask(SIG_BLOCK, NULL, &now);
    expect(sigismember(&now, SIGUSR1));
    kill(getpid(), SIGUSR1);
    sigpending(&now);
    expect(sigismember(&now, SIGUSR1));
}

static void large_stack(void) {
    stack = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t given = {.ss_sp = stack, .ss_size = LARGE};
    sigaltstack(&given, NULL);
    faults_twice(use_much, SA_ONSTACK);
    expect(seen > stack && seen < stack + LARGE);
}

static void bad_pointers(void) {
    void *bad = (void *)8;
    expect(syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, NULL, 8) < 0 && errno == EFAULT);
    expect(syscall(SYS_rt_sigaction, SIGUSR1, bad, NULL, 8) < 0 && errno == EFAULT);
    expect(syscall(SYS_sigaltstack, bad, NULL) < 0 && errno == EFAULT);
}

static void grow(void) {
    for (int i = 0; i < 8; i++) memset(malloc(100000), 1, 100000);
}

static void same_page(void) {
    sbrk(100);
    char *end = sbrk(100);
    end[50] = 9;
    sbrk(-100);
    expect(sbrk(100) == end && end[50] == 9);
}

int main(void) {
    char what;
    if (fread(&what, 1, 1, stdin) < 1) return 1;
    switch (what) {
    case 'a': block_and_kill(); break;
    case 'b': faults_twice(leap, 0); break;
    case 'c': large_stack(); break;
    case 'd': grow(); break;
    case 'e': return *(volatile char *)((char *)sbrk(0) + 300000); /* a fault, whatever other runs had there */
    case 'f': bad_pointers(); break;
    case 'g': same_page(); break;
    case 'h':
        for (int i = 0; i < 300000; i++) getppid();
        break;
    case 'i': expect(clock() < CLOCKS_PER_SEC / 20); break;
    default: break;
    }
    return 0;
}
