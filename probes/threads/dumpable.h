/*
 * Did an exec make the kernel close the perf events of a process?
 */
#ifndef SD_DUMPABLE_H
#define SD_DUMPABLE_H

#include <sys/types.h>

/*
 * An exec makes a task undumpable if its file is executable but not readable, or if it changes the
 * task's user, group or capabilities (setuid, file capabilities). begin_new_exec(), formerly
 * install_exec_creds(), then ends the task's perf events (perf_event_exit_task), so its children
 * inherit none. /proc shows it: the files of such a task belong to root, whoever it runs as, while
 * its folder always belongs to its effective user (task_dump_owner). A task that runs as root for
 * another user has also passed such an exec.
 *
 * 1 if process `pid` is such a process for an observer with uid `watcher`; 0 if not, or if it has
 * ended (a zombie's files belong to root, too); -errno if unreadable. A program can also make
 * itself undumpable with prctl, so callers must check in addition that counts are missing. `root`
 * is the prefix of /proc.
 */
int sd_dumpable_lost(const char *root, pid_t pid, uid_t watcher);

#endif
