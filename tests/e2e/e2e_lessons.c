/*
 * Lessons measured and simulated: each shows the fault it teaches, and its fix does not.
 */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/lesson_counts.h"
#include "support/lesson_list.h"
#include "support/tries.h"

/* Measures a version as its Makefile does: it is more than a program with its arguments. */
static const json_t *measure_by_make(struct e2e *e, const char *name, const char *version)
{
	char command[3 * PATH_MAX], record[64];
	struct e2e_result r;
	const json_t *report;

	snprintf(record, sizeof record, "%s.json", version);
	snprintf(command, sizeof command,
		"cd %s/%s && rm -f %s && env -u MAKEFLAGS OMPI_ALLOW_RUN_AS_ROOT=1 "
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 make -s %s SCALEDIAG=%s >make.log 2>&1 && cp %s ..",
		e->folder, name, record, record, e->scalediag, record);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own words */
	e2e_run(e, &r, "report", "--format", "json", record);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

/* As `learn` does, in the time it gives each version when lessons are asked for, else in half. */
static const json_t *measure(struct e2e *e, const char *name, const char *version)
{
	if (*head(e, name, "attach") || needs_mpi(e, name))
		return measure_by_make(e, name, version);

	char program[320], record[320], experiments[256], size[256];
	char *args = strdup(head(e, name, "args"));
	const char *words[] = {strtok(args, " "), strtok(NULL, " ")};
	struct e2e_result r;
	const char *const budget = getenv("LESSON") ? "20" : "10";
	const json_t *report;

	snprintf(experiments, sizeof experiments, "%s", head(e, name, "experiments"));
	snprintf(size, sizeof size, "%s", head(e, name, "size"));
	for (size_t i = 0; i < 2; i++)
		if (words[i] && strcmp(words[i], "{size}") == 0)
			words[i] = size;
	snprintf(program, sizeof program, "%s/%s", name, version);
	snprintf(record, sizeof record, "%s.json", version);
	unlink(e2e_path(e, record));
	e2e_run(e, &r, "--json", "--cores", "1,2", "--budget", budget, "--experiments",
		*experiments ? experiments : "none", "-o", record, "--", e2e_path(e, program),
		words[0], words[1]);
	free(args);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

/* The strongest verdict on one of the causes, which a space separates; "" when there is none. */
static const char *strongest(const json_t *report, const char *causes)
{
	static const char *const order[] = {
		"confirmed", "likely", "possible", "not-measurable", "ruled-out"};
	char *const copy = strdup(causes);
	size_t best = 5;

	for (char *c = strtok(copy, " "); c; c = strtok(NULL, " ")) {
		const char *const v = strcmp(c, "none") == 0 ? "" : e2e_verdict(report, c);

		for (size_t i = 0; i < best; i++)
			if (strcmp(v, order[i]) == 0)
				best = i;
	}
	free(copy);
	return best < 5 ? order[best] : "";
}

static int is_named(const char *verdict)
{
	return strcmp(verdict, "confirmed") == 0 || strcmp(verdict, "likely") == 0;
}

static void put_interval(const json_t *point, const char *name, double times)
{
	const json_t *const v = json_object_get(point, name);

	print_message("%.2f to %.2f", times * json_number_value(json_object_get(v, "low")),
		times * json_number_value(json_object_get(v, "high")));
}

/* Prints this machine's results for the instructor: speedups of both versions, and the gain. */
static void put_gain(const char *name, const json_t *points)
{
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	const double cores = json_number_value(json_object_get(last, "cores"));

	print_message("%s: at %g cores broken ", name, cores);
	put_interval(last, "efficiency_before", cores);
	print_message(" times, fixed ");
	put_interval(last, "efficiency_after", cores);
	print_message(" times; fixed is faster ");
	put_interval(json_array_get(points, 0), "gain", 1);
	print_message(" times at one core, ");
	put_interval(last, "gain", 1);
	print_message(" at %g\n", cores);
}

/* "less" time, "noise", … at the largest count. */
static void gain(struct e2e *e, const char *name, char out[32])
{
	struct e2e_result r;
	json_t *root;
	const json_t *points;

	e2e_run(e, &r, "compare", "--format", "json", "broken.json", "fixed.json");
	e2e_expect_status(&r, 0);
	root = json_loadb(r.out, r.n_out, 0, NULL);
	points = json_object_get(root, "points");
	assert_true(json_array_size(points) > 0);
	put_gain(name, points);
	snprintf(out, 32, "%s",
		json_string_value(json_object_get(
			json_array_get(points, json_array_size(points) - 1), "time")));
	json_decref(root);
	e2e_result_free(&r);
}

/* Some cause that the report names, of all there are; NULL: none. */
static const char *named(const json_t *report)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, f)
	{
		if (is_named(json_string_value(json_object_get(f, "verdict"))))
			return json_string_value(json_object_get(f, "cause"));
	}
	return NULL;
}

/* The broken version has a diagnosis of the lesson: one of its causes, or, where the lesson says
 * that it may scale and be slow all the same, none at all. */
static int is_diagnosed(const json_t *report, const char *causes)
{
	return is_named(strongest(report, causes)) || (strstr(causes, "none") && !named(report));
}

/* Skips a lesson that this machine's times do not show, unless counts have shown it. */
static void not_here(struct e2e *e, const char *name, const char *why)
{
	if (!*head(e, name, "counts") && !*head(e, name, "faults"))
		e2e_skip(name, why);
	print_message("%s: by its counts only: %s\n", name, why);
}

