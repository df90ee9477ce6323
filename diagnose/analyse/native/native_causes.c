#include "native/native_causes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cause_growth.h"
#include "case/stated.h"
#include "hotspots/top_functions.h"
#include "loops/native_objects.h"
#include "native/native_words.h"

/* User code, all accesses and wherever lines go between threads; lines that the kernel works on
 * have no user registers, and a process does not see what another one does in memory of its own. */
#define SEEN (SD_SEES_ALL & ~(SD_SEES_KERNEL_CODE | SD_SEES_BETWEEN_PROCESSES))

#define PLACES 3 /* as of other causes (evidence/cause_places.c) */
#define PLACE_LEAST .05

static const struct sd_native_growth *growth_of(const struct sd_case *c)
{
	return c->native && c->native->known && c->a->n_point > 1 && !c->fixed_time ? c->native
										    : NULL;
}

static enum sd_native_kind kind_of(enum sd_cause cause)
{
	static const enum sd_native_kind of_bytes[] = {[SD_CAUSE_BYTES_DIFFERENT] = SD_NATIVE_FALSE,
		[SD_CAUSE_BYTES_SAME] = SD_NATIVE_TRUE};

	return sd_cause_growth[cause].bytes  ? of_bytes[sd_cause_growth[cause].bytes]
	       : cause == SD_CAUSE_ALLOCATOR ? SD_NATIVE_ALLOCATOR
	       : cause == SD_CAUSE_BUS_LOCKS ? SD_NATIVE_SPLIT
					     : SD_NATIVE_LOCK;
}

/* ---- sharing --------------------------------------------------------------------------------- */

static struct sd_interval add(struct sd_interval v, double cores)
{
	v.value += cores;
	v.low += cores;
	v.high += cores;
	return v;
}

static double gate(const struct sd_case *c)
{
	return SD_CASE_GATE * c->loss->n;
}

int sd_native_causes_sharing(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	const struct sd_native_growth *const g = growth_of(c);
	const enum sd_native_kind kind = kind_of(f->cause);
	const double spun = kind == SD_NATIVE_FALSE ? sd_native_causes_taken(c) : 0;
	struct sd_statement s;

	if (!g)
		return 0;
	s = (struct sd_statement){.cause = f->cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = add(g->least[kind], spun),
		.at_most = add(g->most[kind], spun),
		.sees = {SEEN, 1, 1},
		.disturbed_by = sd_stated_disturbed(c, components),
		.id = "native-lines"};
	if (c->no_loss)
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
	sd_native_words_say(c, f, kind, &s.at_least, &s.at_most);
	if (s.at_least.value >= gate(c) && !f->next &&
		!(f->next = strdup(
			  "scalediag lines RECORD # the lines byte by byte, and what to do about each")))
		c->rc = -ENOMEM;
	return s.at_least.value >= gate(c) || s.at_most.high < gate(c);
}

double sd_native_causes_taken(const struct sd_case *c)
{
	return growth_of(c) ? c->native->spun_false : 0;
}

/* ---- locks ----------------------------------------------------------------------------------- */

