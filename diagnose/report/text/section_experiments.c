#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts what was to be seen if a cause was the one: causes of the same prediction together. */
static void put_predictions(struct sd_page *p, enum sd_experiment e)
{
	const struct sd_prediction *all = sd_experiment_predictions(e);

	for (const struct sd_prediction *q = all; q->of == e; q++) {
		char causes[512] = "";
		int first = 1;

		for (const struct sd_prediction *r = all; r->of == e; r++) {
			if (strcmp(r->says, q->says) != 0)
				continue;
			first &= r >= q;
			snprintf(causes + strlen(causes), sizeof causes - strlen(causes), "%s%s",
				causes[0] ? ", " : "", sd_cause_info[r->cause].label);
		}
		if (first)
			sd_page_wrap_tone(p, SD_TONE_DIM, "     if ", 8, "%s: %s", causes, q->says);
	}
}

static void put_done(struct sd_page *p, const struct sd_tested *t)
{
	char head[64];

	snprintf(head, sizeof head, "  %s  ", sd_experiment_info[t->experiment].name);
	if (t->experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		sd_page_wrap(p, head, 5, "%s; at the reference and %u core%s, %.3g s",
			sd_experiment_info[t->experiment].does, t->cores, t->cores == 1 ? "" : "s",
			t->cost_s);
	else if (t->experiment == SD_EXPERIMENT_RACE_CHECK)
		sd_page_wrap(p, head, 5, "%s; at %u cores, %.3g s",
			sd_experiment_info[t->experiment].does, t->cores, t->cost_s);
	else if (t->cost_s > 0)
		sd_page_wrap(p, head, 5, "%s; %zu pair%s of runs at %u core%s, %.3g s",
			sd_experiment_info[t->experiment].does, t->pairs, t->pairs == 1 ? "" : "s",
			t->cores, t->cores == 1 ? "" : "s", t->cost_s);
	else
		sd_page_wrap(p, head, 5, "%s; %zu times, up to %u cores",
			sd_experiment_info[t->experiment].does, t->pairs, t->cores);
	if (!t->skipped || t->seen.n)
		put_predictions(p, t->experiment);
	for (size_t i = 0; i < t->seen.n; i++)
		sd_page_wrap(p, "     seen ", 10, "%s", t->seen.text[i]);
	if (t->skipped)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "     skipped: ", 8, "%s", t->skipped);
	else if (t->seen.n == 0)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "     seen ", 10, "too few pairs to say");
}

/* Puts what it showed, and no more. */
static void put_short(struct sd_page *p, const struct sd_tested *t)
{
	const char *const name = sd_experiment_info[t->experiment].name;
	char head[64];

	for (size_t i = 0; i < t->seen.n; i++) {
		snprintf(head, sizeof head, "  %-16s ", i ? "" : name);
		sd_page_wrap(p, head, 19, "%s", t->seen.text[i]);
	}
	snprintf(head, sizeof head, "  %-16s ", t->seen.n ? "" : name);
	if (t->skipped)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, head, 19, "skipped: %s", t->skipped);
	else if (t->seen.n == 0)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, head, 19, "too few pairs to say");
}

static int is_done(const struct sd_tested *t)
{
	return t->pairs > 0 || t->cost_s > 0;
}

static int is_told(const struct sd_analysis *a, const struct sd_tested *t, int done)
{
	return !is_done(t) && t->skipped && (done || a->n_tested < SD_EXPERIMENT_COUNT);
}

/* Length of a reason without its end, which names the option that forces this experiment. */
#define FORCED ": --experiments "

static size_t reason_length(const char *why)
{
	const char *const forced = strstr(why, FORCED);

	return forced ? (size_t)(forced - why) : strlen(why);
}

static int same_reason(const char *x, const char *y)
{
	const size_t n = reason_length(x);

	return n == reason_length(y) && strncmp(x, y, n) == 0 && !x[n] == !y[n];
}

