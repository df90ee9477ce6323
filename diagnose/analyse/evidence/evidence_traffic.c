#include "evidence/evidence_traffic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/stated.h"

/* METHODS 3: a rate that grows by less than a tenth while the cores double has stopped growing. */
#define PLATEAU 1.1

/* "Bytes total constant": counts of misses differ by a fifth between runs that do the same (METHODS
 * 7, HPCCG). */
#define CONSTANT .25

/* So many counts on a plateau are no accident of one run. */
#define PLATEAU_POINTS 3

/* The origin paper's "step function": from this share of its clocks on the bus is full. */
#define FULL .9

/* METHODS 1.12: loaded latency that far above the unloaded one is a queue. */
#define QUEUES 1.5

/* Roles that stand for memory traffic, best first. */
static const struct {
	enum sd_role role;
	int exact;
	const char *what;
} sources[] = {
	{SD_ROLE_DRAM_READ_LINES, 1, "lines read from memory"},
	{SD_ROLE_DRAM_LINES, 1, "lines from and to memory"},
	{SD_ROLE_LLC_LINES_IN, 1, "lines into the last-level cache"},
	{SD_ROLE_LLC_MISSES, 0, "misses of the last-level cache"},
	{SD_ROLE_LLC_LOAD_MISSES, 0, "load misses of the last-level cache"},
};

/* The first point from which on `rate` has stopped growing, over at least a doubling of
 * the cores. */
static size_t plateau(const struct sd_run_selection *c, const double *rate)
{
	size_t last = c->n_point - 1;

	for (size_t s = 0; s < last && c->point[last].n >= 2 * c->point[s].n; s++) {
		size_t i = s + 1;

		while (i <= last && rate[i] <= rate[s] * pow(PLATEAU, log2((double)c->point[i].n /
									      c->point[s].n)))
			i++;
		if (i > last)
			return s;
	}
	return c->n_point;
}

static int lines_of(const struct sd_run_selection *c, enum sd_role role, double *lines)
{
	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_role_counts counts;

		sd_role_counts_make(&c->point[i], NULL, &counts);
		if (!sd_has((struct sd_value){0, counts.role[role].status}) ||
			counts.role[role].weak || !(counts.role[role].value > 0))
			return 0;
		lines[i] = counts.role[role].value;
	}
	return 1;
}

/* 0, or -ENOMEM. */
static int compare_traffic(const struct sd_case *c, struct sd_evidence_traffic *out)
{
	const struct sd_run_selection *choice = c->choice;
	size_t n = choice->n_point;
	double *lines = calloc(3 * n + 1, sizeof *lines), *rate, *speed;

	*out = (struct sd_evidence_traffic){.from = n, .speed_from = n};
	if (!lines)
		return -ENOMEM;
	rate = lines + n;
	speed = rate + n;
	for (size_t k = 0; !out->what && k < sizeof sources / sizeof *sources; k++)
		if (lines_of(choice, sources[k].role, lines)) {
			out->what = sources[k].what;
			out->exact = sources[k].exact;
		}
	for (size_t i = 0; i < n; i++) {
		const struct sd_chosen *p = &choice->point[i];

		speed[i] = p->work / p->median_time;
		rate[i] = out->what ? lines[i] / p->median_time : 0;
		lines[i] /= p->work;
	}
	out->speed_from = plateau(choice, speed);
	if (out->what) {
		out->from = plateau(choice, rate);
		out->last = lines[n - 1] / lines[0];
		for (size_t i = out->from; i < n; i++)
			out->most = fmax(out->most, fabs(lines[i] / lines[0] - 1));
	}
	if (out->speed_from < n) {
		out->speed_change = speed[n - 1] / speed[out->speed_from] - 1;
		out->rate_change = out->what ? rate[n - 1] / rate[out->speed_from] - 1 : 0;
	}
	free(lines);
	return 0;
}

