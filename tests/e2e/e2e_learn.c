/*
 * The workshop as a student sees it; and each lesson measured: the broken version gets its
 * diagnosis, the fixed one does not, and the fix's gain is beyond noise. A few lessons whose effect
 * every machine with two CPUs shows; any of them by its number in LESSON (make check-lessons).
 */
#include "e2e/e2e.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LESSONS_MAX 64

/* The names of all lessons, from the list. Returns how many; each is to be freed. */
static size_t list(struct e2e *e, char *name[LESSONS_MAX])
{
	struct e2e_result r;
	size_t n = 0;

	e2e_run(e, &r, "learn");
	e2e_expect_status(&r, 0);
	for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n"))
		if (n < LESSONS_MAX && line[0] >= '0' && line[0] <= '9' &&
			sscanf(line, "%*s %ms", &name[n]) == 1)
			n++;
	e2e_result_free(&r);
	return n;
}

/* Copies a lesson into the test's folder, under its name. */
static void export(struct e2e *e, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "learn", "--export", name, name);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static const char *const compilers[] = {"gcc", "clang"};

/* With nothing printed: a warning is a failure. A compiler that is not installed is none. */
static int make(struct e2e *e, const char *name, const char *cc, const char *flags)
{
	char command[1024];

	snprintf(command, sizeof command,
		"cd %s/%s || exit 1; command -v %s >/dev/null || exit 0; "
		"env -u MAKEFLAGS make -s clean all CC=%s CFLAGS='%s' >make.log 2>&1 && "
		"test ! -s make.log",
		e->folder, name, cc, cc, flags);
	return system(command); /* NOLINT(cert-env33-c): our own words */
}

/* "key: value" of an exported lesson; static storage, "" when there is none. */
static const char *head(struct e2e *e, const char *name, const char *key)
{
	static char value[256];
	char path[320], *text, *at;
	size_t size;

	snprintf(path, sizeof path, "%s/LESSON.md", name);
	text = e2e_read(e2e_path(e, path), &size);
	assert_non_null(text);
	snprintf(path, sizeof path, "\n%s: ", key);
	at = strstr(text, path);
	snprintf(value, sizeof value, "%.*s", at ? (int)strcspn(at + strlen(path), "\n") : 0,
		at ? at + strlen(path) : "");
	free(text);
	return value;
}

static void the_lessons_are_listed_and_shown_without_running_anything(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	assert_true(n >= 16);
	for (size_t i = 0; i < n; i++) {
		struct e2e_result r;

		e2e_run(e, &r, "learn", "--no-run", "--notes", name[i]);
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "broken.c  lines "));
		/* the fix gives the answer away: it comes after the question */
		assert_true(strstr(r.out, "\n  a  ") < strstr(r.out, "fixed.c  what is different"));
		assert_non_null(strstr(r.out, "What to look for"));
		assert_non_null(strstr(r.out, "For the instructor"));
		assert_null(strstr(r.out, "Your guess"));
		e2e_result_free(&r);
		free(name[i]);
	}
}

static void a_handout_has_the_notes_only_when_asked_for(void **state)
{
	struct e2e *const e = *state;

	for (int notes = 0; notes < 2; notes++) {
		struct e2e_result r;
		size_t size;
		char *page;

		e2e_run(e, &r, "learn", "--no-run", "--html", "handout.html", "false-sharing",
			notes ? "--notes" : NULL);
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		page = e2e_read(e2e_path(e, "handout.html"), &size);
		assert_non_null(page);
		assert_non_null(strstr(page, "Nothing was run for this page."));
		assert_non_null(strstr(page, "<li>In the picture of the cache line"));
		assert_int_equal(strstr(page, "For the instructor") != NULL, notes);
		free(page);
	}
}

static void an_unknown_lesson_gets_the_nearest_name(void **state)
{
	struct e2e_result r;

	e2e_run(*state, &r, "learn", "flase-sharing");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "did you mean 'false-sharing'?");
	e2e_result_free(&r);
}

