/*
 * Concludes from runs with other pages, other places and warm files.
 */
#include "experiments/apply_verdict.h"

#include <math.h>

#include "analysis/cause_growth.h"
#include "case/stated.h"

/* ---- pages, places, files -------------------------------------------------------------------- */

struct faults {
	double plain, changed;
};

static void take_faults(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	struct faults *k = ctx;

	if (!sd_run_parts_usable(plain->metric[SD_METRIC_MINOR_FAULTS]) ||
		!sd_run_parts_usable(changed->metric[SD_METRIC_MINOR_FAULTS]))
		return;
	k->plain += plain->metric[SD_METRIC_MINOR_FAULTS].value;
	k->changed += changed->metric[SD_METRIC_MINOR_FAULTS].value;
}

/* Translations that it does not miss without huge pages are none that it lacks. */
static void state_base_pages(struct sd_apply_verdict *b, struct sd_tested *t)
{
	const struct sd_interval slower =
		sd_apply_verdict_cores(b, sd_apply_verdict_rest(sd_apply_verdict_inverse(t->time)));

	sd_apply_verdict_seen(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value,
		t->time.low, t->time.high);
	if (t->time.high >= 1 + SD_CASE_GATE)
		return;
	sd_apply_verdict_mention(b, SD_CAUSE_DTLB,
		"without huge pages the program takes %.2f times as long: %s", t->time.value,
		sd_apply_verdict_none(t->time) ? "their size does not matter"
					       : "fewer translations are not what it lacks");
	sd_apply_verdict_state(b, SD_CAUSE_DTLB, "dtlb-base-pages", SD_STATEMENT_OPEN,
		(struct sd_interval){fmax(0, slower.value), 0, fmax(0, slower.high), SD_STATUS_OK});
}

void sd_apply_pages(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_HUGE_PAGES],
			 *base = b->t[SD_EXPERIMENT_BASE_PAGES];
	struct faults k = {0};

	if (base && sd_apply_verdict_has(base->time))
		state_base_pages(b, base);
	if (!t || !sd_apply_verdict_has(t->time) || !sd_apply_verdict_has(t->reference))
		return;
	sd_experiment_results_pairs(b->c->record, b->c->choice, sd_apply_verdict_index(b, t),
		b->c->record->plan.experiment[sd_apply_verdict_index(b, t)].point, take_faults, &k);
	t->loss = sd_apply_verdict_gain(b, t->time, t->reference);
	sd_apply_verdict_seen(b, t,
		"%.2f times as long, at the reference %.2f times; page faults %.2f times as many",
		t->time.value, t->reference.value, k.plain > 0 ? k.changed / k.plain : 1);
	if (sd_apply_verdict_clearly(t->loss) && sd_apply_verdict_named(b, SD_CAUSE_DTLB)) {
		sd_apply_verdict_mention(b, SD_CAUSE_DTLB,
			"with huge pages for malloc the program takes %.2f times as long, at the "
			"reference %.2f times",
			t->time.value, t->reference.value);
		sd_apply_verdict_grown(b, SD_CAUSE_DTLB, "dtlb-huge-pages",
			SD_STATEMENT_INTERVENTION, SD_BIT(CPI_DTLB), t->loss);
	} else if (sd_apply_verdict_hardly(b, t->loss) && k.changed < .8 * k.plain) {
		sd_apply_verdict_mention(b, SD_CAUSE_DTLB,
			"huge pages for malloc change its scaling by %.1f %% only",
			100 * t->loss.value);
		sd_apply_verdict_state(b, SD_CAUSE_DTLB, "dtlb-huge-pages", SD_STATEMENT_OPEN,
			sd_apply_verdict_cores(b, t->loss));
	} else if (sd_apply_verdict_hardly(b, t->loss)) {
		sd_apply_verdict_mention(b, SD_CAUSE_DTLB,
			"huge pages for malloc %s, but hardly any were used: its memory is not "
			"malloc's",
			sd_apply_verdict_none(t->time) ? "made no difference"
						       : "did not make it scale better");
	}
}

/* Memory on every node in turn: what that gives back was lost to where it was. */
static void state_interleaved(struct sd_apply_verdict *b, const struct sd_tested *t)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_NUMA);
	const struct sd_interval cores = sd_apply_verdict_cores(b, t->loss);

	sd_apply_verdict_state(b, SD_CAUSE_NUMA, "numa-interleaved", cores,
		sd_apply_verdict_hardly(b, t->loss) ? cores : SD_STATEMENT_OPEN);
	if (sd_apply_verdict_clearly(t->loss)) {
		sd_case_say(b->c, f,
			"with its memory interleaved the program takes %.2f times as long",
			t->time.value);
		sd_apply_verdict_tell(b, SD_CAUSE_NUMA, t->loss);
	} else if (sd_apply_verdict_hardly(b, t->loss) &&
		   !sd_stated_excluded(b->c, SD_CAUSE_NUMA)) {
		sd_case_say(b->c, f, "interleaved memory does not help: %.2f times as long",
			t->time.value);
	}
}

