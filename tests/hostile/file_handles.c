/* Files by handles, and notifications of the whole file system. */
#include "hostile.h"
#include <sys/fanotify.h>

static void attack(void)
{
    struct {
        struct file_handle handle;
        char room[128];
    } file = {.handle = {.handle_bytes = 128}};
    int mount;
    REFUSED(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY);
    NEVER(name_to_handle_at(AT_FDCWD, at("HOME", "secret"), &file.handle, &mount, 0) == 0);
    NEVER(open_by_handle_at(AT_FDCWD, &file.handle, O_RDONLY) >= 0);
}
