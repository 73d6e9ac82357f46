/* The working directory and the campaign's own. */
#include "hostile.h"

static void attack(void)
{
    NEVER(open("escaped", O_CREAT | O_WRONLY, 0600) >= 0);
    NEVER(open("../out/fuzzer_stats", O_WRONLY) >= 0);
    NEVER(open("../out/queue/forged", O_CREAT | O_WRONLY, 0600) >= 0);
    NEVER(open("/dev/shm/cairn-hostile", O_CREAT | O_WRONLY, 0600) >= 0);
    /* Otherwise /tmp is the scratch directory. */
    if (strcmp(setting("TMPDIR"), "/tmp") != 0) NEVER(open("/tmp/cairn-hostile", O_CREAT | O_WRONLY, 0600) >= 0);
    NEVER(open("/var/tmp/cairn-hostile", O_CREAT | O_WRONLY, 0600) >= 0);
    NEVER(rename("../out", "../moved") == 0);
}
