#include "e2e/e2e.h"

#include <math.h>
#include <string.h>

#include "record/cause.h"
#include "support/contradictions.h"

const json_t *e2e_report(struct e2e *e, const struct e2e_result *r)
{
	json_error_t error;

	json_decref(e->report);
	e->report = json_loadb(r->out, r->n_out, 0, &error);
	if (!e->report)
		fail_msg("not JSON: line %d: %s\n--- out\n%.4000s\n--- err\n%.4000s", error.line,
			error.text, r->out, r->err);
	e2e_check_report(e->report);
	return e->report;
}

static double number(const json_t *object, const char *key)
{
	const json_t *const v = json_object_get(object, key);

	if (!json_is_number(v))
		fail_msg("no number \"%s\"", key);
	return json_number_value(v);
}

static int is_interval(const json_t *v)
{
	return json_is_object(v) && json_is_number(json_object_get(v, "value"));
}

static void check_ends(const json_t *v)
{
	const double low = number(v, "low"), value = number(v, "value"), high = number(v, "high");

	assert_true(isfinite(low) && isfinite(value) && isfinite(high));
	/* the point estimate may sit on an end, rounding included */
	assert_true(low <= value + 1e-9 * fabs(value) + 1e-12);
	assert_true(value <= high + 1e-9 * fabs(value) + 1e-12);
}

/* low <= value <= high; both ends are null where too few runs know them. */
static void check_interval(const json_t *v)
{
	if (json_is_null(json_object_get(v, "low")) && json_is_null(json_object_get(v, "high"))) {
		assert_true(isfinite(number(v, "value")));
		return;
	}
	check_ends(v);
}

static void check_stack(const json_t *point, double n)
{
	const json_t *const stack = json_object_get(point, "stack");
	const json_t *part;
	double sum = 0;
	size_t i;

	assert_true(json_is_array(stack) && json_array_size(stack) > 0);
	json_array_foreach(stack, i, part)
	{
		const json_t *const cores = json_object_get(part, "cores");

		assert_true(json_is_string(json_object_get(part, "component")));
		check_interval(cores);
		sum += number(cores, "value");
	}
	if (fabs(sum - n) > 1e-9)
		fail_msg("the stack sums to %.17g, not %g", sum, n);
}

static void check_point(const json_t *point)
{
	static const char *const name[] = {"wall_s", "speedup", "efficiency"};
	const double n = number(point, "n");
	const json_t *v[3];

	assert_true(n >= 1 && n <= number(point, "cores") && number(point, "runs") >= 0);
	for (size_t i = 0; i < 3; i++) {
		v[i] = json_object_get(point, name[i]);
		if (!is_interval(v[i]))
			return; /* a point none of whose runs can be used */
		check_interval(v[i]);
	}
	check_stack(point, n);
}

/*
 * Every report: schema 1, numbers within their intervals, stacks that sum to N within
 * 1e-9, every cause once with a verdict that exists, and no two facts that contradict each other.
 */
void e2e_check_report(const json_t *report)
{
	static const char *const verdicts[] = {
		"confirmed", "likely", "possible", "ruled-out", "not-measurable"};
	const json_t *const points = json_object_get(report, "points");
	const json_t *const findings = json_object_get(report, "findings");
	const json_t *item;
	char said[4096];
	size_t i;

	assert_true(json_integer_value(json_object_get(report, "schema")) == 1);
	assert_true(json_array_size(points) > 0);
	assert_int_equal(json_array_size(findings), SD_CAUSE_COUNT);
	json_array_foreach(points, i, item) check_point(item);
	json_array_foreach(findings, i, item)
	{
		const char *const verdict = json_string_value(json_object_get(item, "verdict"));
		size_t known = 0;

		assert_non_null(verdict);
		assert_non_null(json_string_value(json_object_get(item, "cause")));
		while (known < 5 && strcmp(verdicts[known], verdict) != 0)
			known++;
		assert_true(known < 5);
	}
	if (contradictions_in(report, said, sizeof said))
		fail_msg("the report contradicts itself:\n%s", said);
}

const json_t *e2e_point(const json_t *report, unsigned cores)
{
	const json_t *point;
	size_t i;

	json_array_foreach(json_object_get(report, "points"), i, point)
	{
		if (json_number_value(json_object_get(point, "cores")) == cores)
			return point;
	}
	fail_msg("no point of %u cores", cores);
	return NULL;
}

double e2e_component(const json_t *report, unsigned cores, const char *name)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(e2e_point(report, cores), "stack"), i, part)
	{
		if (strcmp(json_string_value(json_object_get(part, "component")), name) == 0)
			return number(json_object_get(part, "cores"), "value");
	}
	return 0;
}

const char *e2e_verdict(const json_t *report, const char *cause)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (strcmp(json_string_value(json_object_get(finding, "cause")), cause) == 0)
			return json_string_value(json_object_get(finding, "verdict"));
	}
	fail_msg("no finding for %s", cause);
	return NULL;
}

const char *e2e_largest_loss(const json_t *report, unsigned cores, double *factor)
{
	const char *name = "";
	double most = 0, next = 0;
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(e2e_point(report, cores), "stack"), i, part)
	{
		const char *const component = json_string_value(json_object_get(part, "component"));
		const double value = number(json_object_get(part, "cores"), "value");

		if (strcmp(component, "useful") == 0)
			continue;
		if (value > most) {
			next = most;
			most = value;
			name = component;
		} else if (value > next) {
			next = value;
		}
	}
	*factor = next > 0 ? most / next : INFINITY;
	return name;
}

void e2e_show(const json_t *report)
{
	const json_t *point, *part;
	size_t i, j;

	json_array_foreach(json_object_get(report, "points"), i, point)
	{
		fprintf(stderr, "# %g cores:", number(point, "cores"));
		json_array_foreach(json_object_get(point, "stack"), j, part)
		{
			const double cores = number(json_object_get(part, "cores"), "value");

			if (fabs(cores) >= 0.005)
				fprintf(stderr, " %s %.3f",
					json_string_value(json_object_get(part, "component")),
					cores);
		}
		fputc('\n', stderr);
	}
	json_array_foreach(json_object_get(report, "warnings"), i, part)
		fprintf(stderr, "# %s\n", json_string_value(part));
}

long e2e_runs_in(const char *path)
{
	FILE *const f = fopen(path, "r");
	json_t *record = f ? json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	long n = record ? 0 : -1;

	/* while it is measured, lines stand behind it, of which the last may be no whole one yet */
	while (record) {
		n += (long)json_array_size(json_object_get(record, "runs"));
		json_decref(record);
		record = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
	}
	if (f)
		fclose(f);
	return n;
}

int e2e_has_flag(const json_t *run, const char *name)
{
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(run, "flags"), i, flag)
	{
		if (strcmp(json_string_value(flag), name) == 0)
			return 1;
	}
	return 0;
}

double e2e_metric(const json_t *run, const char *name)
{
	const json_t *const v = json_object_get(json_object_get(run, "metrics"), name);

	return json_number_value(json_is_object(v) ? json_object_get(v, "value") : v);
}
