/*
 * The events that record a process tree on one CPU, all into one ring buffer.
 */
#ifndef SD_CPU_RECORDER_H
#define SD_CPU_RECORDER_H

#include <sys/types.h>

#include "bpf/switch_programs.h"
#include "perf_event/perf_mmap.h"
#include "trace/perf_records.h"
#include "perf_event/sched_waking.h"

#define SD_RECORDER_STACK 8192u /* bytes of a stack, where nothing asks for more */

/* The request for every CPU, and the kernel's answers for the first one, which hold for all. */
struct sd_recording {
	pid_t pid;
	uint64_t period_ns;          /* of the CPU clock */
	uint32_t stack;              /* bytes of stack copied with a sample */
	struct sd_rawlayout layout;  /* filled by sd_cpu_recorder_plan */
	struct sd_sched_waking wake; /* valid with error[SD_RAW_WAKE] == 0 */
	int error[SD_RAW_SOURCES];   /* why an event could not be opened: -errno */
	int wide;                    /* events cover whole CPUs */
	int no_kernel;               /* kernel mode is denied */
	int no_losses;               /* events do not report losses: before Linux 6.0 */
	/* Programs in the kernel that record switches and wake-ups of whole CPUs instead of events,
	 * opened with the first CPU; borrowed. NULL: not wanted, or denied. */
	struct sd_switch_programs *programs;
	int no_programs; /* why they were wanted and do not run: -errno */
};

/* Closed is {.fd = {-1, -1, -1, -1, -1}}. */
struct sd_cpu_recorder {
	unsigned cpu;
	int fd[SD_RAW_SOURCES];
	uint64_t id[SD_RAW_SOURCES]; /* 0: not open */
	struct sd_perf_mmap ring;
	uint64_t begin;        /* position in it at which this run began */
	uint32_t switch_bytes; /* size of a switch with its stack */
	uint64_t every;        /* every n-th switch writes its stack; wide only */
	uint64_t owed;         /* stacks of switches that it may write beyond those announced */
	int shut;              /* switches are currently not recorded */
	uint64_t told;         /* lost records reported by the ring */
	uint64_t seen, since; /* at the last sd_cpu_recorder_pace(): bytes (or, with thinned stacks,
				 switches), and its time */
	double rate;          /* switches a second at that time; 0: not counted */
	struct sd_switch_ring *switches; /* what the programs write; NULL: they do not run */
	uint64_t missed;                 /* of its lost records, those told */
	uint64_t share; /* one of so many stacks is written that there could be; 0 all */
};

/* Fills the request. `stack` is a multiple of 16; the kernel always copies that many bytes. */
void sd_cpu_recorder_plan(
	struct sd_recording *r, pid_t pid, uint64_t period_ns, uint32_t stack, const char *root);

/*
 * Per-thread events (led by SD_RAW_CLOCK) are inherited by every new thread and stopped and started
 * at every context switch; a thread that lives for less than the clock's period is never seen. If
 * the kernel allows, events cover whole CPUs instead (led by SD_RAW_WIDE), at half the cost or
 * less. Then a sample is a moment of the CPU, not of a thread, and the reader must drop what is
 * outside the tree.
 *
 * Opens the events of a CPU, which start at the process's exec or (wide) at
 * sd_cpu_recorder_start_all(), and a ring of `size` bytes. `whole` 0: only the clock, not wide.
 * Events that are denied are noted in *r and not tried again. 0, or -errno if none could be opened;
 * -ENODEV: CPU offline; -ENOMEM: also if that much may not be locked; -EMFILE, -EACCES...
 */
int sd_cpu_recorder_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, unsigned cpu, size_t size, int whole);

/* Starts the clocks of n whole CPUs (per-thread clocks start at exec), all within a quarter of a
 * period. Clocks started shortly after each other keep that distance: their samples show one moment
 * of all CPUs (joint_samples.c). 0, -ENOMEM or -errno. */
int sd_cpu_recorder_start_all(struct sd_cpu_recorder *r, size_t n, uint64_t period_ns);

/* Stops all events of a whole CPU; what they wrote stays to be read. */
void sd_cpu_recorder_pause(struct sd_cpu_recorder *r);

/* Call periodically if switches of a whole CPU are recorded: thins out their stacks while there are
 * so many switches that stacks would fill the ring or cost too much.
 */
void sd_cpu_recorder_pace(struct sd_cpu_recorder *r, uint64_t now_ns);

/* Turns recording of a whole CPU's switches and wake-ups on (as after opening) or off. */
void sd_cpu_recorder_watch(struct sd_cpu_recorder *r, int on, uint64_t now_ns);

/* That many stacks of switches were read from the ring or lost, so as many more may be written. */
void sd_cpu_recorder_read(struct sd_cpu_recorder *r, uint64_t stacks);

/* Lost records that the ring did not report (`told` counts those it did): the kernel reports losses
 * with the next record that fits, and after the last loss there was none. */
uint64_t sd_cpu_recorder_untold(const struct sd_cpu_recorder *r);

void sd_cpu_recorder_close(struct sd_cpu_recorder *out);

#endif
