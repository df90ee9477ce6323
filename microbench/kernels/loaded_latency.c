/*
 * Loaded latency: a chase on one core while others move memory at a set pace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arena.h"
#include "loops/chase.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "curves/llc.h"
#include "loops/reuse.h"
#include "harness/samples.h"
#include "harness/kernel_steps.h"
#include "loops/stream_team.h"
#include "harness/team.h"
#include "base/clock.h"

#define LINE 64u
#define COUNTS_MAX 16
#define CHUNK                                                                               \
	((size_t)2 * SD_STREAM_GRAIN) /* doubles of an array between two looks at the clock \
				       */
#define LATE_S 1e-4 /* a pace that fell behind this far starts anew instead of catching up */
#define BUILD_LINES ((size_t)1 << 16)
#define PAGE ((size_t)2 << 20)
#define SLICE_MIN (4 * PAGE) /* more than a private cache holds, however many share the traffic */

/*
 * Reads to writes as memory sees them. Non-temporal stores where there are any: a regular store
 * reads the line first, or not, as the hardware likes.
 */
static const struct {
	const char *name;
	enum sd_stream_op op;
	enum sd_stores stores;
} mixes[] = {
	{"read", SD_STREAM_READ, SD_STORES_REGULAR},
	{"2:1", SD_STREAM_TRIAD, SD_STORES_NT},
	{"1:1", SD_STREAM_COPY, SD_STORES_NT},
};

/* Shares of what the traffic cores can do alone; 0 is the chase alone, 1 is without a pace. */
static const double paces[] = {0, .05, .1, .2, .35, .5, .65, .8, 1};

struct loaded {
	const struct sd_kernel_env *env;
	struct sd_bench_rows *rows;
	struct sd_kernel_steps steps;
	size_t chased;  /* bytes of the chaser */
	size_t traffic; /* bytes of all traffic together, at least */
};

/* The work of all members; written between jobs only. */
struct load {
	struct sd_team team;
	struct sd_arena arena;
	struct sd_cpulist cpus;
	struct sd_team_job *job; /* one a member */
	size_t slice;            /* bytes of each traffic member */
	struct sd_chase chase;
	void *at;
	size_t steps;
	enum sd_stream_op op;
	sd_stream_fn fn;
	double pace;     /* bytes/s of each traffic core; 0 = as fast as it can */
	double duration; /* s, of traffic without a chaser */
	struct sd_value reuse;
	const volatile sig_atomic_t *stop;
	char why[96];
};

/* The chaser's memory comes first. */
static size_t chased_bytes(const struct load *w)
{
	return w->chase.lines * w->chase.stride;
}

static unsigned char *own(const struct load *w, const struct sd_member *m)
{
	return w->arena.base + (m->rank ? chased_bytes(w) + (m->rank - 1) * w->slice : 0);
}

static int touch(struct sd_member *m, void *arg)
{
	struct load *w = arg;
	const int rc = sd_stream_fill(m, own(w, m), m->rank ? w->slice : chased_bytes(w));

	if (rc)
		return rc;
	for (size_t k = 0; m->rank == 0 && k < w->chase.lines; k += BUILD_LINES) {
		const size_t left = w->chase.lines - k;

		if (sd_member_stopped(m))
			return -EINTR;
		sd_chase_build(&w->chase, k, left < BUILD_LINES ? left : BUILD_LINES);
	}
	return 0;
}

static int verify(struct sd_member *m, void *arg)
{
	struct load *w = arg;

	(void)m;
	w->reuse = sd_reuse_ratio(w->chase.base, chased_bytes(w), 1);
	return sd_arena_verify(&w->arena, w->why, sizeof w->why);
}

static int chase(struct sd_member *m, void *arg)
{
	struct load *w = arg;

	(void)m;
	w->at = sd_chase_walk(w->at, w->steps);
	return 0;
}

/* Bytes moved go to m->work. Ends when the chaser does, or after w->duration without one. */
static int traffic(struct sd_member *m, void *arg)
{
	const struct load *w = arg;
	const unsigned arrays = sd_stream_info[w->op].arrays;
	const size_t length = w->slice / sizeof(double) / arrays / CHUNK * CHUNK;
	double *const a = (double *)(void *)own(w, m);
	const double bytes = sd_stream_bytes(w->op, CHUNK);
	double next = sd_clock_s();
	const double end = w->duration > 0 ? next + w->duration : 0;
	/* go on where the last job ended, not where the caches still are */
	size_t i = (size_t)m->value % length / CHUNK * CHUNK;

	m->work = 0;
	while (!sd_member_ended(m) && (end <= 0 || sd_clock_s() < end)) {
		w->fn(a + i, a + (arrays > 1 ? length : 0) + i,
			a + (arrays > 2 ? 2 * length : 0) + i, CHUNK);
		m->work += (uint64_t)bytes;
		i = i + CHUNK < length ? i + CHUNK : 0;
		if (w->pace <= 0)
			continue;
		next += bytes / w->pace;
		if (sd_clock_s() > next + LATE_S)
			next = sd_clock_s();
		while (sd_clock_s() < next && !sd_member_ended(m))
			sd_relax();
	}
	m->value = (double)i;
	return 0;
}

