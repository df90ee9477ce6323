#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "launch/program_output.h"
#include "parts/rank_parts.h"
#include "trial/trial.h"

static const char *count_of(unsigned cores)
{
	return cores == 1 ? "core" : "cores";
}

/* Describes the failure, as the middle of a sentence. */
static void describe(const struct sd_trial *t, const struct sd_run *run, char *text, size_t size)
{
	const struct sd_options *o = t->measure->options;
	char matched[64] = "";
	double value;

	switch (run->end) {
	case SD_END_EXITED:
		snprintf(text, size, "exited with status %d", run->code);
		break;
	case SD_END_SIGNALLED:
		snprintf(text, size, "was killed by signal %d (%s%s)", run->code,
			strsignal(run->code), run->code == 9 ? "; out of memory? see dmesg" : "");
		break;
	case SD_END_TIMEOUT:
		snprintf(text, size, "did not end within %g s (--timeout)", o->timeout_s);
		break;
	case SD_END_REGION_MISSING:
		snprintf(text, size,
			"never entered the region '%s' (--region; sd_region_begin() marks it: "
			"scalediag help regions)",
			o->region ? o->region : "");
		break;
	case SD_END_RATE_MISSING:
		if (sd_printed_rate_read(
			    &t->rate, t->stdout_path, &value, matched, sizeof matched) == -ERANGE)
			snprintf(text, size,
				"printed '%s' where --rate '%s' looks for a number above 0",
				matched, o->rate);
		else
			snprintf(text, size, "printed nothing that --rate '%s' matches", o->rate);
		break;
	}
}

/* Counts that a message lists. */
#define COUNTS_SAID 16

/* How to measure without the count, where two others are left to compare, and the first is one. */
static void put_without(const struct sd_trial *t, size_t point, char *text, size_t size)
{
	const struct sd_plan *const plan = &t->record->plan;
	int at;

	if (point == 0 || plan->n_point < 3 || plan->n_point > COUNTS_SAID ||
		t->measure->options->shape)
		return;
	at = snprintf(text, size, "; without this count: --cores %u", plan->point[0].cores);
	for (size_t p = 1; p < plan->n_point && (size_t)at < size; p++)
		if (p != point)
			at += snprintf(text + at, size - (size_t)at, ",%u", plan->point[p].cores);
}

void sd_trial_say_failure(const struct sd_trial *t, const struct sd_run *run)
{
	const unsigned cores = t->record->plan.point[run->point].cores;
	const char *const ranks = run->mpi ? run->mpi->why : "";
	char how[400] = "", printed[2 * PATH_MAX], without[240] = "";

	describe(t, run, how, sizeof how);
	sd_program_output_describe(t->stdout_path, t->stderr_path, printed, sizeof printed);
	put_without(t, run->point, without, sizeof without);
	sd_say(t->sink, SD_LEVEL_ERROR, "%s %s at %u %s%s%s%s; %s%s", t->measure->options->argv[0],
		how, cores, count_of(cores), *ranks ? ": " : "", ranks, without, printed,
		run->end == SD_END_EXITED ? "; if that is no failure: --ignore-failure" : "");
}

void sd_trial_say_first_death(const struct sd_trial *t, int interrupted)
{
	struct sd_rank_death first;

	if (sd_rank_parts_first_death(t->mpi_folder, &first) &&
		!(interrupted && (first.signal == SIGTERM || first.signal == SIGINT)))
		sd_say(t->sink, SD_LEVEL_WARNING,
			"on node %s a rank was killed by signal %d (%s), first of all that a signal ended",
			first.node, first.signal, strsignal(first.signal));
}
