#include "hotspots/slow_requests.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "base/statistics.h"
#include "hotspots/others_code.h"
#include "hotspots/untold_tail.h"

#define MATTERS .1 /* share of what slow requests take more: such a part is told in words */
#define SMALL .005 /* less is no row */
#define TAKEN .01  /* share of the CPUs' time, by others: worth a word */
#define PLACE 700

struct point {
	const struct sd_record *record;
	const struct sd_chosen *chosen;
	const struct sd_run **run; /* owned; those that compare slow requests */
	double *v;                 /* owned; room for a number of each */
	struct sd_slow_point *out;
};

static const struct sd_request_run *of_run(const struct sd_run *r)
{
	return r->regions ? r->regions->requests : NULL;
}

/* ---- places ---------------------------------------------------------------------------------- */

static int is_own(const struct sd_stacks *s, unsigned node)
{
	const struct sd_frame *f;

	if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame)
		return 0;
	f = &s->frame[s->node[node].frame];
	return !f->kernel && !sd_others_code_holds(s, f);
}

/* The innermost code of the program's own on a stack, and its caller, when that is, too; of a stack
 * without any its leaf. "" of none. */
static void name_code(const struct sd_stacks *s, unsigned node, char *out, size_t size)
{
	unsigned at = node;

	while (at && at < s->n_node && !is_own(s, at))
		at = s->node[at].parent;
	if (!at)
		at = node;
	*out = '\0';
	if (at && at < s->n_node)
		sd_code_place_callers(s, at, is_own(s, s->node[at].parent) ? 2 : 1, out, size);
}

/* "m, at serve() a.c:12, held meanwhile at job() a.c:40"; "at fill() a.c:7"; "" unknown. */
static void name_place(const struct sd_stacks *s, const struct sd_request_place *p, char out[PLACE])
{
	char at[300], holder[300];

	*out = '\0';
	name_code(s, p->node, at, sizeof at);
	name_code(s, p->holder, holder, sizeof holder);
	if (!p->node && !p->lock && !p->holder)
		return;
	if (p->part == SD_REQUEST_RUN_QUEUE) {
		if (*holder)
			snprintf(out, PLACE, "while another thread ran at %s", holder);
		return;
	}
	snprintf(out, PLACE, "%s%sat %s%s%s", p->lock ? sd_stacks_text_at(s, p->lock) : "",
		p->lock ? ", " : "", *at ? at : "unknown code",
		!*holder                     ? ""
		: p->part == SD_REQUEST_LOCK ? ", held meanwhile at "
					     : ", ended by ",
		holder);
}

struct named {
	char name[PLACE];
	double more;
};

/* The place with most of a part, over all runs. */
static int find_place(const struct point *p, struct sd_slow_part *part)
{
	struct named *const all = calloc(p->out->runs * SD_REQUEST_PLACES, sizeof *all);
	const struct named *most = NULL;
	size_t n = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < p->out->runs * SD_REQUEST_PLACES; i++) {
		const struct sd_request_place *const at =
			&of_run(p->run[i / SD_REQUEST_PLACES])->place[i % SD_REQUEST_PLACES];
		size_t k = 0;

		if (at->part != part->part || !(at->s[SD_REQUESTS_SLOW] > 0))
			continue;
		name_place(&p->record->stacks, at, all[n].name);
		while (strcmp(all[k].name, all[n].name) != 0)
			k++;
		all[k].more += at->s[SD_REQUESTS_SLOW] - at->s[SD_REQUESTS_TYPICAL];
		if (k == n)
			n++;
		else
			*all[n].name = '\0';
	}
	for (size_t k = 0; k < n; k++)
		if (*all[k].name && all[k].more > (most ? most->more : 0))
			most = &all[k];
	part->place = most ? strdup(most->name) : NULL;
	free(all);
	return most && !part->place ? -ENOMEM : 0;
}

/* ---- one core count -------------------------------------------------------------------------- */

/* Mean over the runs of a number of each. */
static struct sd_interval mean_of(const struct point *p)
{
	return sd_statistics_paired(p->v, p->out->runs);
}

static struct sd_interval mean_part(
	const struct point *p, enum sd_request_part part, double slow, double typical)
{
	for (size_t j = 0; j < p->out->runs; j++) {
		const struct sd_request_group *const g = of_run(p->run[j])->group;

		p->v[j] = slow * g[SD_REQUESTS_SLOW].part[part] +
			  typical * g[SD_REQUESTS_TYPICAL].part[part];
	}
	return mean_of(p);
}