static void every_exported_lesson_builds_without_a_warning(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	for (size_t i = 0; i < n; i++) {
		char flags[320];
		size_t size;

		export(e, name[i]);
		snprintf(flags, sizeof flags, "%s -Wall -Wextra", head(e, name[i], "flags"));
		for (size_t c = 0; c < 2; c++)
			if (make(e, name[i], compilers[c], flags) != 0) {
				snprintf(flags, sizeof flags, "%s/make.log", name[i]);
				fail_msg("%s, %s: %s", name[i], compilers[c],
					e2e_read(e2e_path(e, flags), &size));
			}
		free(name[i]);
	}
}

/* What `make compare` would do, without doing it: a program takes numbers, and what measures it is
 * found by a shell. */
static void an_exported_lesson_is_measured_as_it_is_held(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	for (size_t i = 0; i < n; i++) {
		char command[1024];

		export(e, name[i]);
		snprintf(command, sizeof command,
			"cd %s/%s || exit 1; set -- $(env -u MAKEFLAGS -u SCALEDIAG make -n compare | grep -- '-o broken.json -- '); command -v \"$1\" >/dev/null || exit 2; while test \"$1\" != --; do shift || exit 3; done; test \"$2\" = ./broken || exit 4; shift 2; for w; do case $w in '{n}' | [0-9]*) ;; *) exit 5 ;; esac; done",
			e->folder, name[i]);
		assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own words */
		free(name[i]);
	}
}

static void an_exported_lesson_is_not_written_over_anything(void **state)
{
	struct e2e_result r;

	export(*state, "one-mutex");
	e2e_run(*state, &r, "learn", "--export", "one-mutex", "one-mutex");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "name a folder that is not there yet");
	e2e_result_free(&r);
}

static int no_compiler(void *ctx)
{
	(void)ctx;
	return setenv("CC", "no-such-compiler", 1);
}

static void without_a_compiler_it_says_what_to_install(void **state)
{
	struct e2e_result r;

	e2e_run_hooked(*state, &r, no_compiler, NULL, "learn", "one-mutex");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "apt-get install gcc");
	e2e_result_free(&r);
}

static int tmp_here(void *ctx)
{
	return setenv("TMPDIR", ctx, 1);
}

/* Temporary folders of lessons. */
static size_t rooms(const char *folder)
{
	const struct dirent *entry;
	DIR *const d = opendir(folder);
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += strncmp(entry->d_name, "scalediag-learn-", 16) == 0;
	closedir(d);
	return n;
}

static void an_interrupted_lesson_leaves_nothing_behind(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"learn", "one-mutex", NULL};
	struct e2e_result r;
	struct e2e_job job;

	e2e_start(e, &job, tmp_here, e->folder, args);
	e2e_await_handler(&job, SIGINT);
	for (int i = 0; i < 1200 && rooms(e->folder) == 0; i++)
		usleep(50000);
	assert_int_equal(rooms(e->folder), 1);
	usleep(500000);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 130);
	assert_int_equal(rooms(e->folder), 0);
	assert_non_null(strstr(r.err, "a lesson keeps no records"));
	assert_null(strstr(r.err, "--resume"));
	e2e_result_free(&r);
}

/* ---- measured -------------------------------------------------------------------------------- */

