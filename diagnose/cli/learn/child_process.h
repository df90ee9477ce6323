/*
 * What a lesson has another process do: the compiler, and scalediag's own runs. Each is in a group
 * that the terminal's Ctrl-C does not reach; a wish to stop is passed on to it once.
 */
#ifndef SD_CHILD_PROCESS_H
#define SD_CHILD_PROCESS_H

#include "context/context.h"

/* Another program, by its file. Its exit status; SD_EXIT_INTERRUPTED when the user has asked to
 * stop; SD_EXIT_MEASURE when a signal ended it, or after a message. */
enum sd_exit sd_child_process_exec(const struct sd_cli *cli, const char *path, char **argv);

/* `scalediag run` with these words, its report not shown. What it says is said, but for how to go
 * on with an interrupted record: that goes with the lesson. The same results. */
enum sd_exit sd_child_process_run(const struct sd_cli *cli, int argc, char **argv);

#endif
