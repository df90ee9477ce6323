#include "metrics/os_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* How a row is made from a run on n cores; `m` is the row's metric. */
typedef struct sd_value make_fn(const struct sd_run *run, unsigned n, enum sd_metric m);

static struct sd_value ratio(struct sd_value a, struct sd_value b, double factor)
{
	if (!sd_run_parts_usable(a))
		return (struct sd_value){.status = sd_has(a) ? SD_STATUS_ABSENT : a.status};
	if (!sd_run_parts_usable(b) || b.value <= 0)
		return (struct sd_value){.status = sd_has(b) ? SD_STATUS_ABSENT : b.status};
	return (struct sd_value){a.value / b.value * factor, a.status};
}

static struct sd_value raw(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], SD_OK(1), 1);
}

static struct sd_value per_second(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], run->metric[SD_METRIC_WALL], 1);
}

static struct sd_value percent_of_wall(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], run->metric[SD_METRIC_WALL], 100);
}

static struct sd_value percent_of_cores(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	return ratio(run->metric[m], run->metric[SD_METRIC_WALL], 100. / n);
}

static struct sd_value percent_of_periods(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], run->metric[SD_METRIC_PERIODS], 100);
}

/* Share of the CPU time that did not spin, as far as samples tell. */
static double working(const struct sd_run_parts *p)
{
	double system = p->part[SD_PART_SYSTEM], all = sd_run_parts_user(p) + system;

	return all > 0 ? (p->part[SD_PART_USER] + system) / all : 1;
}

/* A launcher, helper threads and ticks of the clock that are charged whole may have more CPU time
 * than the program's cores have: it uses no more than all of them. */
static struct sd_value no_more_than(unsigned n, struct sd_value cores)
{
	cores.value = sd_has(cores) ? fmin(cores.value, n) : cores.value;
	return cores;
}

/* Effective over total cycles, in cores, without the spinning (DESIGN 7). */
static struct sd_value parallelism(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	struct sd_value cpu = ratio(run->metric[m], run->metric[SD_METRIC_TSC_HZ], 1);
	struct sd_run_parts p;

	if (!sd_has(cpu)) /* most machines: nothing to split the run for */
		return cpu;
	sd_run_parts_split(run, n, &p);
	return no_more_than(n, ratio(cpu, run->metric[SD_METRIC_WALL], working(&p)));
}

static struct sd_value cpu_parallelism(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	struct sd_run_parts p;

	(void)m;
	if (!(sd_run_parts_split(run, n, &p) & SD_RUN_PARTS_CPU))
		return (struct sd_value){.status = run->metric[SD_METRIC_USER].status};
	return no_more_than(n, SD_OK((p.part[SD_PART_USER] + p.part[SD_PART_SYSTEM]) * n));
}

static struct sd_value line(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	struct sd_value a = ratio(run->metric[m], SD_OK(1), 1);
	struct sd_value b = ratio(run->metric[SD_METRIC_LINE_AFTER], SD_OK(1), 1);

	(void)n;
	if (sd_has(a) && sd_has(b))
		return SD_OK((a.value + b.value) / 2 * 1e9);
	return (struct sd_value){
		(sd_has(a) ? a.value : b.value) * 1e9, sd_has(a) ? a.status : b.status};
}

static struct sd_value ipc(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], run->metric[SD_METRIC_CYCLES], 1);
}

static struct sd_value clock_rate(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	return ratio(run->metric[m], run->metric[SD_METRIC_USER], 1e-9);
}

static struct sd_value threads(const struct sd_run *run, unsigned n, enum sd_metric m)
{
	(void)n;
	(void)m;
	return run->n_thread_seen ? SD_OK((double)run->n_thread_seen) : SD_NOT(ABSENT);
}

