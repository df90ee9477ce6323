/*
 * Detects language runtimes that schedule their own tasks on threads, by what they leave in their
 * programs. A thread of such a runtime waits for a task, which does not tell what the tasks wait
 * for.
 */
#ifndef SD_TASK_RUNTIMES_H
#define SD_TASK_RUNTIMES_H

#include "symbols/elf_file.h"

/* 1: the file contains such a runtime. */
int sd_task_runtimes_in(const struct sd_elf_file *f);

/* Likewise for the program of a process; 0 also if unreadable. Reads only a little of it. `root` is
 * the prefix of /proc. */
int sd_task_runtimes_runs(const char *root, int pid);

#endif
