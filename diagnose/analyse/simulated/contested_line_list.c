#include "analysis/contested_lines.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "simulated/line_idiom.h"
#include "simulated/line_view.h"

/* ---- working sets ---------------------------------------------------------------------------- */

/* Minimum share of accesses for a bucket of reuse distances to be a shoulder. */
#define SHOULDER .02
/* The sizes of LLC that misses are predicted for: 256 KiB to 1 GiB. */
#define SMALLEST_LLC (UINT64_C(256) << 10)
#define LARGEST_LLC (UINT64_C(1) << 30)

/*
 * Accesses of a thread that would miss in a fully associative LRU cache of this many lines: those
 * with at least that stack distance (Mattson 1970, METHODS 6.2). Within a bucket, which spans a
 * factor of two, they are assumed to be spread evenly.
 */
static double misses_at(const struct sd_sim_thread *t, double lines)
{
	double misses = t->distance[SD_SIM_DISTANCES - 1];

	for (int i = 1; i < SD_SIM_DISTANCES - 1; i++) {
		const double low = ldexp(1, i - 1), high = ldexp(1, i);

		if (lines <= low)
			misses += t->distance[i];
		else if (lines < high)
			misses += t->distance[i] * (high - lines) / (high - low);
	}
	return lines < 1 ? misses + t->distance[0] : misses;
}

static double accesses_of(const struct sd_sim_thread *t)
{
	double all = 0;

	for (int i = 0; i < SD_SIM_DISTANCES; i++)
		all += t->distance[i];
	return all;
}

/* The bucket edges beyond L1 size at which misses drop markedly; largest first. */
static void find_shoulders(const struct sd_simulated *s, size_t thread, struct sd_working_set *w)
{
	const struct sd_sim_thread *t = &s->thread[thread];
	const double all = accesses_of(t), l1 = (double)s->machine.l1.bytes;

	w->thread = thread;
	for (int i = SD_SIM_DISTANCES - 2; i > 0 && w->n_shoulder < SD_CONTESTED_LINES_SHOULDERS;
		i--) {
		const double bytes = ldexp(1, i) * s->machine.line;

		if (bytes <= l1)
			break;
		if (t->distance[i] > SHOULDER * all)
			w->shoulder[w->n_shoulder++] =
				(struct sd_shoulder){bytes, t->distance[i] / all};
	}
}

static void add_size(struct sd_contested_lines *out, double bytes, int is_share)
{
	const struct sd_simulated *s = out->simulated;
	struct sd_llc_view *v = &out->llc[out->n_llc];
	double instructions = 0;

	if (out->n_llc == SD_CONTESTED_LINES_SIZES || !s->machine.line)
		return;
	*v = (struct sd_llc_view){.bytes = bytes, .is_share = is_share};
	for (size_t i = 0; i < s->n_thread; i++) {
		v->misses += misses_at(&s->thread[i], bytes / s->machine.line);
		instructions += s->thread[i].instructions;
	}
	v->per_1000 = instructions > 0 ? 1000 * v->misses / instructions : 0;
	out->n_llc++;
}

/* Fills share, llc and set of *out, whose `simulated` and `cores` are set. 0 or -ENOMEM. */
static int working_sets(struct sd_contested_lines *out)
{
	const struct sd_simulated *s = out->simulated;
	const unsigned sharers = s->machine.llc.sharers ? s->machine.llc.sharers : out->cores;
	const unsigned running = sharers < out->cores ? sharers : out->cores;
	int placed = 0;

	out->share = (double)s->machine.llc.bytes / (running ? running : 1);
	for (uint64_t size = SMALLEST_LLC; size <= LARGEST_LLC; size *= 4) {
		const double b = (double)size;

		if (!placed && out->share > 0 && out->share <= b) {
			add_size(out, out->share, 1);
			placed = 1;
			if (out->share == b)
				continue;
		}
		add_size(out, b, 0);
	}
	if (!placed && out->share > 0)
		add_size(out, out->share, 1);
	out->set = calloc(s->n_thread + 1, sizeof *out->set);
	if (!out->set)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_thread; i++) {
		struct sd_working_set *w = &out->set[out->n_set++];

		find_shoulders(s, i, w);
		w->fits = !w->n_shoulder || w->shoulder[0].bytes <= out->share;
	}
	return 0;
}

