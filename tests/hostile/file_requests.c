/* Requests to file systems and terminals. */
#include "hostile.h"
#include <linux/fs.h>

static void attack(void)
{
    static const unsigned long requests[] = {
        0xc0045877, /* FIFREEZE */      0xc0045878, /* FITHAW */          0xc0185879, /* FITRIM */
        0x40806685, /* enable verity */ 0x50009401, /* btrfs snapshot */  0x5000940f, /* btrfs subvolume */
        0x5412,     /* TIOCSTI */       0x5402,     /* TCSETS */          0x540e, /* TIOCSCTTY */
        0x5423,     /* TIOCSETD */      0x541c,     /* TIOCLINUX */       0x1261, /* BLKFLSBUF */
    };
    int fds[] = {0, 1, 2, open(".", O_RDONLY), open("/dev/tty", O_RDWR), open("/dev/null", O_RDWR)};
    char argument[4096] = "x";
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
        for (unsigned j = 0; j < 6; j++)
            NEVER(ioctl(fds[j], requests[i], argument) >= 0);
}
