#include "analysis/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum sd_status worse(struct sd_interval a, struct sd_interval b)
{
	return a.status == SD_STATUS_NOISY || b.status == SD_STATUS_NOISY ? SD_STATUS_NOISY
									  : SD_STATUS_OK;
}

struct sd_interval sd_compare_difference(struct sd_interval a, struct sd_interval b)
{
	const double d = a.value - b.value;

	if (!sd_status_measured(a) || !sd_status_measured(b))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	return (struct sd_interval){
		.value = d,
		.low = d - hypot(a.value - a.low, b.high - b.value),
		.high = d + hypot(a.high - a.value, b.value - b.low),
		.status = worse(a, b),
	};
}

static struct sd_interval logarithm(struct sd_interval v)
{
	return (struct sd_interval){log(v.value), log(v.low), log(v.high), v.status};
}

struct sd_interval sd_compare_ratio(struct sd_interval a, struct sd_interval b)
{
	struct sd_interval d;

	if (!sd_status_measured(a) || !sd_status_measured(b) || !(a.value > 0) || !(b.value > 0))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (!sd_status_bounded(a) || !sd_status_bounded(b))
		return sd_status_unbounded(a.value / b.value, worse(a, b));
	if (!(a.low > 0) || !(b.low > 0))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	d = sd_compare_difference(logarithm(a), logarithm(b));
	return (struct sd_interval){exp(d.value), exp(d.low), exp(d.high), d.status};
}

/* Against `none`; one run on a side has no interval and shows nothing. */
static enum sd_change change(struct sd_interval v, double none)
{
	if (!sd_status_bounded(v))
		return SD_CHANGE_UNKNOWN;
	return v.low > none ? SD_CHANGE_MORE : v.high < none ? SD_CHANGE_LESS : SD_CHANGE_NOISE;
}

/* Cores over the run's time; the time is common to all parts, so its noise is left out. */
static struct sd_interval seconds(struct sd_interval cores, double time)
{
	return (struct sd_interval){
		cores.value * time, cores.low * time, cores.high * time, cores.status};
}

/* Sets the interval to `none`: two ends with the very same runs have no noise between them. */
static struct sd_interval none_between(double none, struct sd_interval v)
{
	return sd_status_measured(v) ? (struct sd_interval){none, none, none, v.status} : v;
}

static void compare_parts(
	const struct sd_point *b, const struct sd_point *a, int same, struct sd_compared_point *out)
{
	/* a part that one stack lacks was not measured there: unknown, not 0 */
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		struct sd_compared_part *p = &out->part[out->n_part];

		if (!sd_status_measured(b->stack[k]) && !sd_status_measured(a->stack[k]))
			continue;
		out->n_part++;
		*p = (struct sd_compared_part){.component = (enum sd_component)k};
		p->before = seconds(b->stack[k], b->wall.value);
		p->after = seconds(a->stack[k], a->wall.value);
		p->difference = sd_compare_difference(p->after, p->before);
		if (same)
			p->difference = none_between(0, p->difference);
		p->change = change(p->difference, 0);
	}
}

/* The machine drifted while one of the two was measured: by so much at most its times may
 * be off. */
static double drifted(const struct sd_analysis *a)
{
	return a->no_verdict && sd_has(a->drift) ? 1 + fabs(a->drift.value) : 1;
}

static struct sd_interval times(struct sd_interval v, double factor)
{
	return (struct sd_interval){v.value * factor, v.low * factor, v.high * factor, v.status};
}

/* Both with the time that they are compared by as their wall time. */
static void compare_point(const struct sd_point *b, const struct sd_point *a, int same,
	double drift, struct sd_compared_point *out)
{
	enum sd_change faster;

	*out = (struct sd_compared_point){
		.cores = b->cores,
		.wall_before = b->wall,
		.wall_after = a->wall,
		.gain = sd_compare_ratio(b->wall, a->wall),
		.efficiency_before = b->efficiency,
		.efficiency_after = a->efficiency,
	};
	if (same) {
		out->gain = none_between(1, out->gain);
	} else {
		out->gain.low /= drift;
		out->gain.high *= drift;
	}
	faster = change(out->gain, 1);
	out->time = faster == SD_CHANGE_MORE   ? SD_CHANGE_LESS
		    : faster == SD_CHANGE_LESS ? SD_CHANGE_MORE
					       : faster;
	compare_parts(b, a, same, out);
}

static const struct sd_point *point_of(const struct sd_analysis *a, unsigned cores)
{
	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].cores == cores)
			return &a->point[i];
	return NULL;
}

/* A run by its start: no two of a machine start at the same moment. Imported ones have none. */
static int same_run(const struct sd_run *a, const struct sd_run *b)
{
	const struct sd_value x = a->metric[SD_METRIC_WALL], y = b->metric[SD_METRIC_WALL];

	return a->start > 0 && a->kind == b->kind && a->point == b->point && a->start == b->start &&
	       x.status == y.status && x.value == y.value;
}