/* ---- contested line list --------------------------------------------------------------------- */

/* Cost of moving a modified line without calibration, in cycles (60 ns at 4 GHz); and the share of
 * the run's cycles below which a line's moves are just starts and ends of threads.
 */
#define MOVE_CYCLES 250
#define MATTERS .001
/* Fewer samples of moves than this may be chance: of 5 the true mean is over 1.6 with 95 %
 * (Poisson). */
#define SAMPLES 5

/* ---- which run ------------------------------------------------------------------------------- */

static const struct sd_run *pick(const struct sd_record *r, unsigned cores, int sampled)
{
	const struct sd_run *best = NULL;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *run = &r->run[i];
		unsigned n;

		if (run->point >= r->plan.n_point ||
			(sampled ? !run->memory || run->memory->status != SD_STATUS_OK
				 : run->kind != SD_RUN_SIMULATED || !run->simulated))
			continue;
		n = r->plan.point[run->point].cores;
		if (cores ? n == cores : !best || n >= r->plan.point[best->point].cores)
			best = run;
	}
	return best;
}

/* ---- the lines ------------------------------------------------------------------------------- */

/* Cycles of all threads at one instruction each. */
static double cycles_of(const struct sd_simulated *s)
{
	double all = 0;

	for (size_t i = 0; i < s->n_thread; i++)
		all += s->thread[i].instructions;
	return all;
}

static int fill_lines(const struct sd_record *r, struct sd_contested_lines *out)
{
	const struct sd_simulated *s = out->simulated;
	const double all = cycles_of(s);
	const double move = r->plan.simulation && r->plan.simulation->costs.hz > 0
				    ? r->plan.simulation->costs.transfer
				    : MOVE_CYCLES;
	int rc = 0;

	out->line = calloc(s->n_contested + 1, sizeof *out->line);
	if (!out->line)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_contested && !rc; i++) {
		sd_line_view_make(&s->contested[i], &out->line[i]);
		out->n_line = i + 1;
		out->line[i].matters = out->line[i].hitm * move >= MATTERS * all;
		/* by falling moves, so that these come first */
		out->n_matter += out->line[i].matters;
		rc = sd_line_view_advise(&r->stacks, &s->machine, &out->line[i]);
	}
	return rc;
}

/* ---- sampled --------------------------------------------------------------------------------- */

/* Samples show only the first byte of an access, so there are no sizes and no exact padding advice.
 */
static int advise_sampled(
	const struct sd_record *r, const struct sd_contested_lines *l, struct sd_line_view *v)
{
	char idiom[96];

	switch (v->line->sharing) {
	case SD_SIM_UNTOLD:
		return sd_texts_add(&v->advice,
			"the samples met one thread alone on it: sample longer, or simulate it "
			"(--events sim), to see who shares it");
	case SD_SIM_FALSE:
	case SD_SIM_MIXED:
		return sd_texts_add(&v->advice,
			"threads use different bytes of it: keep each thread's part in a local, which "
			"compilers keep in a register, or give it a line of its own (%s)",
			sd_line_idiom_text(&r->stacks, v->line, 0, l->bytes, idiom, sizeof idiom));
	case SD_SIM_TRUE:
		return sd_line_view_advise_true(v, &v->advice);
	}
	return 0;
}

static int make_sampled(const struct sd_record *r, struct sd_contested_lines *out)
{
	const struct sd_memory_sampled *const m = out->sampled = out->run->memory;
	int rc = 0;

	out->bytes = m->line;
	out->n_seen = m->n_contested_seen;
	out->hitm = m->local + m->remote + m->peer;
	out->line = calloc(m->n_contested + 1, sizeof *out->line);
	if (!out->line)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_contested && !rc; i++) {
		struct sd_line_view *const v = &out->line[out->n_line++];

		sd_line_view_make(&m->contested[i].line, v);
		v->sampled = &m->contested[i];
		v->matters = v->hitm >= SAMPLES && v->hitm >= MATTERS * m->loads;
		out->n_matter += v->matters;
		rc = advise_sampled(r, out, v);
	}
	return rc;
}

