/* Branches of every kind; `branch_log.rs` knows which of them a run takes. */
#include "cairn.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int three = 3;

static int fib(int n)
{
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}

static int odd(int n)
{
    return n % 2 ? 10 : 20;
}

static int (*volatile through)(int) = odd;

static void *elsewhere(void *unused)
{
    for (int i = 0; i < 5; i++)
        three = 3;
    return unused;
}

static int all_kinds(unsigned char x)
{
    int sum = 0;
    for (int i = 0; i < three; i++)
        sum += i;
    switch (three) {
    case 1: sum = 7; break;
    case 3: sum++; break;
    default: sum = 9;
    }
    sum += through(three);
    sum += fib(three);
    if (x == 'k')
        sum++;
    if (sum > 1000)
        sum = 0;
    int small = x < 10 ? 5 : 8, large = three > 2 ? 6 : 9;
    if (x > 200)
        sum = large;
    return sum + small;
}

static int long_loop(unsigned char x)
{
    int sum = 0;
    if (x == 1)
        sum++;
    for (int i = 0; i < 1000; i++)
        if (i < 40)
            sum += three;
    if (x == 2)
        sum++;
    for (int i = 0; i < 100; i++)
        sum += three;
    return sum;
}

static int in_company(unsigned char x)
{
    pthread_t thread;
    int status, sum = 0;
    if (fork() == 0)
        _exit(fib(5));
    wait(&status);
    pthread_create(&thread, NULL, elsewhere, NULL);
    pthread_join(thread, NULL);
    if (x == 3)
        sum++;
    return sum;
}

int main(int argc, char **argv)
{
    char text[4];
    cairn_symbolic(text, sizeof text, "text");
    switch (argc > 1 ? argv[1][0] : '?') {
    case 'k': return all_kinds(text[0]);
    case 'l': return long_loop(text[0]);
    case 'c': return in_company(text[0]);
    case 'm': return memcmp(text, "abcd", 4) == 0;
    }
    return 0;
}

/* Never called: a linker may drop it. */
int dropped(int x)
{
    for (int i = 0; i < x; i++)
        if (i % three)
            x--;
    return x;
}
