#include "evidence/event_places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/event_hotspots.h"
#include "hotspots/code_places.h"

/* A function is worth a row from this share of some metric's events on. */
#define LEAST_SHARE .05
/* Fewer samples give no metric: of 10 the true number is 5 to 18 (Poisson, 95 %). */
#define LEAST_SAMPLES 10

/* Counts and samples of every role, at one function or in the whole program. */
struct tally {
	double events[SD_ROLE_COUNT], samples[SD_ROLE_COUNT];
};

struct sampled {
	const struct sd_event_sampled *e;
	const struct sd_model *model;
	struct sd_metric_eval_point point; /* terms of the largest point; counts: see put_counts */
	struct sd_code_places places;
	unsigned char has[SD_ROLE_COUNT], precise[SD_ROLE_COUNT];
	double period[SD_ROLE_COUNT];
	struct tally whole;
	struct tally *function; /* by the index of places */
	/* by metric: its formula, and the roles that its events are of */
	const struct sd_formula *row[SD_EVENT_HOTSPOTS_METRICS];
	unsigned char uses[SD_EVENT_HOTSPOTS_METRICS][SD_ROLE_COUNT];
	double sum[SD_EVENT_HOTSPOTS_METRICS]; /* contributions of all code */
	size_t n_metric;
};

/* ---- counting -------------------------------------------------------------------------------- */

static void add(struct tally *t, const struct sd_event_place *p)
{
	t->events[p->role] += p->events;
	t->samples[p->role] += p->samples;
}

static unsigned function_of(const struct sampled *s, unsigned node)
{
	return s->places.spot[sd_code_places_spot(&s->places, node)].function;
}

static void count(struct sampled *s)
{
	for (size_t i = 0; i < s->e->n_period; i++) {
		const struct sd_event_period *const p = &s->e->period[i];

		/* a counter that stood still all the time says nothing */
		if (!(p->running > 0))
			continue;
		s->precise[p->role] = p->precise && (!s->has[p->role] || s->precise[p->role]);
		s->has[p->role] = 1;
		if (!(s->period[p->role] > 0) || p->period < s->period[p->role])
			s->period[p->role] = p->period;
	}
	for (size_t i = 0; i < s->e->n_place; i++) {
		const struct sd_event_place *const p = &s->e->place[i];

		add(&s->whole, p);
		add(&s->function[function_of(s, p->node)], p);
	}
}

/* ---- metrics --------------------------------------------------------------------------------- */

static struct sd_count counted(double events)
{
	return (struct sd_count){.value = fmax(0, events), .status = SD_STATUS_OK};
}

/* A function's counts for a formula. `work`: instructions, where they are not its own. */
static struct sd_metric_eval_result evaluate(
	struct sampled *s, const struct sd_formula *row, const struct tally *t, double work)
{
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		s->point.counts.role[r] = s->has[r] ? counted(t->events[r])
						    : (struct sd_count){.status = SD_STATUS_ABSENT};
	if (work > 0)
		s->point.counts.role[SD_ROLE_INSTRUCTIONS] = counted(work);
	return sd_metric_eval_evaluate(s->model, &s->point, row);
}

/* The program's metric if it had all of its work and only this function's events. Without samples
 * of instructions only the shares of these mean something. */
static double contribution(struct sampled *s, const struct sd_formula *row, const struct tally *t)
{
	const double work = s->whole.events[SD_ROLE_INSTRUCTIONS];
	const struct sd_metric_eval_result r = evaluate(s, row, t, work > 0 ? work : 1);

	return sd_has((struct sd_value){0, r.status}) && r.value > 0 ? r.value : 0;
}

/* Which sampled roles have a part in the value that the whole program's counts give. */
static void find_uses(struct sampled *s, size_t m)
{
	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		struct tally more = s->whole;

		if (!s->has[r] || r == SD_ROLE_INSTRUCTIONS)
			continue;
		more.events[r] = 2 * more.events[r] + 1;
		s->uses[m][r] =
			contribution(s, s->row[m], &more) != contribution(s, s->row[m], &s->whole);
	}
}

static double samples_of(const struct sampled *s, size_t m, const struct tally *t)
{
	double n = 0;

	for (int r = 0; r < SD_ROLE_COUNT; r++)
		n += s->uses[m][r] ? t->samples[r] : 0;
	return n;
}

static void describe(const struct sampled *s, size_t m, struct sd_event_metric *to)
{
	*to = (struct sd_event_metric){.name = s->row[m]->name,
		.unit = s->row[m]->unit,
		.meaning = s->row[m]->meaning,
		.samples = samples_of(s, m, &s->whole),
		.precise = 1};
	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		if (!s->uses[m][r])
			continue;
		to->precise = to->precise && s->precise[r];
		if (!(to->period > 0) || s->period[r] < to->period)
			to->period = s->period[r];
	}
}

