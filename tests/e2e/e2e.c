#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

void e2e_signal_children(pid_t pid, int signal)
{
	char path[64];
	int child;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fscanf(f, "%d", &child) == 1)
		kill(child, signal);
	fclose(f);
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

/* s: an instrumented program is up to five times as slow, and its runs are as many. */
#define RUN_MOST (E2E_SANITIZED ? 600 : 120)

void e2e_run_args(
	struct e2e *e, struct e2e_result *r, e2e_hook *hook, void *ctx, const char *const *args)
{
	struct e2e_job job;

	e2e_start(e, &job, hook, ctx, args);
	e2e_wait(&job, r, RUN_MOST);
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

/* ---- files ---- */

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

void e2e_nap(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}
