/*
 * Whether a changed run took place: copies that worked, treatments that reached their process.
 */
#include <math.h>

#include "experiment/arm.h"
#include "experiment/treatments.h"
#include "plan/one_run.h"
#include "witness/witness.h"

/* s; 0 unknown. */
static double cpu_of(const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      kernel = run->metric[SD_METRIC_SYSTEM];

	return sd_has(user) && sd_has(kernel) ? user.value + kernel.value : 0;
}

/* The least that it took of any plain run of the point, s; 0 unknown. */
static double cpu_alone(const struct sd_record *record, size_t point)
{
	double least = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_run *const run = &record->run[i];
		const double cpu = cpu_of(run);

		if (sd_one_run_counts(run, point) && cpu > 0 && (cpu < least || least <= 0))
			least = cpu;
	}
	return least;
}

/* Share of the CPU time of a plain run that a copy which works takes at least. */
#define IDLE .25

void sd_arm_judge_copies(struct sd_arm_round *r, const struct sd_run *run)
{
	const double alone = cpu_alone(r->t->record, run->point);

	for (size_t i = 0; i < run->tried->n_copy && !r->why[0]; i++) {
		const struct sd_value cpu = run->tried->copy[i].cpu_s;

		if (sd_has(cpu) && cpu.value < IDLE * alone)
			SD_GIVE_UP(r,
				"it did not take place: of the copies one took %.2g s of CPU time, the program alone %.2g s: it does its work only once (a server that runs already, a lock, a result that is there)",
				cpu.value, alone);
	}
}

int sd_arm_witnessed(struct sd_arm_round *r, struct sd_run *run, struct sd_trial_change *change,
	const char *const *library)
{
	struct sd_witness w = {.ask = {.signs = sd_treatment[r->e->experiment].signs,
				       .library = library,
				       .variable = change->variable,
				       .cpus = change->cpus}};
	int rc;

	change->look = sd_witness_look;
	change->ctx = &w;
	rc = sd_trial_run(r->t, run, change);
	if (rc == 0 && sd_one_run_good(run) && w.ask.signs)
		(void)sd_witness_judge(&w, cpu_of(run), r->why, sizeof r->why);
	change->look = NULL;
	change->ctx = NULL;
	sd_witness_free(&w);
	return rc;
}
