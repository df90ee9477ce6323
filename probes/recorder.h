/*
 * The events of one CPU that record a process tree, all into one ring buffer.
 */
#ifndef SD_RECORDER_H
#define SD_RECORDER_H

#include <sys/types.h>

#include "perfring.h"
#include "rawevent.h"
#include "wakepoint.h"

/* What is asked of every CPU, and what the kernel said to the first one: it is the same for all. */
struct sd_recording {
	pid_t pid;
	uint64_t period_ns;         /* of the CPU clock */
	uint32_t stack;             /* bytes of it copied with a sample */
	struct sd_rawlayout layout; /* filled by sd_recording_plan */
	struct sd_wakepoint wake;   /* valid with error[SD_RAW_WAKE] == 0 */
	int error[SD_RAW_SOURCES];  /* why an event is not opened: -errno */
	int no_kernel;              /* kernel mode is denied */
	int no_build_id;            /* the kernel does not give it */
};

/* Closed is {.fd = {-1, -1, -1, -1}}. */
struct sd_recorder {
	unsigned cpu;
	int fd[SD_RAW_SOURCES];
	uint64_t id[SD_RAW_SOURCES]; /* 0: not open */
	struct sd_perfring ring;
};

/* What to ask for. `stack` is a multiple of 16: the kernel writes it whole, whatever is on it. */
void sd_recording_plan(
	struct sd_recording *r, pid_t pid, uint64_t period_ns, uint32_t stack, const char *root);

/*
 * The CPU clock runs for each thread on its own (SD_RAW_CLOCK), and a thread that lives for less
 * than its period is never seen, nor one whose children of that kind take its clock with them.
 * Where the kernel allows to look at whole CPUs, one clock runs on through all that the CPU does
 * (SD_RAW_WIDE, without that fault); samples of threads outside the tree are then for the reader to
 * drop, and SD_RAW_CLOCK takes none: it only carries mappings, forks and switches.
 *
 * Opens the events of a CPU, to begin with the exec of the process, and a ring of `size` bytes;
 * `whole` 0: only the clock and what comes with it. What is denied for good is noted in *r and left
 * out from then on. 0, or -errno when there is nothing; -ENODEV: the CPU is offline; -ENOMEM: also
 * when so much may not be locked; -EMFILE, -EACCES...
 */
int sd_recorder_open(
	struct sd_recorder *out, struct sd_recording *r, unsigned cpu, size_t size, int whole);
void sd_recorder_close(struct sd_recorder *out);

#endif