static const struct {
	const char *name, *unit, *source;
	make_fn *make;
	enum sd_metric metric;
} rows[] = {
	{"parallelism", "cores", "perf", parallelism, SD_METRIC_TSC_CYCLES},
	{"cpu-parallelism", "cores", "os", cpu_parallelism, SD_METRIC_USER},
	{"user-time", "s", "os", raw, SD_METRIC_USER},
	{"system-time", "s", "os", raw, SD_METRIC_SYSTEM},
	{"throughput", "1/s", "program", raw, SD_METRIC_RATE},
	{"latency-p50", "s", "program", raw, SD_METRIC_LATENCY_P50},
	{"latency-p99", "s", "program", raw, SD_METRIC_LATENCY_P99},
	{"run-delay", "s", "os", raw, SD_METRIC_RUN_DELAY},
	{"voluntary-switches", "1/s", "os", per_second, SD_METRIC_VOLUNTARY_SWITCHES},
	{"involuntary-switches", "1/s", "os", per_second, SD_METRIC_INVOLUNTARY_SWITCHES},
	{"migrations", "1/s", "os", per_second, SD_METRIC_MIGRATIONS},
	{"minor-faults", "1/s", "os", per_second, SD_METRIC_MINOR_FAULTS},
	{"major-faults", "1/s", "os", per_second, SD_METRIC_MAJOR_FAULTS},
	{"block-read", "bytes/s", "os", per_second, SD_METRIC_BLOCK_READ},
	{"block-written", "bytes/s", "os", per_second, SD_METRIC_BLOCK_WRITTEN},
	{"block-wait", "s", "os", raw, SD_METRIC_BLKIO_WAIT},
	{"throttled", "% of the cores", "os", percent_of_cores, SD_METRIC_THROTTLED},
	{"throttled-periods", "% of periods", "os", percent_of_periods,
		SD_METRIC_THROTTLED_PERIODS},
	{"psi-cpu", "% of the time", "os", percent_of_wall, SD_METRIC_PSI_CPU},
	{"psi-io", "% of the time", "os", percent_of_wall, SD_METRIC_PSI_IO},
	{"psi-memory", "% of the time", "os", percent_of_wall, SD_METRIC_PSI_MEMORY},
	{"core-width", "additions", "os", raw, SD_METRIC_WIDTH},
	{"core-width-least", "additions", "os", raw, SD_METRIC_WIDTH_LEAST},
	{"core-width-whole", "additions", "os", raw, SD_METRIC_WIDTH_MOST},
	{"steal", "% of the cores", "os", percent_of_cores, SD_METRIC_STEAL},
	{"foreign", "% of the cores", "os", percent_of_cores, SD_METRIC_FOREIGN},
	{"max-rss", "bytes", "os", raw, SD_METRIC_MAX_RSS},
	{"threads", "threads", "os", threads, SD_METRIC_WALL},
	{"instructions", "instructions", "perf", raw, SD_METRIC_INSTRUCTIONS},
	{"ipc", "instructions/cycle", "perf", ipc, SD_METRIC_INSTRUCTIONS},
	{"clock", "GHz", "perf", clock_rate, SD_METRIC_CYCLES},
	{"line-transfer", "ns", "probe", line, SD_METRIC_LINE_BEFORE},
	{"measuring-cost", "% of the cores", "os", percent_of_cores, SD_METRIC_POLL_CPU},
	{"polls", "samples", "os", raw, SD_METRIC_POLLS},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A row's values of the runs that have them. */
struct collected {
	double *value;
	size_t n;
	enum sd_status status; /* the first one that is not ok */
};

/* All rows in one pass: many runs do not stay in the caches from one row to the next. */
static void collect(const struct sd_chosen *p, struct collected *c)
{
	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0; i < ROWS; i++) {
			const struct sd_value x = rows[i].make(p->run[j], p->n, rows[i].metric);

			if (sd_has(x) && isfinite(x.value))
				c[i].value[c[i].n++] = x.value;
			if (j == 0 || c[i].status == SD_STATUS_OK)
				c[i].status = x.status;
		}
}

static struct sd_interval over_runs(const struct collected *c, const struct sd_chosen *p)
{
	struct sd_interval v = sd_statistics_order(c->value, c->n);