/* Page faults of a version's last run, which the kernel counts whatever else the machine does. */
static double faults_of(struct e2e *e, const char *record)
{
	json_t *const root = json_load_file(e2e_path(e, record), 0, NULL);
	const json_t *run;
	double n = -1;
	size_t i;

	json_array_foreach(json_object_get(root, "runs"), i, run)
	{
		if (strcmp(json_string_value(json_object_get(run, "kind")), "block") == 0)
			n = json_number_value(
				json_object_get(json_object_get(run, "metrics"), "minor_faults"));
	}
	assert_true(n >= 0);
	json_decref(root);
	return n;
}

static void tell_faults_apart(struct e2e *e, const char *name)
{
	const double broken = faults_of(e, "broken.json"), fixed = faults_of(e, "fixed.json");

	print_message("%s: page faults %.4g and %.4g\n", name, broken, fixed);
	assert_true(broken > strtod(head(e, name, "faults"), NULL) * fixed);
}

static int is_installed(const char *cc)
{
	char command[64];

	snprintf(command, sizeof command, "command -v %s >/dev/null", cc);
	return system(command) == 0; /* NOLINT(cert-env33-c): our own words */
}

/* With the flags of the lesson, as its Makefile does. */
static int build(struct e2e *e, const char *name, const char *cc)
{
	char flags[320];

	snprintf(flags, sizeof flags, "%s -g", head(e, name, "flags"));
	return make(e, name, cc, flags);
}

/* The reports of both versions in short, and which is faster. */
struct both {
	int diagnosed, loses; /* the broken one: with a cause of the lesson; surely */
	int still, less;      /* the fixed one: has such a cause; takes less time */
};

static struct both measure_both(struct e2e *e, const char *name, const char *causes)
{
	const json_t *report = measure(e, name, "broken");
	struct both b = {.diagnosed = is_diagnosed(report, causes),
		.loses = json_is_false(json_object_get(report, "scales"))};
	char broken[32], time[32];

	snprintf(broken, sizeof broken, "%s", strongest(report, causes));
	report = measure(e, name, "fixed");
	if (*head(e, name, "faults"))
		tell_faults_apart(e, name);
	gain(e, name, time);
	print_message("%s: %s, then %s; %s\n", name, broken, strongest(report, causes), time);
	b.still = is_named(strongest(report, causes));
	b.less = strcmp(time, "less") == 0;
	return b;
}

/* A lesson that every undisturbed machine with two CPUs shows. */
static void hold_everywhere(struct e2e *e, const char *name, const char *causes)
{
	struct tries t = {.test = name};

	while (tries_next(&t)) {
		const struct both b = measure_both(e, name, causes);

		tries_tell(&t, !b.diagnosed ? "the broken version has no diagnosis of the lesson"
			       : b.still ? "the fixed version has the diagnosis of the broken one"
			       : !b.less ? "the fixed version is not faster"
					 : NULL);
	}
}

/* One that may say that this machine does not show it, but never that a gain has another cause. */
static void hold_where_shown(struct e2e *e, const char *name, const char *causes)
{
	struct witness w = {.why = ""};
	const char *why;
	struct both b;

	witness_start(&w);
	witness_watch(&w);
	b = measure_both(e, name, causes);
	why = witness_disturbed(&w);
	if (why && (b.still || !b.diagnosed || !b.less))
		not_here(e, name, why);
	else if (b.still)
		fail_msg("%s: the fixed version has the diagnosis of the broken one", name);
	else if (!b.diagnosed && !b.loses)
		not_here(e, name, "no loss of the broken version is certain here");
	else if (!b.less || !b.diagnosed)
		not_here(e, name, "this machine does not show it, or cannot name it");
}

static void hold(struct e2e *e, const char *name, int robust)
{
	char causes[256];

	export(e, name);
	snprintf(causes, sizeof causes, "%s", head(e, name, "causes"));
	if (*head(e, name, "counts"))
		for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++)
			if (is_installed(compilers[c]) && build(e, name, compilers[c]) == 0)
				tell_apart(e, name, causes, compilers[c]);
	if (needs_mpi(e, name) && (!is_installed("mpicc") || !is_installed("mpirun")))
		e2e_skip(name, "no MPI is installed");
	if (build(e, name, "cc") != 0)
		e2e_skip(name, "its programs cannot be compiled here");
	if (strcmp(head(e, name, "needs"), "simulated") == 0) {
		not_here(e, name, "this lesson needs a cache of a known size");
		return;
	}
	if (strcmp(head(e, name, "needs"), "nodes") == 0 &&
		access("/sys/devices/system/node/node1", F_OK) != 0) {
		not_here(e, name, "this lesson needs a second NUMA node");
		return;
	}
	e2e_need_two_cpus(name);
	(robust ? hold_everywhere : hold_where_shown)(e, name, causes);
}

static void one_mutex_is_lock_contention(void **state)
{
	hold(*state, "one-mutex", 1);
}

static void waiting_in_a_loop_is_spinning(void **state)
{
	hold(*state, "spinning", 0); /* without samples spinning looks like work */
}

/* One test a lesson, so that one that skips does not hide the next. */
static void a_lesson(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const char *const wanted = getenv("LESSON");
	const size_t n = list(e, name);
	const size_t i = wanted ? (size_t)atoi(wanted) - 1 : 0;

	assert_true(i < n);
	hold(e, name[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_mutex_is_lock_contention),
		TEST(waiting_in_a_loop_is_spinning),
	};
	const struct CMUnitTest asked[] = {TEST(a_lesson)};

	if (getenv("LESSON"))
		return cmocka_run_group_tests(asked, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
