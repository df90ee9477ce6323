/*
 * A look at all processes of the machine: what each has used so far.
 */
#ifndef SD_PROCESS_LOOK_H
#define SD_PROCESS_LOOK_H

#include <stddef.h>
#include <stdint.h>

#define SD_PROCESS_LOOK_MOST 8192u /* of more, the first that /proc lists */

struct sd_looked_process {
	int pid, ppid;
	char comm[16];
	uint64_t start;         /* clock ticks after boot */
	uint64_t own, children; /* clock ticks of CPU time; of children that have ended */
	uint64_t disk;          /* bytes read from and written to block devices */
	int has_disk;           /* their count could be read: it is ours to see, and worth a look */
	int real_time, kernel;  /* its policy is; it is a thread of the kernel */
};

/* Zeroed is empty. */
struct sd_process_look {
	struct sd_looked_process *process; /* owned; ascending by pid */
	size_t n;
	double at; /* s, monotonic */
};

/* `root`: prefix of /proc. A thread of the kernel and a process that has used less than a clock
 * tick have no disk traffic. 0; -errno: /proc cannot be listed, or -ENOMEM; *out is then empty. */
int sd_process_look_take(const char *root, struct sd_process_look *out);

/* NULL: it was not there, or is another of the same pid. */
const struct sd_looked_process *sd_process_look_find(
	const struct sd_process_look *l, int pid, uint64_t start);

void sd_process_look_free(struct sd_process_look *l); /* accepts the zeroed value, leaves it */

#endif