/* A record and itself, or a copy of it: whatever was made of its runs, there is no difference. */
static int same_runs(const struct sd_record *a, const struct sd_record *b)
{
	size_t i = 0;

	while (i < a->n_run && i < b->n_run && same_run(&a->run[i], &b->run[i]))
		i++;
	return i > 0 && i == a->n_run && i == b->n_run;
}

static int compare_points(const struct sd_analysis *before, const struct sd_analysis *after,
	struct sd_comparison *out)
{
	const double drift = drifted(before) * drifted(after);
	/* a throughput's times are for the work of its own record's runs */
	const double work = before->work > 0 && after->work > 0 ? before->work / after->work : 1;
	size_t timed = 0;

	out->point = calloc(before->n_point + 1, sizeof *out->point);
	if (!out->point)
		return -ENOMEM;
	for (size_t i = 0; i < before->n_point; i++) {
		const struct sd_point *const now = point_of(after, before->point[i].cores);
		struct sd_point b = before->point[i], a;

		if (!now)
			continue;
		a = *now;
		b.wall = sd_point_time(before, &b);
		a.wall = times(sd_point_time(after, &a), work);
		compare_point(&b, &a, out->same_runs, drift, &out->point[out->n_point]);
		timed += (size_t)sd_status_measured(out->point[out->n_point++].gain);
	}
	if (!timed)
		return -ENODATA;
	out->verdict = out->point[out->n_point - 1].time;
	return 0;
}

static int named(const struct sd_finding *f)
{
	return f && (f->verdict == SD_VERDICT_CONFIRMED || f->verdict == SD_VERDICT_LIKELY ||
			    f->verdict == SD_VERDICT_POSSIBLE);
}

static const struct sd_finding *finding_of(const struct sd_analysis *a, enum sd_cause cause)
{
	for (size_t i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == cause)
			return &a->finding[i];
	return NULL;
}

/* Cores that the cause may have at most: its own bound, or that of the parts of the stack that it
 * shows in, with what nobody accounted for. */
static double at_most(const struct sd_analysis *a, const struct sd_finding *f)
{
	const struct sd_interval *const stack = a->n_point ? a->point[a->n_point - 1].stack : NULL;
	double most = 0;
	int seen = 0;

	if (!f || !stack || a->no_verdict)
		return INFINITY;
	if (sd_status_measured(f->cores) && sd_status_bounded(f->cores))
		return f->cores.high;
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		const int growth = k == SD_COMPONENT_GROWTH || k == SD_COMPONENT_CPI_OTHER;
		const int own = sd_component_info[k].cause == f->cause || (growth && f->of_growth);

		if (!sd_status_measured(stack[k]) || !(own || k == SD_COMPONENT_UNACCOUNTED))
			continue;
		if (!sd_status_bounded(stack[k]))
			return INFINITY;
		seen |= own;
		most += fmax(0, stack[k].high);
	}
	return seen ? most : INFINITY;
}

/* Sure, and now at most half of what it then was at least: of less work the rest may be gone. */
static int shrank(const struct sd_finding *b, double most_after)
{
	return b && b->verdict <= SD_VERDICT_LIKELY && sd_status_measured(b->cores) &&
	       sd_status_bounded(b->cores) && 2 * most_after <= b->cores.low;
}

static enum sd_fate fate(const struct sd_finding *b, const struct sd_finding *a, double most_after)
{
	if (named(b) && !(a && a->verdict == SD_VERDICT_RULED_OUT) && shrank(b, most_after))
		return SD_FATE_SHRANK;
	if (named(b) && named(a))
		return SD_FATE_STAYED;
	if (!named(a) && !named(b))
		return SD_FATE_NEVER;
	if (named(a))
		return b && b->verdict == SD_VERDICT_RULED_OUT ? SD_FATE_CAME : SD_FATE_UNKNOWN;
	return a && a->verdict == SD_VERDICT_RULED_OUT ? SD_FATE_WENT : SD_FATE_UNKNOWN;
}

static void compare_causes(const struct sd_analysis *before, const struct sd_analysis *after,
	struct sd_comparison *out)
{
	/* cores of as many */
	const int comparable =
		before->n_point && after->n_point &&
		before->point[before->n_point - 1].n == after->point[after->n_point - 1].n;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *b = finding_of(before, (enum sd_cause)i);
		const struct sd_finding *a = finding_of(after, (enum sd_cause)i);
		const double most = comparable ? at_most(after, a) : INFINITY;

