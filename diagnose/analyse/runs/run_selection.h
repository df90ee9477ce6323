/*
 * Selects the runs to compare: those that ended well, in one state of the machine where its states
 * differ (kept_state.h), with the same kinds of measurement.
 */
#ifndef SD_RUN_SELECTION_H
#define SD_RUN_SELECTION_H

#include "accounting/run_parts.h"
#include "record/record.h"
#include "runs/machine_states.h"
#include "runs/run_figures.h"

struct sd_chosen {
	size_t plan;               /* index into the plan's points */
	unsigned cores;            /* as asked */
	unsigned n;                /* min(cores, CPUs bound) */
	double work;               /* omega: the work of this point / that of the reference */
	size_t n_run;              /* used */
	size_t n_other;            /* finished, but in another state, or across a change */
	size_t n_failed;           /* failed, or without a time */
	int exact;                 /* one run, of a modelled machine: no other would differ */
	size_t n_disturbed;        /* left out because others took CPU time */
	size_t n_lacking;          /* dropped because other runs of the point measured more */
	const struct sd_run **run; /* owned array of n_run borrowed runs, ascending by parts.time */
	const struct sd_run **disturbed; /* n_disturbed, in run's array */
	struct sd_run_parts *parts;      /* owned, n_run, in the order of run[] */
	size_t typical, n_typical;       /* first and number of runs without outlying times */
	unsigned known;                  /* SD_RUN_PARTS_* of the point */
	double median_time;              /* of parts.time */
	double state_time[2];            /* s, median of all runs of a state, near first; 0: none */
	size_t state_runs[2];            /* those */
	struct sd_run_figures figures;   /* of parts, for means */
	struct sd_run_parts mean; /* fractions: mean of the typical runs; time: median of all */
};

struct sd_run_selection {
	struct sd_chosen *point; /* owned; only points with a used run, ascending by cores */
	size_t n_point;
	const struct sd_run **drift; /* owned array of borrowed successful drift runs */
	size_t n_drift;
	struct sd_machine_states states;
	enum sd_label
		asked; /* the state whose runs alone were asked for; NONE: as kept_state.h says */
	enum sd_label kept; /* the state of the used runs; none when states.n < 2 or pooled */
	int rates;          /* throughputs replace times (--rate) */
	double work;        /* which the times are for then, in its unit; 0: a run's */
	int pooled;         /* two states, but all runs are used together: */
	int alike;          /*   since they take as long in both, */
	int never;          /*   or neither was seen at all points; else it was, but too seldom */
};

/*
 * `state`: NEAR or FAR: the runs of that state alone; NONE: those that kept_state.h says.
 *
 * 0 or -ENOMEM; *out must be freed in every case. With --rate a run's time is the time its
 * throughput needs for the median work of the reference's runs, and omega is 1, because a
 * throughput already counts the work of all cores.
 */
int sd_run_selection_make(
	const struct sd_record *record, enum sd_label state, struct sd_run_selection *out);
void sd_run_selection_free(struct sd_run_selection *c); /* accepts the zeroed value */

/* Are all runs those of a machine that is modelled whole (--events model)? They do not vary, and
 * nothing that is tried on this machine tells of it. */
static inline int sd_run_selection_modelled(const struct sd_record *r)
{
	return r->plan.simulation && r->plan.simulation->whole;
}

/*
 * Does the median time represent run j's account? A run that took far longer than the others, as
 * when the hypervisor had to find its pages first, does not change the median, but its fractions
 * are atypical. From eight runs on, runs outside Tukey's fences of the logarithms of the times (1.5
 * interquartile ranges beyond the quartiles; Exploratory Data Analysis, 1977) are excluded from
 * means.
 */
static inline int sd_run_selection_typical(const struct sd_chosen *p, size_t j)
{
	return j >= p->typical && j - p->typical < p->n_typical;
}

/* Adds to *out, initially zero, the mean fractions of the typical runs, run j counted times[j] of
 * n_run times (NULL: once); of all runs if none of them is typical. */
void sd_run_selection_mean(
	const struct sd_chosen *p, const unsigned *times, struct sd_run_parts *out);

/* A run's time, s: 1 / throughput with --rate, else wall; 0 if there is no number.
 */
double sd_run_selection_time(const struct sd_record *record, const struct sd_run *run);

/* Is the run in the kept state, or possibly so? */
int sd_run_selection_keeps(const struct sd_run_selection *choice, const struct sd_run *run);

/* Stores the times of those of `run`[n] in the kept state; returns how many. */
size_t sd_run_selection_times(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_run *const *run, size_t n, double *out);

/* From this many core counts on, neighbouring points of the curve can replace repeats: published
 * tables have one run a count. */
#define SD_RUN_SELECTION_CURVE 4

#endif