void sd_apply_places(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_INTERLEAVE];
	struct sd_tested *spread = b->t[SD_EXPERIMENT_SPREAD];

	if (spread && sd_apply_verdict_has(spread->time)) {
		sd_apply_verdict_seen(b, spread, "%.2f times as long (95 %%: %.2f to %.2f)",
			spread->time.value, spread->time.low, spread->time.high);
		for (const struct sd_prediction *p =
				sd_experiment_predictions(SD_EXPERIMENT_SPREAD);
			p->of == SD_EXPERIMENT_SPREAD; p++)
			if (sd_cause_growth[p->cause].bytes)
				sd_apply_verdict_mention(b, p->cause,
					"in the other placement (spread) the program takes %.2f times as "
					"long (95 %%: %.2f to %.2f)",
					spread->time.value, spread->time.low, spread->time.high);
	}
	if (b->t[SD_EXPERIMENT_SIBLINGS] &&
		sd_apply_verdict_has(b->t[SD_EXPERIMENT_SIBLINGS]->time))
		sd_apply_verdict_seen(b, b->t[SD_EXPERIMENT_SIBLINGS], "%.2f times as long",
			b->t[SD_EXPERIMENT_SIBLINGS]->time.value);
	if (!t || !sd_apply_verdict_has(t->time))
		return;
	t->loss = sd_apply_verdict_gain(b, t->time, SD_APPLY_VERDICT_ABSENT);
	sd_apply_verdict_seen(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value,
		t->time.low, t->time.high);
	state_interleaved(b, t);
}

/* Share of the files' bytes in the page cache before plain runs: more leaves nothing to warm. */
#define ALL_CACHED .99

static int waits_for_disk(const struct sd_apply_verdict *b)
{
	return sd_stated_added(b->c, SD_BIT(DISK)).high >= SD_CASE_GATE * b->c->loss->n;
}

static void settle_cached(struct sd_apply_verdict *b)
{
	const struct sd_value cached = sd_experiment_results_cached(b->c->record, SD_ARM_PLAIN);

	if (sd_run_parts_usable(cached) && cached.value >= ALL_CACHED && waits_for_disk(b))
		sd_case_say(b->c, sd_apply_verdict_finding(b, SD_CAUSE_DISK),
			"what it reads was in the page cache before it started: it waits to write, "
			"for fsync, or for files that it opens past the cache (O_DIRECT)");
}

/* Reading the files beforehand gives back what their reading took, of what waits for a disk. It
 * says nothing of writing. */
static void state_warm(struct sd_apply_verdict *b, const struct sd_tested *t)
{
	const struct sd_interval waits = sd_stated_added(b->c, SD_BIT(DISK));
	struct sd_interval v = sd_apply_verdict_cores(b, t->loss);

	v.value = fmin(v.value, waits.value);
	v.low = fmin(v.low, waits.low);
	v.high = fmin(v.high, waits.high);
	if (sd_status_bounded(waits))
		sd_apply_verdict_state(b, SD_CAUSE_DISK, "disk-warm", v, SD_STATEMENT_OPEN);
}

void sd_apply_files_cached(struct sd_apply_verdict *b)
{
	struct sd_tested *const t = b->t[SD_EXPERIMENT_WARM_CACHE];
	const struct sd_value was = sd_experiment_results_cached(b->c->record, SD_ARM_PLAIN);
	const struct sd_value is = sd_experiment_results_cached(b->c->record, SD_ARM_CHANGED);

	if (t && sd_run_parts_usable(was) && sd_run_parts_usable(is))
		sd_apply_verdict_seen(b, t,
			"of its files' bytes %.0f %% were in the page cache before a warm run, %.0f %% before one as it is",
			100 * is.value, 100 * was.value);
}

void sd_apply_files(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_WARM_CACHE];
	struct sd_finding *f = sd_apply_verdict_finding(b, SD_CAUSE_DISK);

	settle_cached(b);
	if (!t || !sd_apply_verdict_has(t->time))
		return;
	t->loss = sd_apply_verdict_gain(b, t->time, SD_APPLY_VERDICT_ABSENT);
	sd_apply_verdict_seen(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value,
		t->time.low, t->time.high);
	sd_apply_files_cached(b);
	if (!waits_for_disk(b))
		return;
	state_warm(b, t);
	if (sd_apply_verdict_hardly(b, t->loss))
		sd_case_say(b->c, f,
			"with its files in the page cache before it starts it takes %.2f times as "
			"long: what it waits for is not reading them",
			t->time.value);
	if (sd_apply_verdict_clearly(t->loss))
		sd_case_say(b->c, f,
			"with its files in the page cache before it starts it takes %.2f times as "
			"long",
			t->time.value);
}