/* GB/s of all traffic members in the last job, each over its own time. */
static double traffic_rate(const struct load *w)
{
	double sum = 0;

	for (unsigned i = 1; i < w->team.n; i++) {
		const struct sd_member *m = &w->team.member[i];

		if (w->job[i].run && m->stop > m->start)
			sum += 1e-9 * (double)m->work / (m->stop - m->start);
	}
	return sum;
}

static int sample(void *ctx, struct sd_sample *s)
{
	struct load *w = ctx;
	const int rc = sd_team_run_each(&w->team, w->job, w->stop);
	const struct sd_member *m = &w->team.member[0];

	if (rc)
		return rc;
	if (sd_team_moved(&w->team))
		return -EINVAL;
	s->value[0] = 1e9 * (m->stop - m->start) / (double)w->steps;
	s->value[1] = traffic_rate(w);
	s->delay = sd_team_delay(&w->team);
	s->width = sd_team_width(&w->team);
	return 0;
}

static void set_jobs(struct load *w, int with_chase, int with_traffic)
{
	w->job[0] = (struct sd_team_job){with_chase ? chase : NULL, w};
	for (unsigned i = 1; i < w->team.n; i++)
		w->job[i] = (struct sd_team_job){with_traffic ? traffic : NULL, w};
}

/* Measures the peak of the traffic cores, without a pace and without the chaser, bytes/s each. */
static int find_peak(struct load *w, double *peak)
{
	int rc;

	set_jobs(w, 0, 1);
	w->pace = 0;
	w->duration = 0.01;
	rc = sd_team_run_each(&w->team, w->job, w->stop);
	if (rc == 0)
		rc = sd_team_run_each(&w->team, w->job, w->stop);
	w->duration = 0;
	*peak = 1e9 * traffic_rate(w) / (double)(w->team.n - 1);
	return rc;
}

/* Steps for a sample of this length with the machine idle. */
static int find_steps(struct load *w, double seconds)
{
	int rc;

	set_jobs(w, 1, 0);
	w->steps = 8192;
	rc = sd_team_run_each(&w->team, w->job, w->stop);
	if (rc == 0) {
		const double one = sd_team_elapsed(&w->team) / (double)w->steps;

		w->steps = one > 0 ? (size_t)(seconds / one) / 16 * 16 + 16 : 8192;
	}
	return rc;
}

static void describe(const struct loaded *l, const struct load *w, const char *mix,
	const char *stores, double asked, struct sd_bench_row row[2])
{
	static const char *const unit[2] = {"ns", "GB/s"};

	for (int i = 0; i < 2; i++) {
		row[i] = sd_kernel_steps_row(&l->steps, &w->cpus, unit[i],
			"mix=%s stores=%s pages=%s traffic=%u", mix, stores,
			sd_pages_name(w->arena.pages), w->team.n - 1);
		row[i].parameter = asked;
		row[i].parameter_unit = "GB/s asked";
	}
}

static int one_mix(struct loaded *l, struct load *w, size_t mix)
{
	const struct sd_stream_isa *const *isa;
	enum sd_stores stores = mixes[mix].stores;
	struct sd_bench_row row[2];
	const char *name;
	double peak = 0;
	int rc;

	sd_stream_isas(&isa);
	if (!isa[0]->fn[mixes[mix].op][stores])
		stores = SD_STORES_REGULAR;
	w->op = mixes[mix].op;
	w->fn = isa[0]->fn[w->op][stores];
	name = sd_stores_name(w->op, stores);
	rc = find_peak(w, &peak);
	for (size_t p = 0; rc == 0 && p < sizeof paces / sizeof *paces; p++) {
		const double asked = 1e-9 * paces[p] * peak * (w->team.n - 1);

		describe(l, w, mixes[mix].name, name, asked, row);
		set_jobs(w, 1, paces[p] > 0);
		w->pace = paces[p] < 1 ? paces[p] * peak : 0;
		rc = sd_kernel_steps_take(
			&l->steps, l->env->quick ? 3 : 7, sample, w, row, 2, l->rows);
	}
	describe(l, w, mixes[mix].name, name, 0, row);
	return rc ? sd_rows_error(l->rows, row, rc) : 0;
}

/* Bytes that each traffic member streams over: whole huge pages. */
static size_t slice_of(const struct loaded *l, size_t cores)
{
	const size_t share = l->traffic / (cores - 1);

	return share > SLICE_MIN ? (share + PAGE - 1) / PAGE * PAGE : SLICE_MIN;
}