static int more_first(const void *a, const void *b)
{
	const double x = ((const struct sd_slow_part *)a)->more.value,
		     y = ((const struct sd_slow_part *)b)->more.value;

	return (x < y) - (x > y);
}

static int fill_parts(const struct point *p)
{
	struct sd_slow_point *const out = p->out;
	int rc = 0;

	out->known = 1;
	for (int k = 0; k < SD_REQUEST_PART_COUNT; k++) {
		struct sd_slow_part *const part = &out->part[out->n_part];

		*part = (struct sd_slow_part){.part = (enum sd_request_part)k,
			.slow = mean_part(p, k, 1, 0),
			.typical = mean_part(p, k, 0, 1),
			.more = mean_part(p, k, 1, -1)};
		part->share = out->more.value > 0 ? part->more.value / out->more.value : 0;
		if (k == SD_REQUEST_UNKNOWN)
			out->known -= part->share;
		out->n_part +=
			fabs(part->share) >= SMALL || part->typical.value >= SMALL * out->p50.value;
	}
	qsort(out->part, out->n_part, sizeof *out->part, more_first);
	for (size_t i = 0; i < out->n_part && !rc; i++)
		rc = find_place(p, &out->part[i]);
	return rc;
}

static double milliseconds(double s)
{
	return s * 1e3;
}

/* Parts that surely make the slow ones slow, and where. */
static int say_parts(struct sd_slow_point *out)
{
	double told = 0;
	int rc = 0;

	for (size_t i = 0; i < out->n_part && !rc; i++) {
		const struct sd_slow_part *const part = &out->part[i];

		if (part->share < MATTERS || part->part == SD_REQUEST_UNKNOWN ||
			(out->runs > 1 && !(part->more.low > 0)))
			continue;
		told += part->share;
		rc = sd_texts_add(&out->notes, "%.0f %% of that: %s%s%s", 100 * part->share,
			sd_request_part_info[part->part].label, part->place ? ", " : "",
			part->place ? part->place : "");
	}
	if (!rc && !(told > 0))
		rc = sd_texts_add(&out->notes,
			"no part of it is surely longer in slow requests than in typical ones: make "
			"more runs (--repeats), or longer ones");
	return rc;
}

/* Share of the CPUs' time that somebody else had. */
static double taken(const struct point *p, enum sd_metric by)
{
	double had = 0, all = 0;

	for (size_t j = 0; j < p->out->runs; j++) {
		const struct sd_value *const m = p->run[j]->metric;

		if (sd_has(m[by]) && sd_has(m[SD_METRIC_WALL])) {
			had += m[by].value;
			all += m[SD_METRIC_WALL].value * p->chosen->n;
		}
	}
	return all > 0 ? had / all : 0;
}

static double share_of(const struct sd_slow_point *out, enum sd_request_part part)
{
	for (size_t i = 0; i < out->n_part; i++)
		if (out->part[i].part == part)
			return out->part[i].share;
	return 0;
}

/* The process outside of the program with most CPU time in these runs; NULL: nobody looked. */
static const struct sd_neighbour *busiest_neighbour(const struct point *p)
{
	const struct sd_neighbour *most = NULL;

	for (size_t j = 0; j < p->out->runs; j++)
		for (size_t k = 0; k < p->run[j]->n_neighbour; k++) {
			const struct sd_neighbour *const n = &p->run[j]->neighbour[k];

			if (sd_has(n->cpu) && (!most || n->cpu.value > most->cpu.value))
				most = n;
		}
	return most;
}

static int say_neighbours(const struct point *p, double others)
{
	const struct sd_neighbour *const most = busiest_neighbour(p);
	char name[64] = "";

	if (most)
		snprintf(name, sizeof name, " (most: %s, %.2f cores)", most->name, most->cpu.value);
	return sd_texts_add(&p->out->notes,
		"other processes%s had %.0f %% of the CPUs' time: requests that were ready "
		"without a CPU waited for these, too",
		name, 100 * others);
}

static int say_known(const struct point *p)
{
	struct sd_slow_point *const out = p->out;
	const double steal = taken(p, SD_METRIC_STEAL), others = taken(p, SD_METRIC_FOREIGN);
	int rc = 0;

	if (out->known < 1 - MATTERS)
		rc = sd_texts_add(
			&out->notes, "%.0f %% of that is not known", 100 - 100 * out->known);
	if (!rc && others > TAKEN && share_of(out, SD_REQUEST_RUN_QUEUE) >= MATTERS)
		rc = say_neighbours(p, others);
	if (!rc && steal > TAKEN)
		rc = sd_texts_add(&out->notes,
			"the hypervisor took %.1f %% of the CPUs' time: a request that it stopped "
			"looks as if its code ran",
			100 * steal);
	if (!rc && out->runs == 1)
		rc = sd_texts_add(&out->notes, "one run: how far these times vary is not known");
	return rc;
}

