#include "kernels/bandwidth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "curves/llc.h"
#include "loops/reuse.h"
#include "harness/samples.h"
#include "base/time_shares.h"
#include "loops/stream_team.h"
#include "base/clock.h"

#define PILOT_BYTES 4e6
#define PILOT_S 0.004 /* how long a vector unit is tried */
#define SAMPLE_S 0.03 /* 300 ticks of CLOCK_MONOTONIC's error would not show */
#define SAMPLE_QUICK_S 0.015
#define BRIEF 0.5 /* of both, and of a cell's time for more than the first loops */

/* The inputs of a sample. */
struct shot {
	struct sd_stream_team *team;
	enum sd_stream_op op;
	enum sd_stores stores;
	const struct sd_stream_isa *isa;
	double bytes; /* of every member */
	const volatile sig_atomic_t *stop;
	double pilot_s;
};

static int shoot(void *ctx, struct sd_sample *s)
{
	const struct shot *c = ctx;
	double rate;
	const int rc =
		sd_stream_team_run(c->team, c->op, c->stores, c->isa, c->bytes, c->stop, &rate);

	if (rc)
		return rc;
	if (sd_team_moved(&c->team->team))
		return -EINVAL; /* its CPU went offline */
	s->value[0] = 1e-9 * rate;
	s->value[1] = s->value[0] * sd_stream_bytes_allocated(c->op, c->stores, 1) /
		      sd_stream_bytes(c->op, 1);
	s->delay = sd_team_delay(&c->team->team);
	s->width = sd_team_width(&c->team->team);
	return 0;
}

/* Bytes a member moves in `seconds`, from a short run; also which rate that was. */
static int pilot(struct shot *c, double seconds, double *rate)
{
	int rc;

	c->bytes = PILOT_BYTES;
	rc = sd_stream_team_run(c->team, c->op, c->stores, c->isa, c->bytes, c->stop, rate);
	if (rc == 0) {
		c->bytes = *rate / c->team->team.n * seconds;
		rc = sd_stream_team_run(c->team, c->op, c->stores, c->isa, c->bytes, c->stop, rate);
	}
	return rc;
}

static struct sd_bench_row describe(
	const struct sd_bandwidth_cell *cell, const struct shot *c, const char *bytes)
{
	struct sd_bench_row row = {.kernel = sd_stream_info[c->op].name,
		.unit = "GB/s",
		.parameter_unit = "B",
		.parameter = (double)c->team->slice * (double)c->team->team.n};

	snprintf(row.variant, sizeof row.variant,
		"stores=%s isa=%s width=%u pages=%s team=%s place=%s bytes=%s",
		sd_stores_name(c->op, c->stores), c->isa->name, c->isa->bits,
		sd_pages_name(cell->pages), sd_team_kind_name(cell->kind), cell->place, bytes);
	sd_rows_cpus(&row, &cell->cpus);
	return row;
}

/* A row for a cell that could not be set up. */
static struct sd_bench_row describe_cell(
	const struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell)
{
	struct sd_bench_row row = {
		.kernel = b->only < 0 ? "bandwidth" : sd_stream_info[b->only].name,
		.unit = "GB/s",
		.parameter_unit = "B"};

	snprintf(row.variant, sizeof row.variant, "pages=%s team=%s place=%s",
		sd_pages_name(cell->pages), sd_team_kind_name(cell->kind), cell->place);
	sd_rows_cpus(&row, &cell->cpus);
	return row;
}