/* Metrics of which at least one event was sampled. */
static int choose(struct sampled *s, struct sd_event_hotspots *out)
{
	const struct sd_model *const m = s->model;

	out->metric = calloc(SD_EVENT_HOTSPOTS_METRICS, sizeof *out->metric);
	if (!out->metric)
		return -ENOMEM;
	for (unsigned id = 0; id < m->f->n_name && s->n_metric < SD_EVENT_HOTSPOTS_METRICS; id++) {
		const struct sd_formula *const row = m->row[id];

		if (!row || !row->where)
			continue;
		s->row[s->n_metric] = row;
		s->sum[s->n_metric] = contribution(s, row, &s->whole);
		if (!(s->sum[s->n_metric] > 0))
			continue;
		find_uses(s, s->n_metric);
		describe(s, s->n_metric, &out->metric[s->n_metric]);
		s->n_metric++;
	}
	out->n_metric = s->n_metric;
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void fill_cell(struct sampled *s, size_t m, const struct tally *t, struct sd_event_cell *c)
{
	const double work = t->samples[SD_ROLE_INSTRUCTIONS];
	struct sd_metric_eval_result r;
	double half;

	*c = (struct sd_event_cell){.samples = samples_of(s, m, t),
		.share = contribution(s, s->row[m], t) / s->sum[m],
		.metric = {.status = SD_STATUS_ABSENT}};
	if (work < LEAST_SAMPLES || c->samples < LEAST_SAMPLES)
		return;
	r = evaluate(s, s->row[m], t, 0);
	if (!sd_has((struct sd_value){0, r.status}))
		return;
	half = 1.96 * r.value * sqrt(1 / c->samples + 1 / work);
	c->metric = (struct sd_interval){
		.value = r.value, .low = fmax(0, r.value - half), .high = r.value + half};
	c->over = r.over;
}

/* The line with most of a metric's samples in a function. */
static unsigned line_of(const struct sampled *s, unsigned function, size_t m)
{
	double best = 0;
	unsigned line = 0;

	for (size_t i = 0; i < s->e->n_place; i++) {
		const struct sd_event_place *const p = &s->e->place[i];
		const struct sd_spot *const spot =
			&s->places.spot[sd_code_places_spot(&s->places, p->node)];

		/* the places of a role are those of lines already */
		if (spot->function == function && s->uses[m][p->role] && p->events > best) {
			best = p->events;
			line = s->places.stacks->frame[spot->frame].line;
		}
	}
	return line;
}

static int fill_row(struct sampled *s, unsigned function, struct sd_event_row *row)
{
	size_t most = 0;

	row->at = calloc(1, sizeof *row->at);
	row->cell = calloc(s->n_metric, sizeof *row->cell);
	if (!row->at || !row->cell)
		return -ENOMEM;
	for (size_t m = 0; m < s->n_metric; m++) {
		fill_cell(s, m, &s->function[function], &row->cell[m]);
		if (row->cell[m].share > row->cell[most].share)
			most = m;
	}
	row->at->share = fmin(1, row->cell[0].share);
	row->at->line = line_of(s, function, most);
	return sd_code_places_name(&s->places, function, 0, 0, row->at);
}

/* A function's largest share of a metric's events. */
static double weight_of(struct sampled *s, size_t function)
{
	const struct tally *const t = &s->function[function];
	double most = 0;

	for (size_t m = 0; m < s->n_metric; m++)
		if (samples_of(s, m, t) > 0)
			most = fmax(most, contribution(s, s->row[m], t) / s->sum[m]);
	return most;
}

static int by_first(const void *a, const void *b)
{
	const struct sd_event_row *const x = a, *const y = b;

	return (x->at->share < y->at->share) - (x->at->share > y->at->share);
}

/* Lists the functions that weigh most, heaviest first; the unknown one, 0, has no row. */
static int fill_rows(struct sampled *s, struct sd_event_hotspots *out)
{
	double *const weight = calloc(s->places.n_function + 1, sizeof *weight);
	int rc = weight ? 0 : -ENOMEM;

	out->row = calloc(SD_EVENT_HOTSPOTS_ROWS, sizeof *out->row);
	if (!out->row)
		rc = -ENOMEM;
	for (size_t f = 1; !rc && f < s->places.n_function; f++)
		weight[f] = weight_of(s, f);
	while (!rc && out->n_row < SD_EVENT_HOTSPOTS_ROWS) {
		unsigned found = 0;

		for (unsigned f = 1; f < s->places.n_function; f++)
			if (weight[f] > weight[found])
				found = f;
		if (weight[found] < LEAST_SHARE)
			break;
		weight[found] = 0;
		rc = fill_row(s, found, &out->row[out->n_row++]);
	}
	free(weight);
	if (!rc)
		qsort(out->row, out->n_row, sizeof *out->row, by_first);
	return rc;
}

static const struct sd_event_sampled *find_run(const struct sd_record *r, size_t point)
{
	for (size_t i = r->n_run; i-- > 0;)
		if (r->run[i].point == point && r->run[i].events &&
			r->run[i].events->status == SD_STATUS_OK)
			return r->run[i].events;
	return NULL;
}

int sd_event_places_fill(const struct sd_record *record, const struct sd_chosen *last,
	const struct sd_model *model, struct sd_analysis *out)
{
	struct sampled s = {.e = find_run(record, last->plan), .model = model};
	struct tally *function = NULL;
	int rc;

	if (!s.e || !model->row)
		return 0;
	sd_metric_eval_point(model, last, NULL, &s.point);
	rc = sd_code_places_make(&s.places, &record->stacks, NULL);
	if (!rc) {
		s.function = function = calloc(s.places.n_function + 1, sizeof *function);
		rc = function ? 0 : -ENOMEM;
	}
	if (!rc) {
		count(&s);
		rc = choose(&s, &out->events);
	}
	if (!rc && s.n_metric) {
		out->events.cores = last->n;
		out->events.why = s.e->why;
		rc = fill_rows(&s, &out->events);
	}
	sd_code_places_free(&s.places);
	free(function);
	return rc;
}
