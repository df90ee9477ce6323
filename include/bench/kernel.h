/*
 * The interface of a microbenchmark kernel and the rows it produces. A kernel is one file and one
 * row of the registry.
 */
#ifndef SD_KERNEL_H
#define SD_KERNEL_H

#include <signal.h>
#include <stddef.h>

#include "base/cpulist.h"
#include "base/sink.h"
#include "base/status.h"
#include "machine/topology.h"

/* One measured number. Rows are tidy data, so a new kernel needs no new format. */
struct sd_bench_row {
	const char *kernel; /* registry name; static */
	char variant[96];   /* "key=value …", keys in a fixed order: "op=triad stores=nt width=512
			       pages=thp team=threads place=compact" */
	unsigned cores;     /* CPUs in use */
	char cpus[64];      /* the list, or its beginning and "…" */
	double parameter;   /* of a sweep: bytes, pages, GB/s asked for, …; 0 when none */
	const char *parameter_unit; /* static; "" when none */
	const char *unit;           /* static: "GB/s" (1e9), "ns", "1/s", "ratio", … */
	unsigned state; /* of the machine while measuring: 0 the only or near one, 1 the far one
			   (DESIGN 9) */
	size_t n;       /* samples used */
	size_t dropped; /* samples disturbed, or across a change of state */
	double median, q1, q3, low, high; /* of the samples; low and high are min and max */
	/* Several calibrations (profile_merge.h), else 0: how many have this number, and the
	 * standard deviation of ln(median) among them. */
	unsigned calibrations;
	double between;
	enum sd_status status; /* if not ok, the numbers are meaningless and `why` says why */
	char why[96];
};

struct sd_bench_rows {
	struct sd_bench_row *row; /* owned */
	size_t n;
};

int sd_bench_rows_add(
	struct sd_bench_rows *rows, const struct sd_bench_row *row); /* 0 or -ENOMEM */
void sd_bench_rows_free(struct sd_bench_rows *rows);

/*
 * The machine states seen so far, distinguished by the line transfer over all CPUs. Ids are given
 * in order of discovery; sd_bench_rows_by_state() renumbers them after the last measurement.
 */
#define SD_STATES_MAX 4
#define SD_STATES_BINS 128 /* of 8 % each, from 1 ns on */
struct sd_machine_states {
	unsigned n;
	double line[SD_STATES_MAX]; /* s, round trip: mean of what was seen */
	size_t seen[SD_STATES_MAX];
	/* the means, s, of two groups with a gap between them that a state's round trips fall into;
	 * else 0. They are too close to label each sample, so the state's numbers mix both. */
	double split[SD_STATES_MAX][2];
	uint32_t
		bin[SD_STATES_BINS]; /* how often each round trip was seen; not kept in a profile */
};

/*
 * Do two round trips (s) belong to one state, that is, are they within a factor of 1.8? On a busy
 * machine a probe's median moves by half; the distances that matter (one core complex or two, one
 * socket or two) differ by a factor of two or more.
 */
int sd_kernel_states_same(double a, double b);

/* The first counts a round trip (s) in s->bin, the second fills s->split after the last
 * measurement. */
void sd_kernel_states_note(struct sd_machine_states *s, double line);
void sd_kernel_states_splits(struct sd_machine_states *s);

/* Renumbers the states in rows and *states so that 0 is the nearest (shortest line transfer). */
void sd_bench_rows_by_state(struct sd_bench_rows *rows, struct sd_machine_states *states);

/* Bytes that a brief calibration uses where the caches need no more. */
#define SD_BRIEF_BYTES ((size_t)272 << 20)

/* The inputs of a kernel. */
struct sd_kernel_env {
	const struct sd_topology *topology;
	const unsigned *cores; /* core counts to measure, ascending; NULL = the kernel's choice up
				  to granted */
	size_t n_cores;
	const char *directory; /* of the disk kernel; NULL = do not touch the disk */
	double budget_s;       /* s of the calibration's time this kernel may use */
	double deadline_s; /* CLOCK_MONOTONIC, s: nothing starts after it, and rows say so; 0 = none
			    */
	int quick;         /* fewer points, fewer repeats */
	int brief; /* only what a diagnosis holds its counts against (latencies and walks of base
		      pages, bandwidth by as many loops as there is time for), by short samples in
		      SD_BRIEF_BYTES where that is more than a cache */
	struct sd_value *effective; /* of the last-level cache: measured by the first that needs it,
				       for the others; or NULL: by each */
	unsigned long long
		memory_limit; /* bytes all arrays together may take (from MemAvailable) */
	const struct sd_bench_rows
		*earlier; /* what was measured before in this calibration; NULL: nothing */
	int again;        /* all this is to be measured once more, if there is time */
	struct sd_machine_states
		*states; /* shared by all kernels of a calibration; NULL = do not label */
	const volatile sig_atomic_t *stop;                                /* or NULL */
	void (*progress)(void *ctx, const char *kernel, double fraction); /* or NULL */
	void *progress_ctx;
	const struct sd_sink *sink;
};

struct sd_kernel {
	const char *name;    /* `scalediag calibrate NAME` */
	const char *summary; /* one line for --help */
	double weight; /* relative share of the calibration's time; 0: runs only when named, since
			  another kernel includes it */
	int directory; /* measures env->directory; does nothing without it */
	/* Appends rows; a number that cannot be measured here is a row with its status, not an
	 * error. 0, -EINTR or -ENOMEM. */
	int (*run)(const struct sd_kernel_env *env, struct sd_bench_rows *rows);
};

/* NULL-terminated; defined in microbench/kernel_registry.c, passed down by main. */
extern const struct sd_kernel *const sd_kernel_registry[];

#endif