/* Those from `first` on that were left out for its reason, or for any; how many. */
static int name_skipped(const struct sd_analysis *a, size_t first, int done, int any, char *out)
{
	int n = 0;

	for (size_t i = first; i < a->n_tested; i++) {
		const struct sd_tested *const t = &a->tested[i];

		if (is_told(a, t, done) &&
			(any || same_reason(t->skipped, a->tested[first].skipped)))
			out += sprintf(out, "%s%s", n++ ? ", " : "",
				sd_experiment_info[t->experiment].name);
	}
	return n;
}

/* Has an experiment before it the same reason? */
static int is_named(const struct sd_analysis *a, size_t i, int done)
{
	for (size_t k = 0; k < i; k++)
		if (is_told(a, &a->tested[k], done) &&
			same_reason(a->tested[k].skipped, a->tested[i].skipped))
			return 1;
	return 0;
}

/* With `all` by their reasons; else only their names. */
static int put_skipped(struct sd_page *p, const struct sd_analysis *a, int done, int all)
{
	char names[64 * SD_EXPERIMENT_COUNT] = "";
	const int n = name_skipped(a, 0, done, 1, names);

	if (n && !all)
		sd_page_wrap_tone(p, SD_TONE_DIM, done ? "  " : "\n  ", 4,
			"not done: %s (report --long says why)", names);
	if (n && all)
		sd_page_put(p, SD_TONE_DIM, "%sExperiments not done\n", done ? "" : "\n");
	for (size_t i = 0; all && i < a->n_tested; i++)
		if (is_told(a, &a->tested[i], done) && !is_named(a, i, done)) {
			const char *const why = a->tested[i].skipped;
			const size_t length = reason_length(why);
			const int several = name_skipped(a, i, done, 0, names) > 1;

			sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%s: %.*s%s", names, (int)length,
				why, several && why[length] ? FORCED "NAME" : why + length);
		}
	return n;
}

void sd_section_experiments(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	int done = 0;

	for (size_t i = 0; i < a->n_tested; i++)
		done += is_done(&a->tested[i]);
	if (a->n_tested == 0)
		return;
	if (done)
		sd_page_put(p, SD_TONE_BOLD, "\nExperiments\n");
	for (size_t i = 0; i < a->n_tested; i++)
		if (is_done(&a->tested[i]) && s->all)
			put_done(p, &a->tested[i]);
		else if (is_done(&a->tested[i]))
			put_short(p, &a->tested[i]);
	if (put_skipped(p, a, done, s->all) || done)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_section_experiments_plan(struct sd_page *p, const struct sd_plan *plan)
{
	if (plan->n_experiment == 0) {
		sd_page_wrap(p, "experiment ", 11, "none");
		return;
	}
	sd_page_wrap(p, "experiments", 11,
		" after the runs: those that can tell apart the causes that are open then, in pairs with plain runs");
	for (size_t i = 0; i < plan->n_experiment; i++) {
		const struct sd_plan_experiment *e = &plan->experiment[i];
		const struct sd_experiment_info *info = &sd_experiment_info[e->experiment];
		char head[64], takes[64];

		snprintf(head, sizeof head, "  %-16s ", info->name);
		if (e->skipped) {
			sd_page_wrap_tone(p, SD_TONE_DIM, head, 19, "skipped: %s", e->skipped);
			continue;
		}
		if (info->cost > 1)
			snprintf(takes, sizeof takes, "a changed run takes about %.2g plain ones",
				info->cost);
		else
			snprintf(takes, sizeof takes, "%s",
				info->cost > 0 ? "a changed run takes as long as a plain one"
					       : "a second or two");
		sd_page_wrap(p, head, 19, "%s; %s at %u core%s%s%s", info->does, takes,
			plan->point[e->point].cores, plan->point[e->point].cores == 1 ? "" : "s",
			info->at == SD_EXPERIMENT_AT_BOTH ? ", and at the reference" : "",
			e->asked ? "; asked for" : "");
		put_predictions(p, e->experiment);
	}
}