static int measure(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell, struct shot *c,
	double budget_s)
{
	const struct sd_sample_plan plan = {.env = b->env,
		.wanted = b->env->quick ? 5 : 7,
		.budget_s = budget_s,
		.least = SD_SAMPLES_QUARTILES};
	struct sd_bench_row counted = describe(cell, c, "counted"),
			    allocated = describe(cell, c, "allocated");
	struct sd_samples samples;
	const double seconds = b->env->brief   ? BRIEF * SAMPLE_QUICK_S
			       : b->env->quick ? SAMPLE_QUICK_S
					       : SAMPLE_S;
	double rate;
	int rc = pilot(c, seconds / 4, &rate);

	if (rc == 0) {
		c->bytes = rate / c->team->team.n * seconds;
		rc = sd_samples_take(&samples, &plan, shoot, c);
		if (rc == 0)
			rc = sd_samples_rows(&samples, 0, &counted, b->rows);
		if (rc == 0 && sd_stream_info[c->op].writes && c->stores == SD_STORES_REGULAR)
			rc = sd_samples_rows(&samples, 1, &allocated, b->rows);
		sd_samples_free(&samples);
	}
	return rc ? sd_rows_error(b->rows, &counted, rc) : 0;
}

/* How fast c->isa is, when there is such a loop. */
static int try(struct shot *c, double *rate)
{
	double again = 0;
	int rc;

	*rate = 0;
	if (!c->isa->fn[c->op][c->stores])
		return 0;
	rc = pilot(c, c->pilot_s, rate);
	if (rc == 0)
		rc = sd_stream_team_run(
			c->team, c->op, c->stores, c->isa, c->bytes, c->stop, &again);
	*rate = again > *rate ? again : *rate;
	return rc;
}

/* The vector unit that was chosen for this earlier in the calibration, among isa[n]; NULL: none. */
static const char *chosen_earlier(const struct sd_bandwidth *b,
	const struct sd_bandwidth_cell *cell, const struct shot *c,
	const struct sd_stream_isa *const *isa, size_t n)
{
	struct shot like = *c;

	for (size_t i = 0; b->env->earlier && i < n; i++) {
		struct sd_bench_row row;

		like.isa = isa[i];
		row = describe(cell, &like, "counted");
		for (size_t k = 0; k < b->env->earlier->n; k++) {
			const struct sd_bench_row *const r = &b->env->earlier->row[k];

			if (r->n > 0 && r->cores == row.cores &&
				strcmp(r->kernel, row.kernel) == 0 &&
				strcmp(r->variant, row.variant) == 0)
				return isa[i]->name;
		}
	}
	return NULL;
}

/* The fastest of these for this op here: neither the widest nor asking ahead always is. `unit`: of
 * this vector unit; NULL: of any. */
static int choose(
	struct shot *c, const struct sd_stream_isa *const *isa, size_t n, const char *unit)
{
	const struct sd_stream_isa *best = isa[0];
	double best_rate = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		double rate;

		if (unit && strcmp(isa[i]->name, unit) != 0)
			continue;
		c->isa = isa[i];
		rc = try(c, &rate);
		if (rate > best_rate) {
			best_rate = rate;
			best = isa[i];
		}
	}
	c->isa = best;
	return rc;
}

static int choose_and_measure(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell,
	struct shot *c, const struct sd_stream_isa *const *isa, size_t n, double budget_s)
{
	const double begin = sd_clock_s();
	const int rc = choose(c, isa, n, chosen_earlier(b, cell, c, isa, n));

	if (rc) {
		const struct sd_bench_row row = describe_cell(b, cell);

		return sd_rows_error(b->rows, &row, rc);
	}
	budget_s -= sd_clock_s() - begin;
	return measure(b, cell, c, budget_s > 0 ? budget_s : 1e-3);
}

static int measure_op(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell,
	struct sd_stream_team *team, enum sd_stream_op op, enum sd_stores stores, double budget_s)
{
	const struct sd_stream_isa *const *isa;
	const size_t n = sd_stream_isas(&isa), units = n / SD_STREAM_LOOPS;
	struct shot c = {team, op, stores, isa[0], 0, b->env->stop,
		b->env->brief ? BRIEF * PILOT_S : PILOT_S};
	int rc = 0;