/* Has what the node can move stopped growing from that point on, too? 1, 0, -1 unknown. */
static int ceiling_is_flat(struct sd_case *c, struct sd_finding *f, size_t from)
{
	const struct sd_calibration *k = &c->record->calibration;
	const struct sd_chosen *p = &c->choice->point[from];
	struct sd_value a = sd_calibration_at(k, p->n), b = sd_calibration_at(k, c->last->n);
	struct sd_value one = sd_calibration_at(k, c->ref->n);
	double speedup = c->last->work * c->ref->median_time / c->last->median_time;

	if (!sd_has(a) || !sd_has(b))
		return -1;
	sd_case_say(c, f, "the node itself moves %.1f GB/s with %u cores and %.1f with %u",
		a.value / 1e9, p->n, b.value / 1e9, c->last->n);
	if (sd_has(one))
		sd_case_say(c, f,
			"%u cores move %.2f times what %u does, and the program is %.2f times as fast: "
			"it uses %.2f times the share of the bandwidth",
			c->last->n, b.value / one.value, c->ref->n, speedup,
			speedup * one.value / b.value);
	return b.value <= a.value * pow(PLATEAU, log2((double)c->last->n / p->n));
}

/* Single runs show what counts say of their loss, too: it is possible then. */
static int is_lost(const struct sd_case *c)
{
	return c->lost || sd_stated_one_run(c);
}

/* The curves at all points; 0: they say nothing. */
static int is_told(struct sd_case *c, struct sd_evidence_traffic *t)
{
	if (!c->model->row || !is_lost(c) || c->choice->n_point < 3)
		return 0;
	if (compare_traffic(c, t)) {
		c->rc = -ENOMEM;
		return 0;
	}
	return t->what != NULL;
}

int sd_evidence_traffic_plateau(struct sd_case *c, struct sd_finding *f, int *sure)
{
	const struct sd_run_selection *const choice = c->choice;
	const size_t n = choice->n_point;
	struct sd_evidence_traffic t;

	*sure = 0;
	if (!is_told(c, &t) || t.speed_from == n)
		return 0;
	if (t.from == n || t.most > CONSTANT) {
		sd_case_say(c, f,
			"from %u cores on the program gets no faster, but its %s a second still grow by %.0f %%: "
			"bandwidth, or memory of another node, undecided",
			choice->point[t.speed_from].cores, t.what, 100 * t.rate_change);
		ceiling_is_flat(c, f, t.speed_from);
		return 1;
	}
	sd_case_say(c, f,
		"%s a second stop growing at %u cores; for the same work they stay within %.0f %%",
		t.what, choice->point[t.from].cores, 100 * t.most);
	if (!t.exact)
		sd_case_say(c, f,
			"%s leave out what prefetchers bring in: they show the shape, not the bytes",
			t.what);
	*sure = ceiling_is_flat(c, f, t.from) > 0 && n - t.from >= PLATEAU_POINTS;
	if (*sure)
		sd_case_say(
			c, f, "seen at %zu core counts, which stand for repeated runs", n - t.from);
	return 1;
}

/* A table of STREAM's own rates says what memory moves: nothing else than its lines is its work. */
static int is_stream(const struct sd_chosen *p)
{
	const struct sd_role_count *const lines =
		p->n_run ? sd_run_role(p->run[0], SD_ROLE_DRAM_LINES) : NULL;

	return lines && strcmp(lines->source, "stream") == 0;
}

static int is_usable(struct sd_metric_eval_result m)
{
	return sd_metric_eval_usable(m) && m.value > 0;
}

/*
 * A bus that is busy for a share u of the time at n cores passes the reference's lines, 1 / l of
 * those, in u / l of it at best, whatever else is mended: n u / l - S of the cores are its own.
 */
