#include "page/report_style.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "record/short_budget.h"
#include "text/sections.h"

/* s before the first run and after the last. */
#define AROUND_S 2

static void put_program(struct sd_page *p, const struct sd_record *r)
{
	static const char *const placement[] = {
		[SD_PLACEMENT_COMPACT] = "compact",
		[SD_PLACEMENT_SPREAD] = "spread",
		[SD_PLACEMENT_SMT] = "smt",
	};
	const struct sd_program *g = &r->program;
	char *command = sd_page_command(&g->argv), *env = sd_page_command(&g->env);

	sd_page_wrap(p, "Plan for   ", 11, "%s", command ? command : "?");
	sd_page_wrap(p, "           ", 11, "%s scaling%s, placement %s, %u of %u CPUs granted",
		g->scaling == SD_SCALING_WEAK ? "weak" : "strong",
		g->rate ? " by the printed throughput" : "", placement[g->placement],
		r->host.granted, r->host.online);
	if (g->cwd)
		sd_page_wrap(p, "folder     ", 11, "%s", g->cwd);
	sd_page_wrap(p, "variables  ", 11, "%s%s%s",
		g->no_env ? "the environment as it is"
			  : "OMP_NUM_THREADS and its like (see --help)",
		g->env.n ? ", " : "", g->env.n ? (env ? env : "?") : "");
	if (g->prepare)
		sd_page_wrap(p, "prepare    ", 11, "%s, before every run", g->prepare);
	if (g->timeout_s > 0)
		sd_page_wrap(p, "timeout    ", 11, "%.6g s a run", g->timeout_s);
	free(command);
	free(env);
}

/* The list with a space after every comma, as a paragraph breaks there. A fresh string or NULL. */
static char *breakable(const struct sd_cpulist *cpus)
{
	char *list = sd_cpulist_format(cpus);
	char *text = list ? calloc(2 * strlen(list) + 1, 1) : NULL;

	for (size_t i = 0, n = 0; text && list[i]; i++) {
		text[n++] = list[i];
		if (list[i] == ',')
			text[n++] = ' ';
	}
	free(list);
	return text;
}

static void put_points(struct sd_page *p, const struct sd_plan *plan)
{
	size_t wide = 5; /* of the heading */

	for (size_t i = 0; i < plan->n_point; i++) {
		const size_t n = (size_t)snprintf(NULL, 0, "%u", plan->point[i].cores);

		wide = n > wide ? n : wide;
	}
	sd_page_put(p, SD_TONE_DIM, "\n  %*s  CPUs\n", (int)wide, "cores");
	for (size_t i = 0; i < plan->n_point; i++) {
		const struct sd_plan_point *pt = &plan->point[i];
		char *text = breakable(&pt->cpus), head[48];

		snprintf(head, sizeof head, "  %*u  ", (int)wide, pt->cores);
		sd_page_wrap(p, head, (unsigned)wide + 4, "%s%s", text ? text : "?",
			pt->simulated            ? " (simulated only)"
			: pt->cores > pt->cpus.n ? " (more threads than CPUs)"
						 : "");
		free(text);
	}
}

static void put_skipped(struct sd_page *p, const struct sd_record *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	if (r->plan.n_skipped == 0)
		return;
	f = open_memstream(&text, &size);
	for (size_t i = 0; f && i < r->plan.n_skipped; i++)
		fprintf(f, "%s%u", i ? ", " : "", r->plan.skipped[i]);
	if (f && fclose(f) == 0)
		sd_page_wrap(p, "skipped    ", 11,
			"%s: more than the %u granted CPUs (--oversubscribe runs them all the "
			"same)",
			text, r->host.granted);
	else
		p->failed = 1;
	free(text);
}

static void put_repeats(struct sd_page *p, const struct sd_plan *plan)
{
	char least[128];

	if (plan->min_repeats == 0 && sd_plan_turn(plan) > 5)
		snprintf(least, sizeof least, "at least %zu, two of each pass below",
			2 * sd_plan_turn(plan));
	else if (plan->min_repeats > 0)
		snprintf(least, sizeof least, "at least %u", plan->min_repeats);
	else
		snprintf(least, sizeof least,
			"%u where the answer is clear by then; else 5, 7 when a run takes less than "
			"2 s, 10 below 0.2 s",
			SD_SHORT_BUDGET_FEWEST);
	sd_page_wrap(p, "runs       ", 11,
		"a warm-up that does not count; then in blocks, each point once a block%s",
		plan->quick ? ""
			    : "; the first count again at the end, to see whether the machine "
			      "drifted");
	if (plan->max_repeats > 0 && plan->min_repeats != plan->max_repeats)
		sd_page_wrap(p, "a point    ", 11,
			"%s; then more of the first and the largest until its efficiency is known "
			"to ±2 %%, or what is lost to a fifth, at most %u",
			least, plan->max_repeats);
	else
		sd_page_wrap(p, "a point    ", 11, "%s", least);
	if (plan->budget_s > 0)
		sd_page_wrap(p, "budget     ", 11, "%.6g s for all of it", plan->budget_s);
}

/* Runs that are made in any case, of a program whose first count takes so long; and their s, if it
 * scales or if all counts take as long. */
struct least {
	unsigned runs;
	double scaling, flat;
};

static struct least least_of(const struct sd_record *r, double wall)
{
	const struct sd_plan *const plan = &r->plan;
	const unsigned around = plan->quick ? 1 : 2; /* the warm-up, and the drift check */
	struct least l = {around, around * wall, around * wall};