	/* scalar code is never the fastest where there is a vector unit; SSE2 can be: it read 5 %
	 * more than AVX-512 on a Cascade Lake */
	if (!cell->all_isas)
		return choose_and_measure(
			b, cell, &c, isa, SD_STREAM_LOOPS * (units > 1 ? units - 1 : 1), budget_s);
	for (size_t i = 0; rc == 0 && i < n; i += SD_STREAM_LOOPS)
		if (isa[i]->fn[op][stores])
			rc = choose_and_measure(
				b, cell, &c, isa + i, SD_STREAM_LOOPS, budget_s / (double)units);
	return rc;
}

static int has_stores(enum sd_stream_op op, enum sd_stores stores)
{
	const struct sd_stream_isa *const *isa;

	sd_stream_isas(&isa);
	return isa[0]->fn[op][stores] != NULL;
}

static int wanted(const struct sd_bandwidth *b, enum sd_stream_op op, enum sd_stores stores)
{
	return (b->only < 0 || b->only == (int)op) && has_stores(op, stores);
}

/* Refuses memory that a cache serves: 0 when it is DRAM, or when nobody can tell. */
static int check_reuse(
	struct sd_stream_team *team, const volatile sig_atomic_t *stop, char *why, size_t why_bytes)
{
	struct sd_value r;
	const int rc = sd_stream_team_reuse(team, stop, &r);

	if (rc)
		return rc;
	if (sd_has(r) && r.value >= SD_REUSE_DRAM)
		return 0;
	if (sd_has(r))
		snprintf(why, why_bytes,
			"refused: a cache served it (lines used again take %.0f %% of memory's "
			"time)",
			100 * r.value);
	else if (team->slice < SD_REUSE_BYTES_MIN)
		snprintf(why, why_bytes, "refused: %.2f MiB are too few to get past a cache",
			(double)(team->slice * team->team.n) / (1 << 20));
	else
		return 0; /* no way to flush a line here: the size rule has to do */
	return -ERANGE;
}

static void progress(const struct sd_bandwidth *b, double within)
{
	if (b->env->progress)
		b->env->progress(b->env->progress_ctx,
			b->only < 0 ? "bandwidth" : sd_stream_info[b->only].name,
			((double)b->done + within) / (double)(b->cells ? b->cells : 1));
}

/* In the order they are measured. */
static const struct {
	enum sd_stream_op op;
	enum sd_stores stores;
} loops[] = {
	{SD_STREAM_TRIAD, SD_STORES_REGULAR},
	{SD_STREAM_READ, SD_STORES_REGULAR},
	{SD_STREAM_TRIAD, SD_STORES_NT},
	{SD_STREAM_COPY, SD_STORES_NT},
	{SD_STREAM_COPY, SD_STORES_REGULAR},
	{SD_STREAM_WRITE, SD_STORES_NT},
	{SD_STREAM_WRITE, SD_STORES_REGULAR},
	{SD_STREAM_SCALE, SD_STORES_REGULAR},
	{SD_STREAM_SCALE, SD_STORES_NT},
	{SD_STREAM_ADD, SD_STORES_REGULAR},
	{SD_STREAM_ADD, SD_STORES_NT},
};
#define LOOPS (sizeof loops / sizeof *loops)
_Static_assert(LOOPS == SD_STREAM_OPS_COUNT * SD_STORES_COUNT - 1, "reading stores nothing");
/* The first of them are measured though the time that is kept for others has begun: without them
 * the node's bandwidth is not known. */
#define FIRST 3u

static int run_ops(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell,
	struct sd_stream_team *team, double end, double late)
{
	/* quick: the others come after all that matters first, when it is measured again */
	const size_t most =
		b->only < 0 && b->env->quick && b->env->again && !b->env->earlier ? FIRST : LOOPS;
	size_t todo = 0, done = 0;
	int rc = 0;

