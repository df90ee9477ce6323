/*
 * Child processes of a lesson: the compiler, and scalediag's own runs. Each has its own process
 * group, which the terminal's Ctrl-C does not reach; a stop request is passed on once.
 */
#ifndef SD_CHILD_PROCESS_H
#define SD_CHILD_PROCESS_H

#include <sched.h>
#include <sys/types.h>

#include "context/context.h"

/* Runs the program at `path`. Returns its exit status; SD_EXIT_INTERRUPTED if the user asked to
 * stop; SD_EXIT_MEASURE if a signal ended it, or after a message. */
enum sd_exit sd_child_process_exec(const struct sd_cli *cli, const char *path, char **argv);

/* The same on `cpus` only (NULL: where this process may run), without what it prints. */
enum sd_exit sd_child_process_quiet(
	const struct sd_cli *cli, const char *path, char **argv, const cpu_set_t *cpus);

/* The same in `folder` (NULL: this one), which prints to `out` and is asked nothing: its standard
 * input is empty. */
enum sd_exit sd_child_process_into(
	const struct sd_cli *cli, const char *path, char **argv, const char *folder, int out);

/* The same; it is killed after so many seconds, 0 never. */
enum sd_exit sd_child_process_limited(const struct sd_cli *cli, const char *path, char **argv,
	const char *folder, int out, unsigned seconds);

/* Starts the program with `name` = `value` in its environment, and without what it prints; -1 after
 * a message. It is ended, at the latest, with this process. */
pid_t sd_child_process_start(const struct sd_cli *cli, const char *path, char **argv,
	const char *name, const char *value);
void sd_child_process_end(pid_t pid); /* accepts -1 */

/* Executes `scalediag` with these words, a command first, without showing its report. Its messages
 * are shown, except how to resume an interrupted record, which is deleted with the lesson. Returns
 * as above.
 */
enum sd_exit sd_child_process_run(const struct sd_cli *cli, int argc, char **argv);

#endif