static int say_slow(struct sd_slow_point *out)
{
	if (!(out->more.value > 0))
		return sd_texts_add(
			&out->notes, "the slowest 1 %% take no longer than typical ones");
	return sd_texts_add(&out->notes,
		"The slowest 1 %% take %.3g ms more than typical requests, whose mean is %.3g ms",
		milliseconds(out->more.value), milliseconds(out->typical_s));
}

/* In the runs that compare slow requests with typical ones. */
static int compare(const struct point *p)
{
	struct sd_slow_point *const out = p->out;
	int rc;

	for (size_t j = 0; j < out->runs; j++)
		p->v[j] = of_run(p->run[j])->group[SD_REQUESTS_SLOW].took -
			  of_run(p->run[j])->group[SD_REQUESTS_TYPICAL].took;
	out->more = mean_of(p);
	for (size_t j = 0; j < out->runs; j++)
		out->typical_s +=
			of_run(p->run[j])->group[SD_REQUESTS_TYPICAL].took / (double)out->runs;
	rc = fill_parts(p);
	rc = rc ? rc : say_slow(out);
	if (!rc && out->more.value > 0)
		rc = say_parts(out);
	return rc ? rc : say_known(p);
}

static int name_point(struct sd_slow_point *out)
{
	return asprintf(&out->name,
		       "%u core%s: %.0f requests a run, half took less than %.3g ms, 99 %% less than "
		       "%.3g ms",
		       out->cores, out->cores == 1 ? "" : "s", out->requests,
		       milliseconds(out->p50.value), milliseconds(out->p99.value)) < 0
		       ? -ENOMEM
		       : 0;
}

/* The numbers that every run with requests has. Their number. */
static size_t fill_times(const struct point *p, double *beyond, enum sd_request_state *state)
{
	const struct sd_chosen *const c = p->chosen;
	double *const v = p->v, *const w = p->v + c->n_run;
	size_t n = 0;

	for (size_t j = 0; j < c->n_run; j++) {
		const struct sd_request_run *const r = of_run(c->run[j]);

		if (!r || !(r->entries > 0))
			continue;
		v[n] = r->p50;
		w[n++] = r->p99;
		p->out->requests += r->entries;
		*beyond += r->beyond;
		*state = r->state;
		if (r->state == SD_REQUESTS_COMPARED)
			p->run[p->out->runs++] = c->run[j];
	}
	p->out->requests /= n ? (double)n : 1;
	p->out->p50 = sd_statistics_order(v, n);
	p->out->p99 = sd_statistics_order(w, n);
	return n;
}

static int fill_point(struct point *p, struct sd_slow_requests *all)
{
	enum sd_request_state state = SD_REQUESTS_UNSWITCHED;
	double beyond = 0;
	int rc;

	p->out = &all->point[all->n_point];
	p->out->cores = p->chosen->cores;
	if (!fill_times(p, &beyond, &state))
		return 0;
	all->n_point++;
	rc = name_point(p->out);
	if (!rc)
		rc = p->out->runs ? compare(p) : sd_untold_tail_state(state, &p->out->notes);
	if (!rc && beyond > 0)
		rc = sd_texts_add(&p->out->notes,
			"the last %.0f requests of the runs are not in this: there is room for 131,072 "
			"a run",
			beyond);
	return rc;
}

int sd_slow_requests_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_slow_requests *out)
{
	struct point p = {.record = record};
	int rc = 0;

	if (!record->program.latency || record->program.attached)
		return 0;
	out->region = record->program.latency;
	out->point = calloc(choice->n_point + 1, sizeof *out->point);
	if (!out->point)
		return -ENOMEM;
	for (size_t i = 0; i < choice->n_point && !rc; i++) {
		p.chosen = &choice->point[i];
		p.run = calloc(p.chosen->n_run + 1, sizeof(void *));
		p.v = calloc(2 * p.chosen->n_run + 1, sizeof *p.v);
		rc = p.run && p.v ? fill_point(&p, out) : -ENOMEM;
		free(p.run);
		free(p.v);
	}
	if (!rc && !out->n_point)
		rc = sd_untold_tail_region(choice, out->region, &out->notes);
	return rc;
}