	for (size_t i = 0; i < most; i++)
		todo += (size_t)wanted(b, loops[i].op, loops[i].stores);
	for (size_t i = 0; rc == 0 && i < most; i++) {
		const double left = (end - sd_clock_s()) / (double)(todo - done);

		if (!wanted(b, loops[i].op, loops[i].stores))
			continue;
		if (sd_samples_late(b->env) || (done >= FIRST && late > 0 && sd_clock_s() > late) ||
			(done >= FIRST && b->env->brief && left < 0))
			return 0; /* the loops that were measured count */
		rc = measure_op(
			b, cell, team, loops[i].op, loops[i].stores, left > 0 ? left : 1e-3);
		done++;
		progress(b, (double)done / (double)todo);
	}
	return rc;
}

/* When this cell begins nothing more, so that those behind it have some of the time; 0 never. */
static double latest(const struct sd_bandwidth *b)
{
	const struct sd_time_shares shares = {.total = b->env->budget_s,
		.end = b->env->deadline_s - b->begin,
		.all = (double)b->cells};

	if (b->env->deadline_s <= 0)
		return 0;
	return b->begin +
	       sd_share_of(&shares, sd_clock_s() - b->begin, 1, (double)(b->cells - b->done - 1))
		       .end;
}

/* 0; -ERANGE: a cache served it, as its row says; -EINTR or -ENOMEM. */
static int run_in(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell, size_t bytes,
	double end, double late)
{
	const struct sd_bench_row row = describe_cell(b, cell);
	const struct sd_kernel_env *env = b->env;
	struct sd_stream_team team = {0};
	char why[96] = "";
	int rc = sd_stream_team_start(
		    &team, cell->kind, &cell->cpus, cell->pages, bytes, env->stop),
	    refused = 0;

	if (rc) {
		if (team.why[0])
			return sd_rows_missing(
				b->rows, &row, SD_STATUS_UNSUPPORTED, "%s", team.why);
		if (rc == -ENOMEM)
			return sd_rows_missing(b->rows, &row, SD_STATUS_UNSUPPORTED,
				"not enough memory for %.1f GB", 1e-9 * (double)bytes);
		return sd_rows_error(b->rows, &row, rc);
	}
	rc = check_reuse(&team, env->stop, why, sizeof why);
	refused = rc == -ERANGE;
	if (refused)
		rc = sd_rows_missing(b->rows, &row, SD_STATUS_ABSENT, "%s", why);
	else if (rc)
		rc = sd_rows_error(b->rows, &row, rc);
	else
		rc = run_ops(b, cell, &team, end, late);
	sd_stream_team_end(&team);
	return rc ? rc : refused ? -ERANGE : 0;
}

int sd_bandwidth_cell_run(struct sd_bandwidth *b, const struct sd_bandwidth_cell *cell)
{
	const struct sd_bench_row row = describe_cell(b, cell);
	const struct sd_kernel_env *env = b->env;
	const unsigned domains = sd_llc_domains(env->topology, &cell->cpus);
	const struct sd_llc_size size = sd_llc_size(
		env->topology->llc_bytes, b->effective, domains, env->quick, sd_llc_memory(env));
	const size_t brief =
		env->brief ? sd_llc_brief(size.bytes, b->effective, domains) : size.bytes;
	const double share = (env->budget_s - (sd_clock_s() - b->begin)) /
			     (double)(b->cells - b->done),
		     end = sd_clock_s() + (env->brief ? BRIEF : 1) * share, late = latest(b);
	const size_t before = b->rows->n;
	int rc;

	if (sd_samples_late(env))
		return sd_rows_missing(b->rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	if (size.bytes == 0)
		return sd_rows_missing(b->rows, &row, SD_STATUS_UNSUPPORTED,
			"%s (%.0f MiB may be used)", size.why,
			(double)sd_llc_memory(env) / (1 << 20));
	rc = run_in(b, cell, brief, end, late);
	if (rc == -ERANGE && brief < size.bytes) {
		b->rows->n = before;
		rc = run_in(b, cell, size.bytes, end, late);
	}
	return rc == -ERANGE ? 0 : rc;
}
