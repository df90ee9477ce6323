/*
 * The events of one CPU that record a process tree, all into one ring buffer.
 */
#ifndef SD_CPU_RECORDER_H
#define SD_CPU_RECORDER_H

#include <sys/types.h>

#include "perf_event/perf_mmap.h"
#include "trace/perf_records.h"
#include "perf_event/sched_waking.h"

/* What is asked of every CPU, and what the kernel said to the first one: it is the same for all. */
struct sd_recording {
	pid_t pid;
	uint64_t period_ns;          /* of the CPU clock */
	uint32_t stack;              /* bytes of it copied with a sample */
	struct sd_rawlayout layout;  /* filled by sd_cpu_recorder_plan */
	struct sd_sched_waking wake; /* valid with error[SD_RAW_WAKE] == 0 */
	int error[SD_RAW_SOURCES];   /* why an event is not opened: -errno */
	int wide;                    /* events are of whole CPUs */
	int no_kernel;               /* kernel mode is denied */
	int no_losses;               /* events do not say how much was lost: before Linux 6.0 */
};

/* Closed is {.fd = {-1, -1, -1, -1, -1}}. */
struct sd_cpu_recorder {
	unsigned cpu;
	int fd[SD_RAW_SOURCES];
	uint64_t id[SD_RAW_SOURCES]; /* 0: not open */
	struct sd_perf_mmap ring;
	uint32_t switch_bytes; /* that a switch with its stack takes there */
	uint64_t every;        /* of how many switches one writes its stack; wide only */
	uint64_t owed;         /* stacks of switches that it may write besides what it was told */
	int shut;              /* switches are not recorded now */
	uint64_t told;         /* records that the ring itself said were lost */
	uint64_t seen, since;  /* at sd_cpu_recorder_pace()'s last look: bytes, or with fewer stacks
				  switches; and its time */
	double rate;           /* switches a second then; 0: not counted */
};

/* What to ask for. `stack` is a multiple of 16: the kernel writes it whole, whatever is on it. */
void sd_cpu_recorder_plan(
	struct sd_recording *r, pid_t pid, uint64_t period_ns, uint32_t stack, const char *root);

/*
 * Events follow each thread on their own (SD_RAW_CLOCK leads them): every thread that is made gets
 * copies of them, every context switch stops and starts them, and a thread that lives for less than
 * the clock's period is never seen. Where the kernel allows to look at whole CPUs, they are of
 * whatever the CPU does (SD_RAW_WIDE leads them), at half of the cost or less, and a sample is a
 * moment of the CPU, not of a thread; what is not the tree's is then for the reader to drop.
 *
 * Opens the events of a CPU, to begin with the exec of the process or (wide) with
 * sd_cpu_recorder_start(), and a ring of `size` bytes; `whole` 0: only the clock and what comes
 * with it, not wide. What is denied for good is noted in *r and left out from then on. 0, or -errno
 * when there is nothing; -ENODEV: the CPU is offline; -ENOMEM: also when so much may not be locked;
 * -EMFILE, -EACCES...
 */
int sd_cpu_recorder_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, unsigned cpu, size_t size, int whole);

/* Starts the clock of a whole CPU; one that follows threads begins with their exec. Those that are
 * started soon after each other tick so: their samples are moments of all CPUs. 0 or -errno. */
int sd_cpu_recorder_start(struct sd_cpu_recorder *r);

/* Where switches of a whole CPU are recorded, to be called now and then: fewer of their stacks
 * while it switches so often that they would fill the ring, or cost much, and all again after that.
 */
void sd_cpu_recorder_pace(struct sd_cpu_recorder *r, uint64_t now_ns);

/* Of a whole CPU: its switches and wake-ups are recorded, or not; as opened they are. */
void sd_cpu_recorder_watch(struct sd_cpu_recorder *r, int on, uint64_t now_ns);

/* So many stacks of switches were read from the ring, or lost: so many more may be written. */
void sd_cpu_recorder_read(struct sd_cpu_recorder *r, uint64_t stacks);

/* Records that were lost and that the ring did not say (`told` is what it did): it says so with the
 * next record that has room, which after the last loss never came. */
uint64_t sd_cpu_recorder_untold(const struct sd_cpu_recorder *r);

void sd_cpu_recorder_close(struct sd_cpu_recorder *out);

#endif
