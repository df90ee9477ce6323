#include "bench/bandwidth_ceilings.h"

#include <stdio.h>
#include <string.h>

#include "bench/profile.h"

/* A median of fewer samples is none. */
#define SAMPLES_LEAST 3u

/* The rows of one count of cores. */
struct counted {
	struct sd_bench_rows *rows;
	size_t first, last;
	unsigned cores;
};

/* Counted bytes decide: they were moved for sure, the others are what the hardware should do. */
static int is_candidate(
	const struct counted *c, const struct sd_bench_row *r, unsigned state, size_t least)
{
	return r->cores == c->cores && r->state == state && r->n >= least &&
	       (r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY) &&
	       strcmp(r->unit, "GB/s") == 0 && strstr(r->variant, "bytes=counted");
}

static size_t candidates(const struct counted *c, unsigned state)
{
	size_t n = 0;

	for (size_t i = c->first; i < c->last; i++)
		n += (size_t)is_candidate(c, &c->rows->row[i], state, 1);
	return n;
}

/* The same operation with the same kind of store. */
static int same_loop(const struct sd_bench_row *a, const struct sd_bench_row *b)
{
	char x[16] = "", y[16] = "";

	sd_bench_row_key(a, "stores", x, sizeof x);
	sd_bench_row_key(b, "stores", y, sizeof y);
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(x, y) == 0;
}

/* Is the loop of `r`, in the state of `best`, not to be told from that: do their quartiles meet? */
static int as_good(
	const struct counted *c, const struct sd_bench_row *r, const struct sd_bench_row *best)
{
	for (size_t i = c->first; i < c->last; i++) {
		const struct sd_bench_row *m = &c->rows->row[i];

		if (is_candidate(c, m, best->state, 1) && same_loop(m, r) && m->q3 >= best->q1)
			return 1;
	}
	return 0;
}

/* The best row of a state in which there is a loop as good as that of `with` (NULL: any); NULL
 * none. */
static const struct sd_bench_row *best(
	const struct counted *c, unsigned state, const struct sd_bench_row *with)
{
	/* a single sample is no ceiling while there are medians of more */
	static const size_t least[] = {SAMPLES_LEAST, 1};

	for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
		const struct sd_bench_row *found = NULL;
		int has = !with;

		for (size_t i = c->first; i < c->last; i++) {
			const struct sd_bench_row *r = &c->rows->row[i];

			if (!is_candidate(c, r, state, least[k]))
				continue;
			has |= with && as_good(c, r, with);
			found = !found || r->median > found->median ? r : found;
		}
		if (found && has)
			return found;
	}
	return NULL;
}

/* Becomes a row of its own. Its bytes are always the counted ones: without that key the longest
 * variant fits. */
static struct sd_bench_row ceiling(const struct sd_bench_row *of)
{
	struct sd_bench_row row = *of;

	row.kernel = SD_CEILING_KERNEL;
	snprintf(row.variant, sizeof row.variant, "op=%s %.*s", of->kernel,
		(int)(strstr(of->variant, " bytes=") - of->variant), of->variant);
	return row;
}

static int add_missing(
	struct sd_bench_rows *rows, const struct sd_bench_row *of, unsigned state, const char *why)
{
	struct sd_bench_row row = ceiling(of);

	row.state = state;
	row.n = row.dropped = 0;
	row.median = row.q1 = row.q3 = row.low = row.high = 0;
	row.status = SD_STATUS_ABSENT;
	snprintf(row.why, sizeof row.why, "%s", why);
	return sd_bench_rows_add(rows, &row);
}

static int add_state(
	const struct counted *c, const struct sd_bench_row *like, unsigned state, unsigned main)
{
	const struct sd_bench_row *const found = best(c, state, like);
	struct sd_bench_row row;

	if (candidates(c, state) == 0)
		return 0;
	if (!found)
		return add_missing(c->rows, like, state,
			"this loop, the best in another state, and those as good were not seen in this one");
	if (state != main && found->n < SAMPLES_LEAST)
		return add_missing(c->rows, found, state,
			"this state was seen too briefly to know the best in it");
	row = ceiling(found); /* the rows move when new ones are added */
	return sd_bench_rows_add(c->rows, &row);
}

static int add_count(const struct counted *c)
{
	const struct sd_bench_row *most;
	struct sd_bench_row like;
	unsigned main = 0;
	int rc = 0;

	for (unsigned s = 1; s < SD_STATES_MAX; s++)
		main = candidates(c, s) > candidates(c, main) ? s : main;
	most = best(c, main, NULL);
	if (!most)
		return 0;
	like = *most; /* the rows move when new ones are added */
	for (unsigned s = 0; rc == 0 && s < SD_STATES_MAX; s++)
		rc = add_state(c, &like, s, main);
	return rc;
}

/* The least core count above `than` that memory was streamed by; 0: none. */
static unsigned next_count(const struct counted *c, unsigned than)
{
	unsigned next = 0;

	for (size_t i = c->first; i < c->last; i++) {
		const struct sd_bench_row *const r = &c->rows->row[i];

		if (r->cores > than && (next == 0 || r->cores < next) &&
			strstr(r->variant, "bytes=counted"))
			next = r->cores;
	}
	return next;
}

int sd_bandwidth_ceilings_add(struct sd_bench_rows *rows, size_t first)
{
	struct counted c = {rows, first, rows->n, 0};
	int rc = 0;

	while (rc == 0 && (c.cores = next_count(&c, c.cores)) > 0)
		rc = add_count(&c);
	return rc;
}
