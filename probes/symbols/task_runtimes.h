/*
 * Language runtimes that schedule tasks of their own on threads: what a thread of theirs waits for
 * is a task, and says nothing about what the tasks wait for. Told by what they leave in their
 * programs.
 */
#ifndef SD_TASK_RUNTIMES_H
#define SD_TASK_RUNTIMES_H

#include "symbols/elf_file.h"

/* 1: the file has such a runtime in it. */
int sd_task_runtimes_in(const struct sd_elf_file *f);

/* The same of the program that a process runs; 0 also when it cannot be read. Reads little of it.
 * `root` as for the other readers of /proc. */
int sd_task_runtimes_runs(const char *root, int pid);

#endif