int sd_evidence_traffic_full(struct sd_case *c, struct sd_finding *f, struct sd_interval *cores)
{
	const int stream = is_stream(c->last);
	const char *const name = stream ? "bandwidth-used" : "bus-utilisation";
	const struct sd_interval s = c->a->point[c->a->n_point - 1].speedup;
	const int bounded = sd_status_bounded(s);
	struct sd_metric_eval_result a, b;
	double lines, n = (double)c->last->n / c->ref->n, most;

	if (!c->model->row || !is_lost(c))
		return 0;
	a = sd_metric_eval_named(c->model, &c->before, name);
	b = sd_metric_eval_named(c->model, &c->after, name);
	if (!is_usable(a) || !is_usable(b) || b.value < FULL)
		return 0;
	/* that of STREAM's table is the same work at every count */
	lines = stream ? 1
		       : fmax(1, b.value * c->last->median_time /
					 (a.value * c->ref->median_time * c->last->work));
	most = n * fmin(1, b.value) / lines;
	*cores = (struct sd_interval){c->ref->n * (most - s.value),
		c->ref->n * (most - (bounded ? s.high : s.value)),
		c->ref->n * (most - (bounded ? s.low : s.value)), SD_STATUS_OK};
	if (cores->value < SD_CASE_GATE * c->loss->n)
		return 0;
	if (stream)
		sd_case_say(c, f,
			"what was measured is memory's bandwidth itself: %u cores move %.2f times what %u "
			"moves",
			c->last->cores, s.value, c->ref->cores);
	else
		sd_case_say(c, f,
			"data is on the bus for %.0f %% of its clocks (%.0f %% at %u core%s): it is full, "
			"and the same lines would fill it for %.0f %% of this time however fast the cores are",
			100 * b.value, 100 * a.value, c->ref->cores, c->ref->cores == 1 ? "" : "s",
			100 * most / n);
	if (!stream && c->ref->n == 1 && a.value < FULL)
		sd_case_say(c, f,
			"one core keeps it busy for %.0f %% of the time: it is full at %.1f such cores",
			100 * a.value, 1 / a.value);
	return 1;
}

int sd_evidence_traffic_queues(struct sd_case *c, struct sd_finding *f)
{
	static const char *const latency[] = {"bus-latency", "read-latency", "dram-read-latency"};
	struct sd_evidence_traffic t;

	if (!is_told(c, &t) || !t.exact || t.from == c->choice->n_point || t.most > CONSTANT)
		return 0;
	for (size_t i = 0; i < sizeof latency / sizeof *latency; i++) {
		const struct sd_metric_eval_result a =
			sd_metric_eval_named(c->model, &c->before, latency[i]);
		const struct sd_metric_eval_result b =
			sd_metric_eval_named(c->model, &c->after, latency[i]);

		if (!is_usable(a) || !is_usable(b) || b.value < QUEUES * a.value)
			continue;
		sd_case_say(c, f,
			"a line takes %.0f cycles at %u core%s and %.0f at %u, while no more of them come "
			"a second",
			a.value, c->ref->cores, c->ref->cores == 1 ? "" : "s", b.value,
			c->last->cores);
		return 1;
	}
	return 0;
}

double sd_evidence_traffic_lines(struct sd_case *c, struct sd_finding *f)
{
	struct sd_evidence_traffic t;

	if (!is_told(c, &t))
		return -1;
	if (t.last < 1 / (1 - SD_CASE_GATE))
		sd_case_say(c, f, "%s for the same work: %.2f times those at %u core%s", t.what,
			t.last, c->ref->cores, c->ref->cores == 1 ? "" : "s");
	else
		sd_case_say(c, f,
			"%.2f times the %s for the same work: the program would be at most so much faster without them, "
			"and is %.2f times slower than with full efficiency",
			t.last, t.what,
			(double)c->last->n / c->ref->n * c->last->median_time /
				(c->last->work * c->ref->median_time));
	return t.last;
}

