/*
 * The end of a process of ours. One that was stopped, or hangs in the kernel, never comes to it by
 * itself: every wait has a limit, and SIGKILL behind it, which ends a stopped one as well.
 */
#ifndef SD_CHILD_END_H
#define SD_CHILD_END_H

#include <sys/types.h>

#define SD_CHILD_END_S 5 /* for what takes milliseconds where nothing is wrong */

/*
 * Waits as long for a child to end by itself, then kills it, and gives it a second to be gone. 0
 * and its *status (NULL: not wanted); -ETIMEDOUT: it was killed; -ECHILD: it is no child of ours,
 * or was waited for already. Beyond signals: none ends the wait.
 */
int sd_child_end_await(pid_t pid, double limit_s, int *status);

#endif
