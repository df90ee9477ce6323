#include "bench/profile_pairs.h"

#include <math.h>
#include <string.h>

#include "bench/bandwidth_ceilings.h"

int sd_profile_same_state(
	const struct sd_machine_states *from, const struct sd_machine_states *to, unsigned i)
{
	double nearest = 0;
	int found = -1;

	if (i >= from->n || to->n == 0)
		return from->n == 0 && to->n == 0 ? (int)i : -1;
	/* the nearest of those that it may be */
	for (unsigned k = 0; k < to->n; k++) {
		const double off = fabs(log(to->line[k] / from->line[i]));

		if (sd_kernel_states_same(from->line[i], to->line[k]) &&
			(found < 0 || off < nearest)) {
			found = (int)k;
			nearest = off;
		}
	}
	return found;
}

static int same_but_variant(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && a->cores == b->cores &&
	       strcmp(a->unit, b->unit) == 0;
}

/* The same thing measured, whatever its parameter. The ceiling is the best of whichever variant. */
static int same_thing(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	return same_but_variant(a, b) &&
	       (strcmp(a->kernel, SD_CEILING_KERNEL) == 0 || strcmp(a->variant, b->variant) == 0);
}

/* Length of the words "isa=avx2 width=256 " in a variant, and where they stand; 0: nowhere. */
static size_t unit_words(const char *variant, const char **at)
{
	size_t n;

	*at = strstr(variant, "isa=");
	if (!*at)
		return 0;
	n = strcspn(*at, " ");
	n += (*at)[n] == ' ';
	return strncmp(*at + n, "width=", 6) == 0 ? n + strcspn(*at + n, " ") : n;
}

/* The same by whichever vector unit was the fastest. */
static int same_but_unit(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	const char *x, *y;
	const size_t nx = unit_words(a->variant, &x), ny = unit_words(b->variant, &y);

	return nx > 0 && ny > 0 && same_but_variant(a, b) && x - a->variant == y - b->variant &&
	       strncmp(a->variant, b->variant, (size_t)(x - a->variant)) == 0 &&
	       strcmp(x + nx, y + ny) == 0;
}

/* The only such row of that state; NULL: none, or several. */
static const struct sd_bench_row *only_one(
	const struct sd_bench_rows *rows, const struct sd_bench_row *like, unsigned state)
{
	const struct sd_bench_row *found = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		const struct sd_bench_row *const r = &rows->row[i];

		if (r->state != state || !same_but_unit(r, like))
			continue;
		if (found)
			return NULL;
		found = r;
	}
	return found;
}

/* Along the like rows of a profile: those of one point of a sweep follow each other, a row a state.
 */
struct walk {
	size_t first, points; /* the point's first row; points begun */
};

/* A state that was never seen at a point must not shift the points after it. */
static size_t step(const struct sd_bench_rows *rows, size_t i, struct walk *w)
{
	const struct sd_bench_row *const r = &rows->row[i];
	int fresh = w->points == 0 || rows->row[w->first].parameter != r->parameter;

	for (size_t k = w->first; k < i && !fresh; k++)
		fresh = rows->row[k].state == r->state && same_thing(&rows->row[k], r);
	if (fresh) {
		w->first = i;
		w->points++;
	}
	return w->points - 1;
}

/* Which point of its sweep is row i? */
static size_t point_of(const struct sd_bench_rows *rows, size_t i)
{
	struct walk w = {0};

	for (size_t k = 0; k < i; k++)
		if (same_thing(&rows->row[k], &rows->row[i]))
			step(rows, k, &w);
	return step(rows, i, &w);
}

/* The point of the same parameter, where the sweep has it. */
static const struct sd_bench_row *find_parameter(
	const struct sd_bench_rows *rows, const struct sd_bench_row *like, unsigned state)
{
	for (size_t i = 0; fabs(like->parameter) > 0 && i < rows->n; i++) {
		const struct sd_bench_row *const r = &rows->row[i];

		if (same_thing(r, like) && r->state == state &&
			!(fabs(r->parameter - like->parameter) > 0))
			return r;
	}
	return NULL;
}

const struct sd_bench_row *sd_profile_counterpart(
	const struct sd_profile *p, size_t row, const struct sd_profile *in)
{
	const struct sd_bench_row *const like = &p->rows.row[row];
	const int state = sd_profile_same_state(&p->states, &in->states, like->state);
	const struct sd_bench_row *const same =
		state < 0 ? NULL : find_parameter(&in->rows, like, (unsigned)state);
	const size_t point = point_of(&p->rows, row);
	struct walk w = {0};

	for (size_t i = 0; state >= 0 && !same && i < in->rows.n; i++)
		if (same_thing(&in->rows.row[i], like) && step(&in->rows, i, &w) == point &&
			in->rows.row[i].state == (unsigned)state)
			return &in->rows.row[i];
	if (same || state < 0 || !only_one(&p->rows, like, like->state))
		return same;
	return only_one(&in->rows, like, (unsigned)state);
}
