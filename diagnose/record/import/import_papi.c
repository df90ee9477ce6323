/* The JSON of PAPI's high-level API (PAPI_hl_region_begin): counts of each region of each thread.
 */
#include "import/import.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/event_counts.h"

struct papi {
	const struct sd_import_text *t;
	struct sd_event_counts counts;
	struct sd_run run;
	double wall, cpu; /* s: of the longest thread; of all threads, < 0 not counted */
	unsigned threads;
};

/* Numbers are texts in some versions, and with PAPI_hl_read an object. 1 and *out; 0: none. */
static int number(const json_t *v, double *out)
{
	if (json_is_object(v))
		v = json_object_get(v, "region_value");
	if (json_is_string(v))
		return sd_number_double(json_string_value(v), 0, 1e18, out) == 0;
	*out = json_is_number(v) ? json_number_value(v) : -1;
	return *out >= 0 && *out <= 1e18;
}

static int is_outermost(const json_t *region)
{
	const json_t *const parent = json_object_get(region, "parent_region_id");
	const char *const text = json_string_value(parent);

	return !parent || (text ? strcmp(text, "-1") == 0 : json_integer_value(parent) == -1);
}

/* A count of a region: TSC cycles that passed are no count of the program's. */
static int take_count(struct papi *p, const char *name, const json_t *value)
{
	static const char *const none[] = {
		"name", "parent_region_id", "region_count", "cycles", "real_time_nsec"};
	double v;
	int rc;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (strcmp(none[i], name) == 0)
			return 0;
	if (!number(value, &v))
		return sd_import_bad(p->t, 1, "%.60s: is no count", name);
	if (strcasecmp(name, "perf::TASK-CLOCK") == 0) {
		p->cpu = fmax(p->cpu, 0) + v * 1e-9;
		return 0;
	}
	rc = sd_event_counts_add(&p->counts, name, v, 1, 1);
	return rc == -E2BIG ? sd_import_bad(p->t, 1, "has too many events") : rc;
}

static int take_region(struct papi *p, json_t *region, double *wall)
{
	const char *name;
	const json_t *value;
	double ns;
	int rc = 0;

	if (!json_is_object(region) || !is_outermost(region))
		return 0; /* an inner one is counted in the outer one */
	if (number(json_object_get(region, "real_time_nsec"), &ns))
		*wall += ns * 1e-9;
	json_object_foreach(region, name, value)
	{
		rc = rc ? rc : take_count(p, name, value);
	}
	return rc;
}

/* Regions are an object by their numbers, of PAPI 6 an array. */
static int take_thread(struct papi *p, const json_t *thread)
{
	json_t *const regions = json_object_get(thread, "regions"), *region;
	const char *key;
	double wall = 0;
	int rc = 0;
	size_t i;

	json_object_foreach(regions, key, region)
	{
		rc = rc ? rc : take_region(p, region, &wall);
	}
	json_array_foreach(regions, i, region)
	{
		rc = rc ? rc : take_region(p, region, &wall);
	}
	p->threads += wall > 0;
	p->wall = fmax(p->wall, wall);
	return rc;
}

static int take_file(struct papi *p, struct sd_import *im, const json_t *root)
{
	json_t *const threads = json_object_get(root, "threads"), *thread;
	const char *const cpu = json_string_value(json_object_get(root, "cpu_info"));
	const char *key;
	int rc = 0;
	size_t i;

	if (cpu)
		sd_import_cpu_name(im, cpu);
	json_object_foreach(threads, key, thread)
	{
		rc = rc ? rc : take_thread(p, thread);
	}
	json_array_foreach(threads, i, thread)
	{
		rc = rc ? rc : take_thread(p, thread);
	}
	if (rc == 0 && (p->threads == 0 || !(p->wall >= 1e-6)))
		rc = sd_import_bad(p->t, 1,
			"has no region with a real_time_nsec: give a file of PAPI_OUTPUT_DIRECTORY "
			"(rank_000000.json)");
	return rc;
}

int sd_import_papi(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct papi p = {.t = t, .cpu = -1};
	json_error_t error;
	json_t *root = NULL;
	int rc = sd_import_check(t);

	if (rc)
		return rc;
	root = json_loadb(t->text, t->size, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(root))
		rc = sd_import_bad(t, error.line > 0 ? (unsigned)error.line : 1,
			"is no JSON object of PAPI's high-level API");
	rc = rc ? rc : take_file(&p, im, root);
	if (rc == 0) {
		p.run.metric[SD_METRIC_WALL] = SD_OK(p.wall);
		if (p.cpu >= 0)
			p.run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(p.cpu);
		rc = sd_event_counts_roles(&p.counts, &im->cpu, "papi", &p.run, &im->unknown);
	}
	rc = rc ? rc : sd_import_add(im, t, 1, cores ? cores : p.threads, &p.run);
	json_decref(root);
	sd_event_counts_free(&p.counts);
	sd_run_free(&p.run);
	return rc;
}