	if (p->exact && c->n == 1) /* it does not vary */
		v.low = v.high = v.value;
	if (c->n == 0)
		v.status = sd_has((struct sd_value){0, c->status}) ? SD_STATUS_ABSENT : c->status;
	else if (c->n < p->n_run || c->status != SD_STATUS_OK)
		v.status = SD_STATUS_NOISY; /* not from all runs, or not counted all the time */
	return v;
}

int sd_os_metrics_fill(const struct sd_chosen *p, struct sd_point *point)
{
	double *const scratch = calloc(ROWS * p->n_run, sizeof *scratch);
	struct collected c[ROWS];

	point->shown = calloc(ROWS, sizeof *point->shown);
	if (!scratch || !point->shown) {
		free(scratch);
		return -ENOMEM;
	}
	point->n_shown = ROWS;
	for (size_t i = 0; i < ROWS; i++)
		c[i] = (struct collected){
			.value = scratch + i * p->n_run, .status = SD_STATUS_ABSENT};
	collect(p, c);
	for (size_t i = 0; i < ROWS; i++)
		point->shown[i] = (struct sd_shown){
			.name = rows[i].name,
			.unit = rows[i].unit,
			.source = rows[i].source,
			.value = over_runs(&c[i], p),
		};
	/* The first two rows are the degree of parallelism, from cycles or else from CPU time. */
	point->parallelism =
		point->shown[point->shown[0].value.status == SD_STATUS_OK ? 0 : 1].value;
	free(scratch);
	return 0;
}

static struct sd_value median_of(const struct sd_chosen *p, enum sd_metric metric, make_fn *make)
{
	double *v = calloc(p->n_run, sizeof *v);
	struct sd_value out = SD_NOT(ABSENT);
	size_t n = 0;

	for (size_t j = 0; v && j < p->n_run; j++) {
		struct sd_value x = make(p->run[j], p->n, metric);

		if (sd_has(x) && isfinite(x.value))
			v[n++] = x.value;
	}
	if (n)
		out = SD_OK(sd_statistics_median(v, n));
	free(v);
	return out;
}

struct sd_value sd_os_metrics_median(const struct sd_chosen *p, enum sd_metric metric)
{
	return median_of(p, metric, raw);
}

struct sd_value sd_os_metrics_rate(const struct sd_chosen *p, enum sd_metric metric)
{
	return median_of(p, metric, per_second);
}

double sd_os_metrics_usable(const struct sd_chosen *p)
{
	double most = 0;

	for (size_t i = 0; i < p->n_run; i++) {
		const struct sd_value v = p->run[i]->metric[SD_METRIC_USABLE];

		if (!sd_has(v) || !(v.value >= 1))
			return p->n;
		most = fmax(most, v.value);
	}
	return p->n_run ? fmin(most, p->n) : p->n;
}

struct sd_value sd_os_metrics_crowded(const struct sd_chosen *p, unsigned *most)
{
	const size_t usable = (size_t)sd_os_metrics_usable(p);
	double sum = 0;

	*most = 0;
	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_run *const r = p->run[j];

		if (!r->n_concurrency || !sd_has(r->metric[SD_METRIC_WALL]))
			return SD_NOT(ABSENT);
		for (size_t k = usable + 1; k < r->n_concurrency; k++) {
			sum += r->concurrency[k] / r->metric[SD_METRIC_WALL].value;
			if (r->concurrency[k] > 0 && k > *most)
				*most = (unsigned)k;
		}
	}
	return p->n_run ? SD_OK(fmin(1, sum / (double)p->n_run)) : SD_NOT(ABSENT);
}

struct sd_value sd_os_metrics_bound(const struct sd_chosen *p)
{
	double sum = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_value cores = per_second(p->run[j], p->n, SD_METRIC_BOUND_WAIT);

		if (!sd_has(cores))
			return SD_NOT(ABSENT);
		sum += cores.value;
	}
	return p->n_run ? SD_OK(sum / (double)p->n_run) : SD_NOT(ABSENT);
}
