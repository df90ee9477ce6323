#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/cause.h"

/* ---- folders --------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int e2e_setup(void **state)
{
	const char *const base = getenv("TMPDIR");
	const char *const tool = getenv("SCALEDIAG");
	struct e2e *const e = calloc(1, sizeof *e);
	ssize_t n;
	char *tests = NULL;

	if (!e)
		return -1;
	snprintf(e->folder, sizeof e->folder, "%.200s/scalediag-test-XXXXXX", base ? base : "/tmp");
	n = readlink("/proc/self/exe", e->programs, sizeof e->programs - 16);
	if (n < 0 || !mkdtemp(e->folder) ||
		!realpath(tool ? tool : "build/scalediag", e->scalediag)) {
		fprintf(stderr, "setup: %s: %s\n", tool ? tool : "build/scalediag",
			strerror(errno));
		free(e);
		return -1;
	}
	/* of the folder tests that the test is in: so they belong to the same build */
	e->programs[n] = '\0';
	for (char *at = e->programs; (at = strstr(at, "/tests/")) != NULL; at++)
		tests = at;
	if (!tests) {
		fprintf(stderr, "setup: %s is not in a folder tests\n", e->programs);
		free(e);
		return -1;
	}
	strcpy(tests, "/tests/programs");
	*state = e;
	return 0;
}

int e2e_teardown(void **state)
{
	struct e2e *const e = *state;
	const int rc = nftw(e->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);

	json_decref(e->report);
	free(e);
	return rc;
}

static const char *joined(const char *a, const char *b)
{
	static char path[8][8192];
	static unsigned next;
	char *const p = path[next++ % 8];

	snprintf(p, sizeof path[0], "%s/%s", a, b);
	return p;
}

const char *e2e_path(const struct e2e *e, const char *name)
{
	return joined(e->folder, name);
}

const char *e2e_program(const struct e2e *e, const char *name)
{
	return joined(e->programs, name);
}

/* ---- running --------------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void child(
	const struct e2e *e, int out, int err, e2e_hook *hook, void *ctx, const char *const *args)
{
	const int in = open("/dev/null", O_RDONLY);
	const char *argv[64] = {"scalediag"};
	size_t n = 0;

	for (; args[n] && n < 62; n++)
		argv[n + 1] = args[n];
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("OMP_NUM_THREADS");
	/* a lock file of whoever runs the tests is none that the program under test writes */
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
		chdir(e->folder) < 0 || (hook && hook(ctx) != 0))
		_exit(125);
	execv(e->scalediag, (char **)(uintptr_t)argv);
	_exit(126);
}

void e2e_start(
	struct e2e *e, struct e2e_job *job, e2e_hook *hook, void *ctx, const char *const *args)
{
	int out[2], err[2];

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	fflush(NULL);
	job->pid = fork();
	assert_true(job->pid >= 0);
	if (job->pid == 0)
		child(e, out[1], err[1], hook, ctx, args);
	close(out[1]);
	close(err[1]);
	job->out = out[0];
	job->err = err[0];
}

static int catches(pid_t pid, int signal)
{
	char path[64], line[256];
	unsigned long long caught = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "SigCgt:", 7) == 0)
			caught = strtoull(line + 7, NULL, 16);
	if (f)
		fclose(f);
	return (int)(caught >> (signal - 1) & 1);
}

void e2e_await_handler(const struct e2e_job *job, int signal)
{
	const struct timespec look = {.tv_nsec = 10000000};

	for (int i = 0; i < 3000; i++) {
		if (catches(job->pid, signal))
			return;
		nanosleep(&look, NULL);
	}
	fail_msg("it never caught signal %d", signal);
}

/* Appends what there is; 0 at the end. */
static int take(int fd, char **text, size_t *n)
{
	char buffer[65536];
	const ssize_t got = read(fd, buffer, sizeof buffer);

	if (got <= 0)
		return got < 0 && errno == EINTR;
	*text = realloc(*text, *n + (size_t)got + 1);
	assert_non_null(*text);
	memcpy(*text + *n, buffer, (size_t)got);
	*n += (size_t)got;
	(*text)[*n] = '\0';
	return 1;
}

