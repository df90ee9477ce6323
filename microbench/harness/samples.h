/*
 * Repeated samples of a measurement: labelled with the machine's state, discarded if the state
 * changed or something else took the CPU meanwhile, and summarised as quartiles per state. Never
 * averaged over states.
 */
#ifndef SD_SAMPLES_H
#define SD_SAMPLES_H

#include <stddef.h>

#include "bench/kernel.h"
#include "harness/team.h"

/* Numbers that one measurement may produce (bandwidth and latency, shared and private, …). */
#define SD_SAMPLE_VALUES 4

struct sd_sample {
	double value[SD_SAMPLE_VALUES]; /* NaN if not measured */
	double delay;                   /* sd_team_delay(); 0 when the measurement used no team */
	double width;                   /* sd_team_width(); 0 unknown */
	unsigned state; /* id of the state, see struct sd_machine_states; written by the harness */
	int disturbed;  /* kept only for lack of better ones */
};

struct sd_samples {
	struct sd_sample *sample; /* owned */
	size_t n;
	size_t flips;     /* dropped: the state changed meanwhile, or no line probe succeeded */
	size_t disturbed; /* dropped: preempted for more than 1 % of the time, stolen CPU time, or
			     others used the cores */
	size_t failed;    /* the measurement failed (-EAGAIN) */
	int late;         /* env->deadline_s passed before the first sample */
};

/* Has env->deadline_s passed, so that nothing more may be started? */
int sd_samples_late(const struct sd_kernel_env *env);
#define SD_LATE_WHY "no time was left: a busy machine, or too quick a calibration"

struct sd_sample_plan {
	const struct sd_kernel_env *env;
	unsigned wanted; /* good samples; a few more attempts are made to get them */
	double budget_s; /* no new attempt after this, except until there are `least`; 0 = none.
			    Within it samples that spread by more than 3 % are doubled */
	unsigned least; /* samples taken even beyond the budget, until the deadline; 0 = one: just a
			   median */
};

/* The minimum number for quartiles. */
#define SD_SAMPLES_QUARTILES 3u

/*
 * Calls measure(ctx, &sample) until there are `wanted` good samples, more if they spread, or
 * attempts (3 x wanted + 3) or time are used up. measure returns 0; -EAGAIN: nothing came out this
 * time, try again; any other -errno ends it. 0 (also when fewer or no samples came out), -EINTR,
 * -ENOMEM or what measure returned; *out must be freed in every case.
 */
int sd_samples_take(struct sd_samples *out, const struct sd_sample_plan *plan,
	int (*measure)(void *ctx, struct sd_sample *s), void *ctx);

/*
 * Appends one row a state, made from value[which] of its samples and the caller's row (kernel,
 * variant, cores, cpus, parameter, units). No samples at all: one row with status absent. Samples
 * that were disturbed but are all there is: status noisy. Not one value is a number: absent. 0 or
 * -ENOMEM.
 */
int sd_samples_rows(const struct sd_samples *s, unsigned which, const struct sd_bench_row *like,
	struct sd_bench_rows *rows);

void sd_samples_free(struct sd_samples *s); /* accepts the zeroed value */

/* Median, quartiles (linear interpolation between order statistics), min and max; n >= 1. */
struct sd_samples_quartiles {
	double min, q1, median, q3, max;
};
struct sd_samples_quartiles sd_samples_quartiles(
	const double *value, size_t n); /* -ENOMEM shows as NaN */

/* Fills cores and cpus of a row ("0-3,8", cut with an ellipsis). */
void sd_rows_cpus(struct sd_bench_row *row, const struct sd_cpulist *cpus);

/* Appends a row that says why there is no number. `like` as above. 0 or -ENOMEM. */
int sd_rows_missing(struct sd_bench_rows *rows, const struct sd_bench_row *like,
	enum sd_status status, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Turns an -errno of sd_team_start, sd_arena_map or sd_team_run into a missing row; -EINTR and
 * -ENOMEM of the harness itself go back to the caller, everything else returns 0. */
int sd_rows_error(struct sd_bench_rows *rows, const struct sd_bench_row *like, int error);

#endif
