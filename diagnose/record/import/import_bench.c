/*
 * Reads the JSON of hyperfine and Google Benchmark: each run's time, by the number of threads.
 */
#include "import/import.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/bench_console.h"
#include "import/csv_columns.h"

/* A text that is one JSON object; NULL after a message. */
static json_t *read_object(const struct sd_import_text *t, const char *what)
{
	json_error_t error;
	json_t *root;

	if (sd_import_check(t))
		return NULL;
	root = json_loadb(t->text, t->size, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		sd_import_bad(t, error.line > 0 ? (unsigned)error.line : 1,
			"is no JSON (%.100s): %s", error.text, what);
		return NULL;
	}
	if (!json_is_object(root)) {
		sd_import_bad(t, 1, "is no JSON object: %s", what);
		json_decref(root);
		return NULL;
	}
	return root;
}

/* s; < 0: none, or not from 0 to 1e18 */
static double seconds(const json_t *o, const char *key, double unit)
{
	const json_t *const v = json_object_get(o, key);
	const double s = json_is_number(v) ? json_number_value(v) * unit : -1;

	return s >= 0 && s <= 1e18 ? s : -1;
}

/* ---- hyperfine ------------------------------------------------------------------------------- */

#define HYPERFINE "give what `hyperfine --export-json FILE` writes, which has the time of each run"

/* The value of a parameter that is a core count; 0: none is. */
static unsigned count_of(const json_t *result)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(result, "parameters"), name, value)
	{
		const char *const v = json_string_value(value);
		struct sd_csv_column c;
		uint64_t n;

		sd_csv_column_make(name, &c);
		if (c.kind == SD_CSV_CORES && v && sd_number_u64(v, 1, SD_CPU_MAX, &n) == 0)
			return (unsigned)n;
	}
	return 0;
}

static int add_run(struct sd_import *im, const struct sd_import_text *t, unsigned cores,
	double wall, double user, double system)
{
	struct sd_run run = {0};
	int rc;

	if (!(wall >= 1e-6))
		return sd_import_bad(t, 1, "a time of less than a microsecond is no run's");
	run.metric[SD_METRIC_WALL] = SD_OK(wall);
	if (user >= 0 && system >= 0) {
		run.metric[SD_METRIC_USER] = SD_OK(user);
		run.metric[SD_METRIC_SYSTEM] = SD_OK(system);
	}
	rc = sd_import_add(im, t, 1, cores, &run);
	sd_run_free(&run);
	return rc;
}

static int failed(const json_t *result)
{
	const json_t *code;
	size_t i;

	json_array_foreach(json_object_get(result, "exit_codes"), i, code)
	{
		if (json_integer_value(code) != 0)
			return 1;
	}
	return 0;
}

static int take_result(struct sd_import *im, const struct sd_import_text *t, const json_t *result,
	size_t number, unsigned of_file)
{
	const json_t *const times = json_object_get(result, "times"), *time;
	const unsigned named = count_of(result), cores = named ? named : of_file;
	/* hyperfine has the CPU times of all runs together: their mean is said of each */
	const double user = seconds(result, "user", 1), system = seconds(result, "system", 1);
	int rc = 0;
	size_t i;

	if (!json_is_array(times) || json_array_size(times) == 0)
		return sd_import_bad(t, 1, "result %zu has no times: " HYPERFINE, number);
	if (cores == 0)
		return sd_import_bad(t, 1,
			"result %zu does not say of how many cores it is: a parameter such as "
			"threads (hyperfine -L threads 1,2,8), or 8=FILE",
			number);
	if (failed(result))
		return sd_import_bad(t, 1, "result %zu: a run of it failed", number);
	json_array_foreach(times, i, time)
	{
		if (!json_is_number(time))
			return sd_import_bad(t, 1, "result %zu: a time that is no number", number);
		rc = add_run(im, t, cores, json_number_value(time), user, system);
		if (rc)
			return rc;
	}
	return rc;
}