static int read_both(struct e2e_job *job, struct e2e_result *r, double until)
{
	struct pollfd p[2] = {
		{.fd = job->out, .events = POLLIN}, {.fd = job->err, .events = POLLIN}};

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		const double left = until - now();

		if (left <= 0)
			return -1;
		if (poll(p, 2, (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return -1;
		if (p[0].fd >= 0 && p[0].revents && !take(job->out, &r->out, &r->n_out))
			p[0].fd = -1;
		if (p[1].fd >= 0 && p[1].revents && !take(job->err, &r->err, &r->n_err))
			p[1].fd = -1;
	}
	return 0;
}

void e2e_wait(struct e2e_job *job, struct e2e_result *r, double seconds)
{
	int status = 0, late;

	*r = (struct e2e_result){.out = calloc(1, 1), .err = calloc(1, 1)};
	assert_true(r->out && r->err);
	late = read_both(job, r, now() + seconds);
	if (late < 0)
		kill(job->pid, SIGKILL);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(job->out);
	close(job->err);
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (late < 0)
		fail_msg("did not end in %g s\n--- out\n%s\n--- err\n%s", seconds, r->out, r->err);
	/* an empty line that went through what makes untrusted text harmless */
	if (strstr(r->out, "\n\\x0a") || strstr(r->err, "\n\\x0a"))
		fail_msg("a line begins with an escaped newline\n%s\n%s", r->out, r->err);
}

void e2e_run_args(
	struct e2e *e, struct e2e_result *r, e2e_hook *hook, void *ctx, const char *const *args)
{
	struct e2e_job job;

	e2e_start(e, &job, hook, ctx, args);
	e2e_wait(&job, r, 120);
}

void e2e_result_free(struct e2e_result *r)
{
	free(r->out);
	free(r->err);
	*r = (struct e2e_result){0};
}

void e2e_expect_status(const struct e2e_result *r, int status)
{
	if (r->status != status)
		fail_msg("exit status %d, not %d\n--- out\n%.4000s\n--- err\n%.4000s", r->status,
			status, r->out, r->err);
}

void e2e_expect_error(const struct e2e_result *r, const char *text)
{
	const char *const newline = strchr(r->err, '\n');

	if (!newline || newline[1] != '\0' || !strstr(r->err, text))
		fail_msg("not one line with '%s' on stderr:\n%.4000s", text, r->err);
}

/* ---- the report as JSON ---------------------------------------------------------------------- */

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
 * 1e-9, every cause once with a verdict that exists.
 */
void e2e_check_report(const json_t *report)
{
	static const char *const verdicts[] = {
		"confirmed", "likely", "possible", "ruled-out", "not-measurable"};
	const json_t *const points = json_object_get(report, "points");
	const json_t *const findings = json_object_get(report, "findings");
	const json_t *item;
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

static const char *first_evidence(const json_t *report, const char *cause)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (strcmp(json_string_value(json_object_get(finding, "cause")), cause) == 0)
			return json_string_value(
				json_array_get(json_object_get(finding, "evidence"), 0));
	}
	return NULL;
}

const char *e2e_disturbed(const json_t *report)
{
	const json_t *const warnings = json_object_get(report, "warnings");
	const char *why = NULL;

	if (strcmp(e2e_verdict(report, "noise"), "ruled-out") != 0)
		why = first_evidence(report, "noise");
	else if (!json_is_null(json_object_get(report, "scales")))
		return NULL;
	if (!why)
		why = json_string_value(json_array_get(warnings, 0));
	/* undecided without a reason would be a fault of the tool, not of the machine */
	assert_non_null(why);
	return why;
}

void e2e_skip_when_disturbed(const json_t *report, const char *test)
{
	const char *const why = e2e_disturbed(report);

	if (why)
		e2e_skip(test, why);
}

const char *e2e_widened(const json_t *report)
{
	static const char *const word[] = {"machine was busy", "drifted", "tell little of",
		"bounds are as much wider", "accounting is incomplete", "decide nothing",
		"cores of these CPUs were shared", "a run takes only"};
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(report, "warnings"), i, warning)
	{
		for (size_t k = 0; k < sizeof word / sizeof *word; k++)
			if (strstr(json_string_value(warning), word[k]))
				return json_string_value(warning);
	}
	return NULL;
}

void e2e_skip_when_widened(const json_t *report, const char *test)
{
	const char *const why = e2e_widened(report);

	if (why)
		e2e_skip(test, why);
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

/* ---- the machine ----------------------------------------------------------------------------- */

void e2e_skip(const char *test, const char *why)
{
	fprintf(stderr, "SKIP: %s: %s\n", test, why);
	skip();
}

void e2e_need_two_cpus(const char *test)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < 2)
		e2e_skip(test, "this process may use one CPU only");
}

size_t e2e_pids(const char *path, pid_t *pid, size_t room)
{
	FILE *const f = fopen(path, "r");
	char line[32];
	size_t n = 0;

	while (f && n < room && fgets(line, sizeof line, f))
		pid[n++] = (pid_t)strtol(line, NULL, 10);
	if (f)
		fclose(f);
	return n;
}

/* A process that only waits to be reaped by a parent that is not ours is gone. */
static int alive(pid_t pid)
{
	char path[64], stat[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(stat, sizeof stat, f))
		stat[0] = '\0';
	fclose(f);
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

void e2e_expect_gone(const char *path, size_t expected)
{
	pid_t pid[64];
	const size_t n = e2e_pids(path, pid, 64);

	if (n < expected)
		fail_msg("%s: %zu processes, not %zu: the test did not get far enough", path, n,
			expected);
	for (size_t i = 0; i < n; i++)
		if (alive(pid[i]))
			fail_msg("process %d is still there", (int)pid[i]);
}

static size_t still_there(const char *path)
{
	pid_t pid[64];
	const size_t n = e2e_pids(path, pid, 64);
	size_t there = 0;

	for (size_t i = 0; i < n; i++)
		there += (size_t)alive(pid[i]);
	return there;
}

void e2e_await_gone(const char *path, size_t expected)
{
	const struct timespec look = {.tv_nsec = 10000000};

	for (int i = 0; i < 2000 && still_there(path) > 0; i++)
		nanosleep(&look, NULL);
	e2e_expect_gone(path, expected);
}

char *e2e_read(const char *path, size_t *n)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = calloc(1, 1);

	*n = 0;
	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while (take(fd, &text, n))
		;
	close(fd);
	return text;
}

void e2e_write(const char *path, const char *text)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

void e2e_copy(const char *from, const char *to, mode_t mode)
{
	size_t n;
	char *const text = e2e_read(from, &n);
	const int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	assert_non_null(text);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	free(text);
}

long e2e_runs_in(const char *path)
{
	json_t *const record = json_load_file(path, 0, NULL);
	const long n = record ? (long)json_array_size(json_object_get(record, "runs")) : -1;

	json_decref(record);
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

void e2e_nap(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}
