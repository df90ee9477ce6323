/*
 * The interface of a probe: one thing measured while the program runs. A probe is one file and one
 * registry row.
 */
#ifndef SD_PROBE_H
#define SD_PROBE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_accountant;
struct sd_counting;
struct sd_diagnosis_cache;
struct sd_memsource;
struct sd_stacks;

/* A run under the software PMU: `path` is what its plugin writes while the program runs. */
struct sd_probe_simulation {
	const char *path;
	const struct sd_sim_machine *machine; /* as modelled, with its cores */
	int total; /* instructions are counted and nothing else (struct sd_simulated, `whole`) */
};

/* What is about to run. The process exists, bound to its CPUs, and waits before its exec. */
struct sd_probe_target {
	pid_t pid;
	pid_t subreaper; /* every process of the tree descends from this one (it is not part of the
			    tree) */
	const struct sd_cpulist *cpus;      /* what it is bound to */
	unsigned cores;                     /* the N of the stack: min(cores told, CPUs bound) */
	double poll_s;                      /* wished period of tick; 0 = the probe's own choice */
	const struct sd_counting *counting; /* hardware counters (counter_plan.h); NULL = none */
	int os_only;                        /* --events os: hardware counters are left alone */
	unsigned pass;                      /* of the counting's passes, this run's */
	int no_samples;                     /* --samples none */
	const struct sd_memsource *memory;  /* a run to sample loads and stores in; NULL: not */
	double expect_s;                    /* how long a run of this kind took before; 0 unknown */
	double expect_switches;             /* a second, at most, as it made before; 0 unknown */
	const char *keep_samples;           /* file that the raw samples stay in, or NULL */
	int *keep_error;                    /* -errno when they could not; or NULL */
	struct sd_stacks *stacks; /* of the record: where samples put the places they name */
	struct sd_diagnosis_cache
		*kept; /* of the session: symbols read in earlier runs; NULL: none */
	const struct sd_probe_simulation *simulation; /* NULL: the program runs by itself */
	const struct sd_accountant
		*accountant; /* is told what is seen of threads; NULL: nobody is */
	const char *root;    /* prefix of /proc and /sys for fake trees; "" on this machine */
};

struct sd_probe {
	const char *name;
	/*
	 * Opens what the probe needs; *state is passed to the calls below and is NULL-safe there.
	 * 0, or -errno when nothing at all can be measured: the run goes on without this probe and
	 * its metrics stay as `fail` leaves them.
	 */
	int (*open)(void **state, const struct sd_probe_target *target);
	/* Just before the program is released. */
	void (*start)(void *state);
	/* Called every period while the program runs; NULL when the probe is not polled. Returns
	 * the wished delay to the next tick in nanoseconds (the launcher takes the smallest of all
	 * probes). Must not block. */
	uint64_t (*tick)(void *state, uint64_t now_ns);
	/* Does it see every switch of the tree? NULL: no. Asked before `start`; when a probe does,
	 * `ease` is called of those that only look now and then: they may look less often. */
	int (*sees_switches)(const void *state);
	void (*ease)(void *state);
	/* The program has been reaped: write this probe's fields of *run, with a status where there
	 * is no number. */
	void (*stop)(void *state, struct sd_run *run);
	void (*close)(void *state);
	/* Writes the statuses into *run when open failed with `error` (-errno). */
	void (*fail)(int error, struct sd_run *run);
};

/* NULL-terminated; defined in probes/probe_registry.c, handed on by main. */
extern const struct sd_probe *const sd_probe_registry[];
/* The same for runs under the software PMU, where what the kernel says is the emulator's doing. */
extern const struct sd_probe *const sd_probe_simulated_registry[];

#endif
