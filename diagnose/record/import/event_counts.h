/*
 * Counts that a reader found in one run, by the names of events; and made of them, the roles of the
 * CPU. A role of several events is there when all of them are. What belongs to no role is listed,
 * never dropped without a word.
 */
#ifndef SD_EVENT_COUNTS_H
#define SD_EVENT_COUNTS_H

#include "import/event_names.h"
#include "record/run.h"

struct sd_event_count {
	char name[200];
	double value;   /* as if counted all the time */
	double running; /* 0..1, the smallest of its parts */
	int user;       /* user mode only */
	int used;
};

struct sd_event_counts {
	struct sd_event_count *count; /* owned */
	size_t n;
};

/* Adds to what there is of that name: cores, sockets, intervals, controllers. 0; -ENOMEM; -E2BIG:
 * more names than any run has. */
int sd_event_counts_add(
	struct sd_event_counts *c, const char *name, double value, double running, int user);
void sd_event_counts_free(struct sd_event_counts *c); /* accepts the zeroed value */

/*
 * Makes the run's roles of them: by the CPU's map, then by the kernel's generic names and those
 * that every CPU has. `source` is theirs where nobody said which CPU it was. Names left over are
 * appended to *unknown, each once. 0 or -ENOMEM.
 */
int sd_event_counts_roles(struct sd_event_counts *c, const struct sd_import_cpu *cpu,
	const char *source, struct sd_run *run, struct sd_texts *unknown);

#endif