int sd_evidence_traffic_remote(struct sd_case *c, struct sd_finding *f)
{
	const size_t n = c->choice->n_point;
	struct sd_evidence_traffic t;

	if (!is_told(c, &t) || t.speed_from == n || c->record->host.numa == 1 ||
		(t.from < n && t.most <= CONSTANT))
		return 0;
	sd_case_say(c, f,
		"from %u cores on the program gets no faster while its %s a second grow by %.0f "
		"%%: memory "
		"of another node, or bandwidth, undecided",
		c->choice->point[t.speed_from].cores, t.what, 100 * t.rate_change);
	return 1;
}

/* The cores, and a part of one, whose appetite reaches the ceiling; 0: none of those calibrated. */
static double full_at(const struct sd_calibration *k, double per_core)
{
	for (unsigned n = 1; k->n_ceiling && n <= k->ceiling[k->n_ceiling - 1].cores; n++) {
		struct sd_value limit = sd_calibration_at(k, n);

		if (sd_has(limit) && n * per_core >= .95 * limit.value)
			return fmax(n - 1, fmin(n, limit.value / per_core));
	}
	return 0;
}

void sd_evidence_traffic_say(struct sd_case *c, struct sd_finding *f)
{
	struct sd_metric_eval_result a =
		sd_metric_eval_named(c->model, &c->before, "memory-bandwidth");
	struct sd_metric_eval_result b =
		sd_metric_eval_named(c->model, &c->after, "memory-bandwidth");
	struct sd_metric_eval_result lines = sd_metric_eval_named(c->model, &c->before, "appetite");
	struct sd_value limit = sd_calibration_at(&c->record->calibration, c->last->n);
	double full;

	if (!sd_metric_eval_usable(a) || !sd_metric_eval_usable(b))
		return;
	sd_case_say(c, f, "%.2f GB/s at %u core%s, %.2f at %u%s", a.value / 1e9, c->ref->cores,
		c->ref->cores == 1 ? "" : "s", b.value / 1e9, c->last->cores,
		a.quality == SD_QUALITY_PROXY || b.quality == SD_QUALITY_PROXY
			? " (by a count that goes along with the traffic)"
			: "");
	if (sd_has(limit))
		sd_case_say(c, f, "this node's ceiling at %u cores is %.2f GB/s", c->last->n,
			limit.value / 1e9);
	if (c->ref->n != 1 || !sd_metric_eval_usable(lines))
		return;
	full = full_at(&c->record->calibration, a.value);
	if (full)
		sd_case_say(c, f,
			"one core asks for %.4f lines a cycle, %.2f GB/s: the bandwidth of this "
			"node is full at %.1f of its cores",
			lines.value, a.value / 1e9, full);
	else
		sd_case_say(c, f,
			"one core asks for %.4f lines a cycle, %.2f GB/s: %u ask for %.2f",
			lines.value, a.value / 1e9, c->last->n, a.value * c->last->n / 1e9);
}

int sd_evidence_traffic_falsified(struct sd_case *c, struct sd_finding *f)
{
	struct sd_metric_eval_result a =
		sd_metric_eval_named(c->model, &c->before, "memory-bandwidth");
	struct sd_metric_eval_result b =
		sd_metric_eval_named(c->model, &c->after, "memory-bandwidth");
	struct sd_value limit = sd_calibration_at(&c->record->calibration, c->last->n);
	double more = (double)c->last->n / c->ref->n;

	if (!sd_metric_eval_usable(a) || !sd_metric_eval_usable(b) || b.quality == SD_QUALITY_PROXY)
		return 0;
	/* in proportion to the cores, or less than half of what there is */
	if (b.value >= .9 * more * a.value) {
		sd_case_say(c, f,
			"against it: bytes a second still grow with the cores, %.1f times at %.1f",
			b.value / a.value, more);
		return 1;
	}
	if (sd_has(limit) && b.value < .5 * limit.value) {
		sd_case_say(c, f, "against it: only %.0f %% of the node's bandwidth is used",
			100 * b.value / limit.value);
		return 1;
	}
	return 0;
}