static int start(struct loaded *l, struct load *w, enum sd_pages pages)
{
	int rc;

	w->stop = l->env->stop;
	w->slice = slice_of(l, w->cpus.n);
	rc = sd_arena_map(&w->arena, l->chased + w->slice * (w->cpus.n - 1), pages);
	w->job = calloc(w->cpus.n, sizeof *w->job);
	if (rc || !w->job)
		return rc ? rc : -ENOMEM;
	w->chase = (struct sd_chase){w->arena.base, l->chased / LINE, LINE, 12345};
	w->at = sd_chase_begin(&w->chase);
	rc = sd_team_start(&w->team, SD_TEAM_THREADS, &w->cpus, 0);
	if (rc == 0)
		rc = sd_team_run(&w->team, (struct sd_team_job){touch, w}, 0, w->stop);
	if (rc == 0)
		rc = sd_team_run(&w->team, (struct sd_team_job){verify, w}, 1, w->stop);
	return rc;
}

static void end(struct load *w)
{
	sd_team_end(&w->team);
	sd_arena_free(&w->arena);
	free(w->job);
	w->job = NULL;
}

/* One number of traffic cores. */
static int one_team(struct loaded *l, unsigned cores)
{
	struct load w = {.at = NULL};
	struct sd_bench_row row;
	int rc = sd_core_sets_place(l->env->topology, SD_CORE_SETS_COMPACT, cores, &w.cpus);

	if (rc)
		return rc;
	row = sd_kernel_steps_row(&l->steps, &w.cpus, "ns", "traffic=%u", cores - 1);
	if (sd_samples_late(l->env)) {
		sd_cpulist_free(&w.cpus);
		return sd_rows_missing(l->rows, &row, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	}
	rc = start(l, &w, SD_PAGES_HUGE);
	if (rc == -ENOTSUP) {
		end(&w);
		w.why[0] = '\0';
		rc = start(l, &w, SD_PAGES_BASE);
	}
	if (rc == -ENOMEM)
		rc = sd_rows_missing(l->rows, &row, SD_STATUS_UNSUPPORTED,
			"not enough memory for %.1f GB",
			1e-9 * (double)(l->chased + w.slice * (cores - 1)));
	else if (rc)
		rc = sd_rows_error(l->rows, &row, rc);
	else if (sd_has(w.reuse) && w.reuse.value < SD_REUSE_DRAM)
		rc = sd_rows_missing(l->rows, &row, SD_STATUS_ABSENT,
			"refused: a cache served the chase (%.0f %% of memory's time)",
			100 * w.reuse.value);
	else {
		rc = find_steps(&w, l->env->quick ? 0.004 : 0.01);
		for (size_t m = 0; rc == 0 && m < sizeof mixes / sizeof *mixes; m++)
			rc = one_mix(l, &w, m);
	}
	end(&w);
	sd_cpulist_free(&w.cpus);
	return rc;
}

/* Teams of 2, 4, 8, … cores and all of them; quick: all of them. */
static size_t team_sizes(const struct sd_kernel_env *env, unsigned *size)
{
	const unsigned top = env->topology->granted < env->topology->n_core ? env->topology->granted
									    : env->topology->n_core;
	size_t n = 0;

	if (env->n_cores > 0)
		return sd_core_sets_counts(env, 2, size, COUNTS_MAX);
	for (unsigned c = 2; !env->quick && c < top && n + 1 < COUNTS_MAX; c *= 2)
		size[n++] = c;
	if (top >= 2)
		size[n++] = top;
	return n;
}

static int run_loaded(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct loaded l = {.env = env, .rows = rows, .steps = {.env = env, .kernel = "loaded"}};
	unsigned size[COUNTS_MAX];
	const size_t n = team_sizes(env, size);
	struct sd_llc_size need;
	int rc = 0;

	l.steps.begin = sd_clock_s();
	l.steps.total = n * (sizeof mixes / sizeof *mixes) * (sizeof paces / sizeof *paces);
	/* one array of three for the chaser; as much again, at least, is streamed over by the
	 * others */
	need = sd_llc_size(
		env->topology->llc_bytes, sd_llc_effective(env), 1, 1, sd_llc_memory(env));
	l.chased = l.traffic = (need.bytes / 3 + PAGE - 1) / PAGE * PAGE;
	if (n == 0 || need.bytes == 0) {
		const struct sd_bench_row row =
			sd_kernel_steps_row(&l.steps, NULL, "ns", "traffic=1");

		return sd_rows_missing(rows, &row, SD_STATUS_UNSUPPORTED, "%s",
			n == 0 ? "takes two cores" : need.why);
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = env->stop && *env->stop ? -EINTR : one_team(&l, size[i]);
	return rc;
}

const struct sd_kernel sd_kernel_loaded_latency = {
	.name = "loaded",
	.summary = "latency of memory on one core while others move data: read, 2:1 and 1:1",
	.weight = 4,
	.run = run_loaded,
};