int sd_native_causes_locks(const struct sd_case *c, struct sd_interval *out)
{
	const struct sd_native_growth *const g = growth_of(c);

	if (!g || !(g->least[SD_NATIVE_LOCK].value + g->under.value > 0))
		return 0;
	*out = g->least[SD_NATIVE_LOCK];
	out->value += fmax(0, g->under.value);
	out->high += fmax(0, g->under.high);
	return 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int state_cold(struct sd_case *c, struct sd_finding *f, unsigned long components,
	const struct sd_interval *most, const char *what)
{
	const struct sd_statement s = {.cause = f->cause,
		.kind = SD_STATEMENT_MODEL,
		.at_least = SD_STATEMENT_OPEN,
		.at_most = *most,
		.sees = {SEEN, 1, 1},
		.disturbed_by = sd_stated_disturbed(c, components),
		.id = "native-cold"};

	sd_stated_keep(c, &s);
	if (most->high >= gate(c))
		return 0;
	sd_case_say(c, f,
		"at most %.2f of %u cores of the growth are in loops whose samples find %s that they "
		"had not touched before: the others' are few, and near each core",
		fmax(0, most->high), c->last->n, what);
	return 1;
}

int sd_native_causes_cold_lines(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	const struct sd_native_growth *const g = growth_of(c);

	return g && state_cold(c, f, components, &g->cold_lines, "lines");
}

int sd_native_causes_cold_pages(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	const struct sd_native_growth *const g = growth_of(c);

	return g && state_cold(c, f, components, &g->cold_pages, "pages");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Sampled by the CPU itself, with addresses: that is more than loops. */
static int is_sampled(const struct sd_case *c)
{
	for (size_t i = 0; i < c->record->n_run; i++)
		if (c->record->run[i].point == c->last->plan && c->record->run[i].memory &&
			c->record->run[i].memory->status == SD_STATUS_OK)
			return 1;
	return 0;
}

static int is_among(const struct sd_where *w, const struct sd_where *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (w->function && list[i].function && strcmp(w->function, list[i].function) == 0)
			return 1;
	return 0;
}

static void drop(struct sd_where *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sd_where_free(&w[i]);
	free(w);
}

/* A simulation names lines byte by byte, of as much of the program as it ran, and counts moves, not
 * time: where the loops that lose the time are none of its functions, it met other lines. */
static void put_found(
	const struct sd_case *c, struct sd_finding *f, struct sd_where *found, size_t n)
{
	const int agrees = f->n_where && is_among(&f->where[0], found, n);

	if (f->where && (!n || agrees || is_sampled(c))) {
		drop(found, n);
		return;
	}
	drop(f->where, f->n_where);
	f->where = found;
	f->n_where = n;
}

/* The program's own functions that the loops are of; what a library does is found by who calls it.
 */
static void put_places(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind)
{
	const struct sd_code_places *const p = &c->spread->places;
	double *const weight = calloc(p->n_spot + 1, sizeof *weight);
	struct sd_where *found = NULL;
	double own = 0, all = 0;
	size_t n = 0;

	if (!weight) {
		c->rc = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < c->native->n_place; i++) {
		const struct sd_native_place *const at = &c->native->place[i];
		const unsigned spot = sd_code_places_spot(p, at->node);

		weight[spot] += fmax(0, at->cores[kind]);
		all += fmax(0, at->cores[kind]);
		own += p->function[p->spot[spot].function].own ? fmax(0, at->cores[kind]) : 0;
	}
	if (own > all / 2)
		c->rc |= sd_top_functions(p, weight, 0, PLACE_LEAST, PLACES, &found, &n);
	free(weight);
	put_found(c, f, found, n);
}

static void put_object(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind)
{
	char name[512];

	if (f->n_where && f->where[0].object) /* a simulation has said it */
		return;
	sd_native_words_object(
		&c->record->stacks, sd_native_objects_first(c->native, kind), name, sizeof name);
	if (!f->n_where) {
		free(f->where);
		f->where = calloc(1, sizeof *f->where);
		f->n_where = f->where != NULL;
	}
	if (!f->n_where || !(f->where[0].object = strdup(name)))
		c->rc = -ENOMEM;
}

typedef void name_fn(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind);

/* Calls `put` for each kind of sharing that matters and whose lines were seen. */
static void name(struct sd_case *c, name_fn *put)
{
	for (int i = 0; growth_of(c) && i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *const f = &c->a->finding[i];
		const enum sd_native_kind kind = kind_of(f->cause);

		if (f->verdict <= SD_VERDICT_POSSIBLE &&
			(sd_cause_growth[f->cause].bytes || f->cause == SD_CAUSE_BUS_LOCKS) &&
			c->native->least[kind].value >= gate(c) &&
			sd_native_objects_first(c->native, kind))
			put(c, f, kind);
	}
}

void sd_native_causes_places(struct sd_case *c)
{
	if (c->spread->now)
		name(c, put_places);
}

void sd_native_causes_objects(struct sd_case *c)
{
	name(c, put_object);
}
