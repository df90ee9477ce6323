/*
 * The table of tests/doses/doses.c: the causes, the mixtures, and errors added up.
 */
#ifndef DOSE_TABLE_H
#define DOSE_TABLE_H

#include "doses/dose_answer.h"

/* clang-format off */
static const struct dose_row dose_row[] = {
	{"serial",    DOSE_WAITS,  DOSE_THREADS, 0, 1, "serial",                             "serial-code"},
	{"late",      DOSE_WAITS,  DOSE_THREADS, 0, 1, "imbalance",                          "load-imbalance"},
	{"lock",      DOSE_WAITS,  DOSE_THREADS, 0, 1, "lock",                               "lock-contention"},
	{"spinlock",  DOSE_KERNEL, DOSE_THREADS, 0, 1, "lock spinning",                      "lock-contention spinning"},
	{"barrier",   DOSE_WAITS,  DOSE_THREADS, 0, 1, "imbalance serial threads spinning",  "barrier-overhead"},
	{"sleep",     DOSE_WAITS,  DOSE_THREADS, 0, 0, "sleep",                              ""},
	{"disk",      DOSE_WAITS,  DOSE_THREADS, 0, 0, "disk",                               "disk"},
	{"crowd",     DOSE_WAITS,  DOSE_THREADS, 0, 1, "run-queue",                          "oversubscription"},
	{"extra",     DOSE_SLOWER, DOSE_THREADS, 1, 1, "growth instructions",                "extra-work"},
	{"false",     DOSE_SLOWER, DOSE_THREADS, 1, 1, "growth cpi-sharing cpi-other",       "false-sharing"},
	{"true",      DOSE_SLOWER, DOSE_THREADS, 1, 1, "growth cpi-sharing cpi-other",       "true-sharing"},
	{"allocator", DOSE_SLOWER, DOSE_THREADS, 1, 1, "growth lock system spinning",        "allocator"},
	{"position",  DOSE_KERNEL, DOSE_THREADS, 1, 1, "lock system",                        "lock-contention kernel-memory"},
	{"faults",    DOSE_KERNEL, DOSE_THREADS, 1, 0, "system",                             "kernel-memory"},
	{"quota",          DOSE_WAITS,  DOSE_QUOTA,   0, 1, "throttled",                      "cpu-quota"},
	{"rank-imbalance", DOSE_WAITS,  DOSE_RANKS,   0, 1, "imbalance",                      "load-imbalance"},
	{"late-sender",    DOSE_WAITS,  DOSE_RANKS,   0, 1, "serial",                         "serial-code"},
	{"transfer",       DOSE_WAITS,  DOSE_RANKS,   0, 1, "mpi",                            "mpi"},
};
#define DOSE_ROWS (sizeof dose_row / sizeof *dose_row)

static const double dose_share[] = {.05, .1, .25, .5};

/* The first costs about twice of the second or more. */
static const struct dose_mixture {
	const char *first, *second;
	double more, less;
} dose_mixture[] = {
	{"serial", "late",   .5, .25},
	{"late",   "serial", .5, .25},
	{"serial", "lock",   .5, .5},
	{"lock",   "late",   .9, .25},
	{"sleep",  "serial", .5, .25},
	{"false",  "serial", .5, .25},
};
#define DOSE_MIXTURES (sizeof dose_mixture / sizeof *dose_mixture)
/* clang-format on */

#define DOSE_TOLD 64 /* amounts of a cause */

/* Adds up one cause, or one class of them. */
struct dose_errors {
	double error[DOSE_TOLD];                    /* of the component, a share of the cores */
	double payoff[DOSE_TOLD], width[DOSE_TOLD]; /* shares of the gain */
	size_t n, n_payoff, covered, right, wrong, controls, accused;
};

static inline void dose_add(struct dose_errors *all, const struct dose_errors *one)
{
	for (size_t i = 0; i < one->n && all->n < DOSE_TOLD; i++)
		all->error[all->n++] = one->error[i];
	for (size_t i = 0; i < one->n_payoff && all->n_payoff < DOSE_TOLD; i++) {
		all->payoff[all->n_payoff] = one->payoff[i];
		all->width[all->n_payoff++] = one->width[i];
	}
	all->covered += one->covered;
	all->right += one->right;
	all->wrong += one->wrong;
	all->controls += one->controls;
	all->accused += one->accused;
}

static inline void dose_put_errors(const char *name, struct dose_errors *e)
{
	double sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum += e->error[i];
	if (e->n == 0)
		return;
	printf("%-12s %2zu amounts: mean error %.1f %% of the cores; covered %zu", name, e->n,
		100 * sum / (double)e->n, e->covered);
	if (e->controls)
		printf(", first cause right %zu, wrong %zu; of %zu good forms accused %zu",
			e->right, e->wrong, e->controls, e->accused);
	if (e->n_payoff)
		printf("; payoff of %zu: median error %.0f %%, width %.0f %%", e->n_payoff,
			100 * sd_statistics_median(e->payoff, e->n_payoff),
			100 * sd_statistics_median(e->width, e->n_payoff));
	printf("\n");
}

#endif