int sd_contested_line_list_make(
	const struct sd_record *r, unsigned cores, int sampled, struct sd_contested_lines *out)
{
	int rc;

	*out = (struct sd_contested_lines){.run = sampled ? NULL : pick(r, cores, 0)};
	if (!out->run) {
		out->run = pick(r, cores, 1);
		sampled = 1;
	}
	if (!out->run)
		return -ENOENT;
	out->cores = r->plan.point[out->run->point].cores;
	if (sampled)
		return make_sampled(r, out);
	out->simulated = out->run->simulated;
	out->bytes = out->simulated->machine.line;
	out->n_seen = out->simulated->n_contested_seen;
	for (size_t i = 0; i < out->simulated->n_thread; i++)
		out->hitm +=
			out->simulated->thread[i].hitm_load + out->simulated->thread[i].hitm_store;
	sd_wasted_work_of(r, out->simulated, out->waste);
	rc = fill_lines(r, out);
	return rc ? rc : working_sets(out);
}

/* ---- the program's own samples --------------------------------------------------------------- */

static double contested_time(const struct sd_native_lines *n)
{
	double sum = 0;

	for (size_t i = 0; i < n->n_line; i++)
		sum += n->line[i].contested;
	return sum;
}

/* Is it known who allocated a line of it? Of several runs one is told of the heap. */
static int is_sited(const struct sd_native_lines *n)
{
	int sited = 0;

	for (size_t i = 0; i < n->n_line; i++)
		sited |= n->line[i].line.site != 0;
	return sited;
}

static int is_better(const struct sd_native_lines *n, const struct sd_native_lines *best)
{
	return is_sited(n) != is_sited(best) ? is_sited(n)
					     : contested_time(n) > contested_time(best);
}

/* The plain run at the largest count that met most contested lines, and knows who allocated
 * them. */
static const struct sd_run *pick_native(const struct sd_record *r, unsigned cores)
{
	const struct sd_run *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];
		const unsigned n =
			run->point < r->plan.n_point ? r->plan.point[run->point].cores : 0;

		if (!n || run->kind > SD_RUN_DRIFT || !run->native ||
			run->native->status != SD_STATUS_OK || (cores && n != cores) || n < most)
			continue;
		if (!best || n > most || is_better(run->native, best->native))
			best = run;
		most = n;
	}
	return best;
}

int sd_contested_line_list_native(
	const struct sd_record *r, unsigned cores, struct sd_contested_lines *out)
{
	const struct sd_native_lines *n;
	int rc = 0;

	*out = (struct sd_contested_lines){.run = pick_native(r, cores)};
	if (!out->run)
		return -ENOENT;
	n = out->native = out->run->native;
	out->cores = r->plan.point[out->run->point].cores;
	out->bytes = n->line_bytes;
	out->n_seen = n->n_line_seen;
	out->line = calloc(n->n_line + 1, sizeof *out->line);
	if (!out->line)
		return -ENOMEM;
	for (size_t i = 0; i < n->n_line && !rc; i++) {
		struct sd_line_view *const v = &out->line[out->n_line++];
		const struct sd_sim_machine m = {
			.line = n->line_bytes, .adjacent = n->line[i].pair};

		sd_line_view_make(&n->line[i].line, v);
		v->native = &n->line[i];
		v->matters = v->hitm >= SAMPLES &&
			     n->line[i].contested + n->line[i].spun >= MATTERS * n->seconds;
		out->hitm += v->hitm;
		out->n_matter += v->matters;
		rc = v->native->lock && v->line->sharing != SD_SIM_FALSE
			     ? sd_line_view_advise_lock(v)
			     : sd_line_view_advise(&r->stacks, &m, v);
	}
	return rc;
}