int sd_import_hyperfine(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	json_t *const root = read_object(t, HYPERFINE);
	const json_t *const results = json_object_get(root, "results"), *result;
	int rc = root ? 0 : -EINVAL;
	size_t i;

	if (rc == 0 && json_array_size(results) == 0)
		rc = sd_import_bad(t, 1, "has no results: " HYPERFINE);
	if (rc == 0 && json_array_size(results) > 1 && cores)
		cores = 0; /* one number cannot be that of several */
	json_array_foreach(results, i, result)
	{
		if (rc == 0)
			rc = take_result(im, t, result, i + 1, cores);
	}
	json_decref(root);
	return rc;
}

/* ---- Google Benchmark ------------------------------------------------------------------------ */

#define GOOGLE \
	"give what it prints, with --benchmark_format=json at best, or --benchmark_out=FILE holds"

/* "BM_Sort/1024/real_time/threads:8" without what says how it was run. */
static size_t name_length(const char *name)
{
	static const char *const mark[] = {"/threads:", "/real_time", "/process_time",
		"/iterations:", "/repeats:", "/min_time:", "/min_warmup_time:", "/manual_time"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
		const char *const at = strstr(name, mark[i]);

		if (at && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}

static int same_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && strncmp(a, b, name_length(a)) == 0;
}

/* Are they run in the same way, too, on however many threads? */
static int same_way(const char *a, const char *b)
{
	static const char threads[] = "/threads:";
	const char *const end_a = strstr(a, threads), *const end_b = strstr(b, threads);
	const size_t n_a = end_a ? (size_t)(end_a - a) : strlen(a),
		     n_b = end_b ? (size_t)(end_b - b) : strlen(b);

	return n_a == n_b && strncmp(a, b, n_a) == 0;
}

static double unit_of(const json_t *benchmark)
{
	static const struct {
		const char *name;
		double s;
	} unit[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
	const char *const name = json_string_value(json_object_get(benchmark, "time_unit"));

	for (size_t i = 0; name && i < sizeof unit / sizeof *unit; i++)
		if (strcmp(unit[i].name, name) == 0)
			return unit[i].s;
	return 0;
}

/*
 * real_time is of one iteration, of those that all threads made together, before version 1.9: the
 * wall time of a run over all their iterations. From then on it is that of a thread: the wall time
 * over the iterations of one (google/benchmark, "Ensure reported Time is walltime by removing
 * spurious scaling by threads"). The version stands in the file since 1.8.4.
 */
enum share { OF_ALL_THREADS, OF_A_THREAD, OF_UNKNOWN };

static enum share share_of(const json_t *root)
{
	const char *const version = json_string_value(
		json_object_get(json_object_get(root, "context"), "library_version"));
	unsigned major, minor;

	if (!version)
		return OF_ALL_THREADS;
	if (sscanf(version, "v%u.%u", &major, &minor) != 2 &&
		sscanf(version, "%u.%u", &major, &minor) != 2)
		return OF_UNKNOWN;
	if (major == 0 && minor == 0) /* built without its tags */
		return OF_UNKNOWN;
	return major > 1 || (major == 1 && minor >= 9) ? OF_A_THREAD : OF_ALL_THREADS;
}

/* cpu_time is of one iteration in all versions, so that busy threads tell what real_time is of, in
 * all of a file: of all threads, where an iteration takes more CPU time than a thread has. */
static enum share share_by_times(const json_t *all)
{
	const json_t *b;
	size_t i;

	json_array_foreach(all, i, b)
	{
		const char *const name = json_string_value(json_object_get(b, "name"));

		/* that is the CPU time of all threads */
		if (!name || strstr(name, "/process_time"))
			continue;
		if (json_integer_value(json_object_get(b, "threads")) > 1 &&
			seconds(b, "cpu_time", 1) > 1.5 * seconds(b, "real_time", 1))
			return OF_ALL_THREADS;
	}
	return OF_UNKNOWN;
}

/* Takes one benchmark, as a run of so many iterations as the first had. */
static int take_benchmark(struct sd_import *im, const struct sd_import_text *t,
	const json_t *benchmark, double iterations, enum share share)
{
	const char *const name = json_string_value(json_object_get(benchmark, "name"));
	const double unit = unit_of(benchmark) * iterations;
	double wall = seconds(benchmark, "real_time", unit);
	double cpu = seconds(benchmark, "cpu_time", unit);
	const json_t *const threads = json_object_get(benchmark, "threads");
	struct sd_run run = {0};
	int rc;

	if (json_is_true(json_object_get(benchmark, "error_occurred")))
		return sd_import_bad(t, 1, "%.100s: it failed", name);
	if (!json_is_integer(threads) || json_integer_value(threads) < 1 ||
		json_integer_value(threads) > SD_CPU_MAX)
		return sd_import_bad(t, 1, "%.100s: says no number of threads", name);
	if (!(unit > 0) || !(wall >= 1e-6))
		return sd_import_bad(t, 1, "%.100s: has no real_time in ns, us, ms or s", name);
	if (share == OF_UNKNOWN && json_integer_value(threads) > 1)
		return sd_import_bad(t, 1,
			"%.100s: its times are those of a thread since version 1.9 of the "
			"library and of all threads before, and neither its threads' CPU times nor "
			"context.library_version of its JSON say which it was: put the version "
			"there",
			name);
	if (share == OF_A_THREAD) {
		wall /= (double)json_integer_value(threads);
		/* each thread read the clock of the process */
		if (strstr(name, "/process_time"))
			cpu /= (double)json_integer_value(threads);
	}
	run.metric[SD_METRIC_WALL] = SD_OK(wall);
	if (cpu >= 0)
		run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(cpu);
	rc = sd_import_add(im, t, 1, (unsigned)json_integer_value(threads), &run);
	sd_run_free(&run);
	return rc;
}

/* Means and medians of repetitions are not runs. */
static const char *run_name(const json_t *benchmark)
{
	const char *const type = json_string_value(json_object_get(benchmark, "run_type"));

	return type && strcmp(type, "iteration") != 0
		       ? NULL
		       : json_string_value(json_object_get(benchmark, "name"));
}

/* Is one of them called so, with all that says how it was run? */
static int has_way(const json_t *all, const char *app)
{
	const json_t *b;
	size_t i;

	json_array_foreach(all, i, b)
	{
		if (run_name(b) && same_way(run_name(b), app))
			return 1;
	}
	return 0;
}

int sd_import_google(struct sd_import *im, const struct sd_import_text *t, const char *app)
{
	json_t *const pasted = sd_import_check(t) ? NULL : sd_bench_console_read(t);
	json_t *const root = pasted ? pasted : read_object(t, GOOGLE);
	const json_t *const all = json_object_get(root, "benchmarks"), *benchmark;
	const enum share said = share_of(root);
	const enum share share = said == OF_UNKNOWN ? share_by_times(all) : said;
	int (*const same)(const char *, const char *) =
		app && has_way(all, app) ? same_way : same_name;
	const char *first = NULL;
	double iterations = 0;
	int rc = root ? 0 : -EINVAL;
	size_t i;

	json_array_foreach(all, i, benchmark)
	{
		const char *const name = run_name(benchmark);

		if (rc || !name || (app && !same(name, app)))
			continue;
		if (!first) {
			first = name;
			iterations = seconds(benchmark, "iterations", 1);
			if (!(iterations >= 1))
				rc = sd_import_bad(t, 1, "%.100s: has no iterations", name);
		} else if (!same_way(name, first)) {
			rc = sd_import_bad(t, 1,
				"has several benchmarks, %.60s and %.60s: choose with --app", first,
				name);
		}
		rc = rc ? rc : take_benchmark(im, t, benchmark, iterations, share);
	}
	if (rc == 0 && !first)
		rc = app ? sd_import_bad(t, 1, "has no benchmark %.60s", app)
			 : sd_import_bad(t, 1, "has no benchmarks: " GOOGLE);
	json_decref(root);
	return rc;
}
