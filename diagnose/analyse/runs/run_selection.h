/*
 * Which runs are compared: those that ended well, in the one machine state that all points were
 * seen in, with the same kinds of measurement.
 */
#ifndef SD_RUN_SELECTION_H
#define SD_RUN_SELECTION_H

#include "accounting/run_parts.h"
#include "record/record.h"
#include "runs/machine_states.h"

struct sd_chosen {
	size_t plan;               /* index into the plan's points */
	unsigned cores;            /* as asked */
	unsigned n;                /* min(cores, CPUs bound) */
	double work;               /* omega: the work of this point, against the reference */
	size_t n_run;              /* used */
	size_t n_other;            /* finished, but in another state or mixed */
	size_t n_failed;           /* ended badly or without a time */
	size_t n_disturbed;        /* left out because others took CPU time meanwhile */
	size_t n_lacking;          /* dropped because other runs of the point know more */
	const struct sd_run **run; /* owned array of borrowed runs, n_run; by rising parts.time */
	const struct sd_run **disturbed; /* n_disturbed, in run's array */
	struct sd_run_parts *parts;      /* owned, n_run, in the order of run[] */
	size_t typical, n_typical;       /* run[typical] and these many: times without outliers */
	unsigned known;                  /* SD_RUN_PARTS_* of the point */
	double median_time;              /* of parts.time */
	struct sd_run_parts mean;        /* of the typical runs: fractions; median time of all */
};

struct sd_run_selection {
	struct sd_chosen *point; /* owned; only points with a used run; cores rising */
	size_t n_point;
	const struct sd_run **drift; /* owned array of borrowed drift runs that ended well */
	size_t n_drift;
	struct sd_machine_states states;
	enum sd_label kept; /* the state of the used runs; none when states.n < 2 or pooled */
	int rates;          /* throughputs replace times (--rate) */
	int pooled; /* two states, but none was seen at all points: all runs are used together */
};

/*
 * 0 or -ENOMEM; *out must be freed in every case. With --rate the time of a run is the one its
 * throughput needs for the median amount of work of the reference's runs, and omega is 1: a
 * throughput counts the work of all cores already.
 */
int sd_run_selection_make(const struct sd_record *record, struct sd_run_selection *out);
void sd_run_selection_free(struct sd_run_selection *c); /* accepts the zeroed value */

/*
 * Is run j one whose account the median time stands for? A run that took far longer than the
 * others, as one whose pages the hypervisor had to find first, leaves the median as it is, but its
 * fractions are another program's. From eight runs on, those outside of Tukey's fences of the
 * logarithms of the times (1.5 interquartile ranges beyond the quartiles; Exploratory Data
 * Analysis, 1977) count in no mean.
 */
static inline int sd_run_selection_typical(const struct sd_chosen *p, size_t j)
{
	return j >= p->typical && j - p->typical < p->n_typical;
}

/* Adds to *out, which starts as zero, the mean fractions of the typical runs, each taken times[j]
 * of n_run times (NULL: once); of all of them where no typical one is among them. */
void sd_run_selection_mean(
	const struct sd_chosen *p, const unsigned *times, struct sd_run_parts *out);

/* Seconds that stand for a run: 1 / throughput with --rate, else wall; 0 when there is no number.
 */
double sd_run_selection_time(const struct sd_record *record, const struct sd_run *run);

/* Is it in the kept state, or may it be? */
int sd_run_selection_keeps(const struct sd_run_selection *choice, const struct sd_run *run);

/* The time of those of `run`[n] that are in the kept state; how many. */
size_t sd_run_selection_times(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_run *const *run, size_t n, double *out);

/* From so many core counts on, neighbours on the curve tell of each other what repeats would:
 * published tables have one run a count. */
#define SD_RUN_SELECTION_CURVE 4

#endif