	for (size_t i = 0; i < plan->n_point; i++) {
		const double speedup =
			r->program.scaling == SD_SCALING_WEAK
				? 1
				: plan->point[i].cores / (double)plan->point[0].cores;
		const double each = wall / speedup;
		unsigned runs = plan->min_repeats ? plan->min_repeats : SD_SHORT_BUDGET_FEWEST;

		if (plan->point[i].simulated)
			continue;
		if (!plan->min_repeats && runs < 2 * sd_plan_turn(plan))
			runs = 2 * (unsigned)sd_plan_turn(plan);
		l.runs += runs;
		l.scaling += runs * each;
		l.flat += runs * wall;
	}
	return l;
}

/* How many runs, and how long, for programs of some lengths: how long this one runs, nobody knows
 * before it did. */
static void put_time(struct sd_page *p, const struct sd_record *r)
{
	static const double wall[] = {.5, 5, 20};
	const struct sd_plan *const plan = &r->plan;

	if (plan->budget_s > 0)
		return;
	sd_page_put(p, SD_TONE_DIM, "\n  s a run  runs at least  s in all\n");
	for (size_t i = 0; i < sizeof wall / sizeof *wall; i++) {
		const struct least l = least_of(r, wall[i]);
		const double most = sd_short_budget_of(wall[i], plan->n_point);

		sd_page_put(p, SD_TONE_PLAIN, "  %7.3g  %13u  %.0f to %.0f\n", wall[i], l.runs,
			l.scaling, plan->quick ? l.flat : fmax(l.flat, most + AROUND_S));
	}
	sd_page_wrap(p, "  ", 2,
		plan->quick
			? "Less where it scales, most where more cores gain nothing."
			: "Least where it scales and nothing is to be found out; then experiments, "
			  "and runs that narrow what is known. After the warm-up it says how long "
			  "it will take; Ctrl-C reports what is known; --quick takes the time of "
			  "five runs; --budget SECONDS limits all.");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* Which events which run counts. */
static void put_passes(struct sd_page *p, const struct sd_plan *plan)
{
	char head[32];

	if (plan->n_pass == 0) {
		sd_page_wrap(p, "counters   ", 11, "no hardware events");
		return;
	}
	sd_page_wrap(p, "counters   ", 11, "%zu pass%s over the hardware events%s", plan->n_pass,
		plan->n_pass == 1 ? "" : "es",
		plan->multiplex     ? ", which take turns in every run (--multiplex)"
		: plan->n_pass <= 1 ? ""
		: sd_plan_turn(plan) < plan->n_pass
			? ": every point counts the first, then those that tell open causes apart, "
			  "together; cycles are in each"
			: ": the runs of a point take them in turn, cycles are in each");
	for (size_t i = 0; i < plan->n_pass; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		for (size_t j = 0; f && j < plan->pass[i].n_role; j++)
			fprintf(f, "%s%s", j ? ", " : "", sd_role_name(plan->pass[i].role[j]));
		snprintf(head, sizeof head, "  pass %-4zu", i + 1);
		if (f && fclose(f) == 0)
			sd_page_wrap(p, head, 11, "%s", text);
		else
			p->failed = 1;
		free(text);
	}
}

static void put_simulation(struct sd_page *p, const struct sd_plan *plan)
{
	const struct sd_plan_simulation *s = plan->simulation;
	const struct sd_sim_machine *m = s ? &s->machine : NULL;

	if (!s)
		return;
	sd_page_wrap(p, "simulated  ", 11,
		"%s; it models %s: %llu KiB L1, %llu KiB L2, %llu KiB LLC for %u core%s; costs %s",
		s->tried ? "by the experiment software-pmu"
			 : "each point once more under the software PMU, last",
		m->name, (unsigned long long)m->l1.bytes >> 10,
		(unsigned long long)m->l2.bytes >> 10, (unsigned long long)m->llc.bytes >> 10,
		m->llc.sharers, m->llc.sharers == 1 ? "" : "s",
		s->costs.hz > 0 ? "as calibrated" : "as usual, not calibrated");
	if (s->from[0] || s->length[0])
		sd_page_wrap(p, "           ", 11, "%s%s%s%s", s->from[0] ? "from " : "", s->from,
			s->length[0] ? " for " : "", s->length);
}

/* The first blocks, as far as the caller worked them out. */
static void put_order(
	struct sd_page *p, const struct sd_plan *plan, const struct sd_report_style *s)
{
	for (size_t b = 0; s && s->order && b < s->n_block; b++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		for (size_t i = 0; f && i < plan->n_point; i++) {
			const size_t point = s->order[b * plan->n_point + i];

			if (point < plan->n_point && !plan->point[point].simulated)
				fprintf(f, "%s%u", ftell(f) > 0 ? ", " : "",
					plan->point[point].cores);
		}
		if (f && fclose(f) == 0)
			sd_page_wrap(p, b ? "           " : "order      ", 11,
				"block %zu: %s cores", b + 1, text);
		else
			p->failed = 1;
		free(text);
	}
	sd_page_wrap(p, "seed       ", 11, "%llu, of the order and the bootstrap",
		(unsigned long long)plan->seed);
}

int sd_report_plan(FILE *f, const struct sd_record *r, const struct sd_report_style *s)
{
	struct sd_page page, *const p = &page;

	sd_page_begin(p, f, s);
	put_program(p, r);
	put_points(p, &r->plan);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_skipped(p, r);
	put_repeats(p, &r->plan);
	put_time(p, r);
	put_passes(p, &r->plan);
	put_simulation(p, &r->plan);
	put_order(p, &r->plan, s);
	sd_section_experiments_plan(p, &r->plan);
	if (s && s->record_path)
		sd_page_wrap(p, "record     ", 11, "%s, after every run", s->record_path);
	sd_page_wrap(p, "", 2, "Nothing was run.");
	return sd_page_end(p);
}
