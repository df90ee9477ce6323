/*
 * Has the kernel ended the perf events of a process when it was executed?
 */
#ifndef SD_DUMPABLE_H
#define SD_DUMPABLE_H

#include <sys/types.h>

/*
 * An exec makes a task undumpable when its file may be executed and not read, or when it changes
 * the task's user, group or capabilities (setuid, file capabilities); and begin_new_exec(), earlier
 * install_exec_creds(), ends the perf events of an undumpable task (perf_event_exit_task), which
 * then has none to hand on. /proc shows it: the files of such a task are root's, whoever it runs
 * as, while its folder is always its effective user's (task_dump_owner). A task that runs as root
 * for a user who is not has passed such an exec as well.
 *
 * 1 when process `pid` is of this kind for one who watches as `watcher`, 0 when not, or when it is
 * over (a zombie's files are root's too), -errno when it cannot be read. A program can make itself
 * undumpable without any exec (prctl): who counts asks whether the counts are short as well. `root`
 * is the prefix of /proc.
 */
int sd_dumpable_lost(const char *root, pid_t pid, uid_t watcher);

#endif