/* As `learn` does, in the time it gives each version when lessons are asked for, else in half. */
static const json_t *measure(struct e2e *e, const char *name, const char *version)
{
	char program[320], record[320], experiments[64], *args = strdup(head(e, name, "args"));
	const char *const words[] = {strtok(args, " "), strtok(NULL, " ")};
	struct e2e_result r;
	const char *const budget = getenv("LESSON") ? "20" : "10";
	const json_t *report;

	snprintf(experiments, sizeof experiments, "%s", head(e, name, "experiments"));
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

/* What the simulated machine saw in a version, at its largest count. */
struct simulated {
	double count;     /* what the lesson counts */
	char sharing[16]; /* of the line that moved most: "false", "true", "mixed"; "" none */
	int wastes;       /* what the lesson says that broken.c does */
};

static json_t *lines_of(struct e2e *e, const char *record)
{
	struct e2e_result r;
	json_t *root;

	e2e_run(e, &r, "lines", "--format", "json", record);
	e2e_expect_status(&r, 0);
	root = json_loadb(r.out, r.n_out, 0, NULL);
	assert_non_null(root);
	e2e_result_free(&r);
	return root;
}

static double of_thread(const json_t *thread, const char *name)
{
	const json_t *const v = json_object_get(thread, name);

	assert_true(json_is_number(v));
	return json_number_value(v);
}

/* The names of LESSON.md's counts, in the words of `scalediag lines`. */
static double count_of(const json_t *root, const char *what)
{
	const json_t *t;
	double all = 0, most = 0;
	size_t i;

	json_array_foreach(json_object_get(root, "threads"), i, t)
	{
		const double instructions = of_thread(t, "instructions");

		most = instructions > most ? instructions : most;
		if (strcmp(what, "instructions") == 0)
			all += instructions;
		else if (strcmp(what, "lines") == 0)
			all += of_thread(t, "llc_misses");
		else if (strcmp(what, "walks") == 0)
			all += of_thread(t, "stlb_misses");
		else if (strcmp(what, "moves") == 0)
			all += of_thread(t, "hitm_load") + of_thread(t, "hitm_store");
		else if (strcmp(what, "pages") == 0)
			all += of_thread(t, "pages") * of_thread(t, "shared_pages");
		else
			assert_string_equal(what, "longest");
	}
	return strcmp(what, "longest") == 0 ? most : all;
}

static int is_found(const json_t *root, const char *waste)
{
	const json_t *w;
	size_t i;

	json_array_foreach(json_object_get(root, "waste"), i, w)
	{
		if (strcmp(json_string_value(json_object_get(w, "kind")), waste) == 0)
			return json_is_true(json_object_get(w, "found"));
	}
	return 0;
}

static void simulate(struct e2e *e, const char *name, const char *version, const char *what,
	struct simulated *out)
{
	const char *const always = head(e, name, "simulate");
	char program[320], machine[64],
		*args = strdup(*always ? always : head(e, name, "stand_in"));
	const char *const words[] = {strtok(args, " "), strtok(NULL, " ")};
	const char *sharing;
	struct e2e_result r;
	json_t *root;

	*out = (struct simulated){0};
	snprintf(machine, sizeof machine, "%s", head(e, name, "machine"));
	snprintf(program, sizeof program, "%s/%s", name, version);
	e2e_run(e, &r, "--json", "--events", "sim", "--cores", "1,2", "--repeats", "1",
		"--experiments", "none", "--samples", "none", "--machine",
		*machine ? machine : "host", "-o", "sim.json", "--", e2e_path(e, program), words[0],
		words[1]);
	free(args);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	root = lines_of(e, "sim.json");
	out->count = count_of(root, what);
	out->wastes = is_found(root, head(e, name, "waste"));
	sharing = json_string_value(
		json_object_get(json_array_get(json_object_get(root, "lines"), 0), "sharing"));
	snprintf(out->sharing, sizeof out->sharing, "%s", sharing ? sharing : "");
	json_decref(root);
	unlink(e2e_path(e, "sim.json"));
}

/* Counts need no quiet machine: the cause is in the broken version, and not in the fixed one. */
static void tell_apart(struct e2e *e, const char *name, const char *causes, const char *cc)
{
	struct simulated broken, fixed;
	char what[32];
	double times;

	assert_int_equal(sscanf(head(e, name, "counts"), "%31s %lf", what, &times), 2);
	simulate(e, name, "broken", what, &broken);
	simulate(e, name, "fixed", what, &fixed);
	print_message(
		"%s, %s, simulated: %s %.4g and %.4g\n", name, cc, what, broken.count, fixed.count);
	assert_true(broken.count > times * fixed.count);
	if (*head(e, name, "waste")) {
		assert_true(broken.wastes);
		assert_false(fixed.wastes);
	}
	if (strncmp(causes, "false-sharing", 13) == 0 || strncmp(causes, "true-sharing", 12) == 0)
		assert_true(*broken.sharing && strncmp(causes, broken.sharing, 4) == 0);
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

/* What a machine shows, for the instructor: speedups of both versions, and the gain. */
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

/* Why a version's runs tell no verdict that a quiet machine would; NULL: they do. Whether the fixed
 * version scales need not be known. */
static const char *why_not(const json_t *report)
{
	return is_named(e2e_verdict(report, "noise")) ? "others took the CPUs"
						      : e2e_widened(report);
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

/* What this machine does not show in its times, counts have shown, where the lesson has some. */
static void not_here(struct e2e *e, const char *name, const char *why)
{
	if (!*head(e, name, "counts") && !*head(e, name, "faults"))
		e2e_skip(name, why);
	print_message("%s: by its counts only: %s\n", name, why);
}

/* Of a version's last run: page faults, which the kernel counts whatever else the machine does. */
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
	char flags[256];

	snprintf(flags, sizeof flags, "%s -g", head(e, name, "flags"));
	return make(e, name, cc, flags);
}

/* `robust`: every undisturbed machine with two CPUs shows it. The others may say that they do not,
 * but never that a gain there is has another cause. */
static void hold(struct e2e *e, const char *name, int robust)
{
	char causes[256], broken[32], time[32], why[256];
	const json_t *report;
	int diagnosed, loses;

	export(e, name);
	snprintf(causes, sizeof causes, "%s", head(e, name, "causes"));
	if (*head(e, name, "counts"))
		for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++)
			if (is_installed(compilers[c]) && build(e, name, compilers[c]) == 0)
				tell_apart(e, name, causes, compilers[c]);
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
	report = measure(e, name, "broken");
	snprintf(why, sizeof why, "%s",
		robust && e2e_disturbed(report) ? e2e_disturbed(report)
		: why_not(report)               ? why_not(report)
						: "");
	snprintf(broken, sizeof broken, "%s", strongest(report, causes));
	diagnosed = is_diagnosed(report, causes);
	loses = json_is_false(json_object_get(report, "scales"));
	report = measure(e, name, "fixed");
	if (*head(e, name, "faults"))
		tell_faults_apart(e, name);
	gain(e, name, time);
	print_message("%s: %s, then %s; %s\n", name, broken, strongest(report, causes), time);
	if (!*why && is_named(e2e_verdict(report, "noise")))
		snprintf(why, sizeof why, "others took the CPUs");
	if (!*why && is_named(strongest(report, causes)))
		fail_msg("%s: the fixed version has the diagnosis of the broken one", name);
	if (!*why && strcmp(time, "less") != 0 && e2e_disturbed(report))
		snprintf(why, sizeof why, "%s", e2e_disturbed(report));
	if (!*why && !robust && !diagnosed && !loses)
		snprintf(why, sizeof why, "no loss of the broken version is certain here");
	if (!*why && !robust && (strcmp(time, "less") != 0 || !diagnosed))
		snprintf(why, sizeof why, "this machine does not show it, or cannot name it");
	if (*why) {
		not_here(e, name, why);
		return;
	}
	assert_string_equal(time, "less");
	assert_true(diagnosed);
}

static void one_mutex_is_lock_contention(void **state)
{
	hold(*state, "one-mutex", 1);
}

static void a_serial_half_is_serial_code(void **state)
{
	hold(*state, "serial-code", 1);
}

static void equal_shares_of_a_triangle_are_imbalance(void **state)
{
	hold(*state, "imbalance", 1);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_lessons_are_listed_and_shown_without_running_anything),
		TEST(a_handout_has_the_notes_only_when_asked_for),
		TEST(an_unknown_lesson_gets_the_nearest_name),
		TEST(every_exported_lesson_builds_without_a_warning),
		TEST(an_exported_lesson_is_measured_as_it_is_held),
		TEST(an_exported_lesson_is_not_written_over_anything),
		TEST(without_a_compiler_it_says_what_to_install),
		TEST(an_interrupted_lesson_leaves_nothing_behind),
		TEST(one_mutex_is_lock_contention),
		TEST(a_serial_half_is_serial_code),
		TEST(equal_shares_of_a_triangle_are_imbalance),
		TEST(waiting_in_a_loop_is_spinning),
	};
	const struct CMUnitTest asked[] = {TEST(a_lesson)};

	if (getenv("LESSON"))
		return cmocka_run_group_tests(asked, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
