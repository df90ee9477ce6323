#include "measure/earlier_record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/statistics.h"
#include "plan/one_run.h"
#include "plan/precision.h"
#include "plan/schedule.h"
#include "record/record_file.h"
#include "record/short_budget.h"

static int same_texts(const struct sd_texts *a, const struct sd_texts *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return 0;
	return a->n == b->n;
}

static int same_word(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static int is_the_same(const struct sd_record *a, const struct sd_record *b)
{
	return strcmp(a->host.name, b->host.name) == 0 && !a->program.attached &&
	       same_texts(&a->program.argv, &b->program.argv) &&
	       same_texts(&a->program.env, &b->program.env) &&
	       same_word(a->program.cwd, b->program.cwd) &&
	       same_word(a->program.rate, b->program.rate) &&
	       a->program.scaling == b->program.scaling;
}

/* The point of so many cores that was run; n_point: there is none. */
static size_t point_of(const struct sd_record *r, unsigned cores)
{
	size_t p = 0;

	while (p < r->plan.n_point &&
		(r->plan.point[p].cores != cores || r->plan.point[p].simulated))
		p++;
	return p;
}

static int same_passes(const struct sd_plan *a, const struct sd_plan *b)
{
	for (size_t i = 0; i < a->n_pass && i < b->n_pass; i++)
		if (a->pass[i].n_role != b->pass[i].n_role ||
			memcmp(a->pass[i].role, b->pass[i].role,
				a->pass[i].n_role * sizeof *a->pass[i].role) != 0)
			return 0;
	return a->n_pass == b->n_pass;
}

/* Every point counts the first passes; the others were chosen. */
static void take_chosen(struct sd_pass_list *out, const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run && out->n < SD_PASS_LIST; i++) {
		const unsigned pass = r->run[i].pass;
		size_t k = 0;

		while (k < out->n && out->pass[k] != pass)
			k++;
		if (k == out->n && pass >= sd_plan_turn(&r->plan))
			out->pass[out->n++] = pass;
	}
}

int sd_earlier_record_take(
	struct sd_earlier_record *out, const char *path, const struct sd_record *now)
{
	*out = (struct sd_earlier_record){0};
	if (sd_record_read_regular(path, &out->record, NULL) < 0 ||
		!is_the_same(&out->record, now)) {
		sd_record_free(&out->record);
		return 0;
	}
	out->usual = calloc(now->plan.n_point + 1, sizeof *out->usual);
	if (!out->usual)
		return -ENOMEM;
	if (same_passes(&out->record.plan, &now->plan))
		take_chosen(&out->first, &out->record);
	for (size_t p = 0; p < now->plan.n_point; p++) {
		const size_t old = point_of(&out->record, now->plan.point[p].cores);

		out->usual[p] =
			old < out->record.plan.n_point ? sd_schedule_wall(&out->record, old) : NAN;
	}
	return 0;
}

/* The times, or rates, of the point's runs; value[] has room for all of the record. */
static size_t values_of(const struct sd_record *r, size_t point, double *value)
{
	const enum sd_metric metric = r->program.rate ? SD_METRIC_RATE : SD_METRIC_WALL;
	size_t n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (sd_one_run_counts(&r->run[i], point) && sd_has(r->run[i].metric[metric]) &&
			r->run[i].metric[metric].value > 0)
			value[n++] = r->run[i].metric[metric].value;
	return n;
}

/* "the record of 14:05", or of another day. */
static void name_it(const struct sd_record *r, char *out, size_t size)
{
	const time_t then = r->n_run ? (time_t)r->run[0].start : 0, now = time(NULL);
	struct tm day = {0}, today = {0};

	if (then <= 0 || !localtime_r(&then, &day) || !localtime_r(&now, &today) ||
		!strftime(out, size,
			day.tm_yday == today.tm_yday && day.tm_year == today.tm_year ? "%H:%M"
										     : "%F %H:%M",
			&day))
		out[0] = '\0';
}

static void compare(const struct sd_record *old, size_t before, const struct sd_record *now,
	size_t after, const struct sd_sink *sink)
{
	double *const a = calloc(old->n_run + 1, sizeof *a);
	double *const b = calloc(now->n_run + 1, sizeof *b);
	const unsigned cores = now->plan.point[after].cores;
	const size_t n = a ? values_of(old, before, a) : 0, m = b ? values_of(now, after, b) : 0;
	double times, half;
	char when[32];

	name_it(old, when, sizeof when);
	if (n >= SD_SHORT_BUDGET_FEWEST && m >= SD_SHORT_BUDGET_FEWEST && when[0]) {
		half = sd_precision_ratio(a, n, b, m, now->plan.seed);
		times = sd_statistics_median(a, n) / sd_statistics_median(b, m);
		times = now->program.rate ? 1 / times : times;
		/* of a few runs the whole ranges have to be apart */
		if (n < SD_STATISTICS_FEW || m < SD_STATISTICS_FEW)
			half = a[0] > b[m - 1] || b[0] > a[n - 1] ? 0 : INFINITY;
		if (fabs(times - 1) > half * times)
			sd_say(sink, SD_LEVEL_NOTE,
				"on %u core%s %.2gx %s than the record of %s that this one "
				"replaces",
				cores, cores == 1 ? "" : "s", times > 1 ? times : 1 / times,
				times > 1 ? "faster" : "slower", when);
	}
	free(a);
	free(b);
}

void sd_earlier_record_say(
	const struct sd_earlier_record *e, const struct sd_record *now, const struct sd_sink *sink)
{
	for (size_t p = now->plan.n_point; e->usual && p-- > 0;) {
		const size_t old = point_of(&e->record, now->plan.point[p].cores);

		if (now->plan.point[p].simulated || old == e->record.plan.n_point)
			continue;
		compare(&e->record, old, now, p, sink);
		return;
	}
}

void sd_earlier_record_free(struct sd_earlier_record *e)
{
	sd_record_free(&e->record);
	free(e->usual);
	*e = (struct sd_earlier_record){0};
}