		out->cause[i] = (struct sd_compared_cause){
			.cause = (enum sd_cause)i,
			.fate = fate(b, a, most),
			.most_after = most,
			.before = b ? b->verdict : SD_VERDICT_NOT_MEASURABLE,
			.after = a ? a->verdict : SD_VERDICT_NOT_MEASURABLE,
		};
		if (b)
			out->cause[i].cores_before = b->cores;
		if (a)
			out->cause[i].cores_after = a->cores;
	}
}

/* The program's name without its folder: a change of it is often measured from another one. */
static const char *name_of(const struct sd_record *r)
{
	const char *const name = r->program.argv.n ? r->program.argv.text[0] : "";
	const char *const slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/* Not the first one: that is the program. */
static int same_arguments(const struct sd_texts *a, const struct sd_texts *b)
{
	if (a->n != b->n)
		return 0;
	for (size_t i = 1; i < a->n; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return 0;
	return 1;
}

/* The kernel stands in each record; the other facts where the machine told them. */
static int compare_setup(const struct sd_host *b, const struct sd_host *a, struct sd_texts *out)
{
	int rc = 0;

	if (strcmp(b->kernel, a->kernel) != 0)
		rc |= sd_texts_add(
			out, "the kernel changed in between (%s, %s)", b->kernel, a->kernel);
	for (size_t i = 0; i < SD_NODE_FACT_COUNT; i++) {
		const char *const before = b->setup.text[i], *const after = a->setup.text[i];

		if (i != SD_NODE_FACT_KERNEL && *before && *after && strcmp(before, after) != 0)
			rc |= sd_texts_add(out,
				"the machine was set up otherwise: %s %s before, %s after",
				sd_node_fact_label[i], before, after);
	}
	return rc;
}

/* The median wall of what is asked for differs by what else differs, too: say all of that. */
static int compare_conditions(const struct sd_record *b, const struct sd_analysis *ba,
	const struct sd_record *a, const struct sd_analysis *aa, int same, struct sd_texts *out)
{
	int rc = 0;

	if (strcmp(b->host.name, a->host.name) != 0 || strcmp(b->host.cpu, a->host.cpu) != 0)
		rc |= sd_texts_add(out,
			"the two were measured on different machines (%s, %s): times do not compare",
			b->host.name, a->host.name);
	else
		rc |= compare_setup(&b->host, &a->host, out);
	if (b->program.build && a->program.build && strcmp(b->program.build, a->program.build) != 0)
		rc |= sd_texts_add(out, "compiled otherwise: %s before, %s after", b->program.build,
			a->program.build);
	if (b->host.granted != a->host.granted)
		rc |= sd_texts_add(out, "%u CPUs were granted before, %u after", b->host.granted,
			a->host.granted);
	if (b->program.scaling != a->program.scaling)
		rc |= sd_texts_add(out, "one scales strongly, the other weakly");
	if (b->program.placement != a->program.placement)
		rc |= sd_texts_add(out, "the threads were placed differently");
	if ((ba->work > 0) != (aa->work > 0))
		rc |= sd_texts_add(out,
			"of one the throughput is measured, of the other the time: they do not compare");
	if (strcmp(name_of(b), name_of(a)) != 0)
		rc |= sd_texts_add(out,
			"these are different programs (%s before, %s after), unless it was only renamed",
			*name_of(b) ? name_of(b) : "?", *name_of(a) ? name_of(a) : "?");
	if (!same_arguments(&b->program.argv, &a->program.argv))
		rc |= sd_texts_add(out, "the program's arguments differ");
	if (sd_has(ba->state_line[0]) && sd_has(aa->state_line[0]) &&
		(ba->state_line[0].value > 1.8 * aa->state_line[0].value ||
			aa->state_line[0].value > 1.8 * ba->state_line[0].value))
		rc |= sd_texts_add(out,
			"the machine was in another state: a cache line moved between its CPUs in "
			"%.0f ns before, in %.0f ns after",
			ba->state_line[0].value * 1e9, aa->state_line[0].value * 1e9);
	if (ba->no_verdict && !same)
		rc |= sd_texts_add(out, "before: %s", ba->no_verdict);
	if (aa->no_verdict && !same)
		rc |= sd_texts_add(out, "after: %s", aa->no_verdict);
	return rc ? -ENOMEM : 0;
}

int sd_compare(const struct sd_record *before_record, const struct sd_analysis *before,
	const struct sd_record *after_record, const struct sd_analysis *after,
	struct sd_comparison *out)
{
	int rc;

	*out = (struct sd_comparison){.verdict = SD_CHANGE_UNKNOWN};
	out->same_runs = same_runs(before_record, after_record);
	out->work = before->work > 0 && after->work > 0 ? before->work : 0;
	compare_causes(before, after, out);
	rc = compare_conditions(
		before_record, before, after_record, after, out->same_runs, &out->warnings);
	return rc ? rc : compare_points(before, after, out);
}
