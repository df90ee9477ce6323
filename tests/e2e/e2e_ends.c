/*
 * It always ends: whatever the program does to the processes around it, however little memory there
 * is, and at once when asked to.
 */
#include "e2e/e2e.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- a program that stops its keeper -------------------------------------------------------- */

/* How many processes there are of this program. */
static int alive(const char *program)
{
	DIR *const d = opendir("/proc");
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char path[300], exe[4096];
		ssize_t length;

		snprintf(path, sizeof path, "/proc/%s/exe", e->d_name);
		length = readlink(path, exe, sizeof exe - 1);
		if (length < 0)
			continue;
		exe[length] = '\0';
		n += strcmp(exe, program) == 0;
	}
	closedir(d);
	return n;
}

static void a_program_that_stops_its_keeper_holds_nobody_up(void **state)
{
	static const struct {
		const char *how;
		int ends; /* by itself: then its runs are good ones; -1: it may, or be ended */
	} row[] = {{"parent", 1}, {"again", -1}, {"traces", 0}, {"traced", 1}, {"waits", 0}};
	struct e2e *const e = *state;
	const char *const program = e2e_program(e, "stops");

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_job job;
		struct e2e_result r;
		const char *const args[] = {"--cores", "1", "--repeats", "1", "--timeout", "2",
			"--samples", "none", "--experiments", "none", "-o", "r.json", "--", program,
			row[i].how, NULL};

		e2e_start(e, &job, NULL, NULL, args);
		e2e_wait(&job, &r, 120);
		if (row[i].ends > 0)
			e2e_expect_status(&r, 0);
		else if (r.status != 3 && r.status != 4 && !(row[i].ends < 0 && r.status == 0))
			fail_msg("%s: status %d: %.500s", row[i].how, r.status, r.err);
		e2e_result_free(&r);
		for (int k = 0; k < 300 && alive(program); k++)
			e2e_nap(10);
		assert_int_equal(alive(program), 0);
	}
}

static void a_program_that_stops_its_keeper_is_interrupted_all_the_same(void **state)
{
	struct e2e *const e = *state;
	const char *const program = e2e_program(e, "stops");
	const char *const args[] = {"--cores", "1", "--repeats", "1", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "--", program, "traces", NULL};
	struct e2e_job job;
	struct e2e_result r;

	e2e_start(e, &job, NULL, NULL, args);
	for (int k = 0; k < 1000 && !alive(program); k++)
		e2e_nap(10);
	assert_true(alive(program) > 0);
	kill(job.pid, SIGINT);
	e2e_nap(50);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 60);
	assert_int_not_equal(r.status, 0);
	e2e_result_free(&r);
	for (int k = 0; k < 300 && alive(program); k++)
		e2e_nap(10);
	assert_int_equal(alive(program), 0);
}

/* Counts the runs of the record at `path`: one object, and while it grows one more a run or so; 0
 * while there is none. */
static size_t runs_of(const char *path)
{
	FILE *const f = fopen(path, "re");
	json_t *part;
	size_t n = 0;

	while (f && (part = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
		n += json_array_size(json_object_get(part, "runs"));
		json_decref(part);
	}
	if (f)
		fclose(f);
	return n;
}

/* Ctrl-C is "enough": what is known of both counts is reported, and the record can be gone on with.
 */
static void an_interruption_reports_what_is_known(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"--cores", "1,2", "--repeats", "1000", "--experiments", "none",
		"--oversubscribe", "-o", "r.json", "--", e2e_program(e, "half_serial"), "0.2",
		NULL};
	struct e2e_job job;
	struct e2e_result r;

	e2e_start(e, &job, NULL, NULL, args);
	/* the warm-up and two blocks */
	for (int k = 0; k < 6000 && runs_of(e2e_path(e, "r.json")) < 5; k++)
		e2e_nap(10);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 130);
	assert_non_null(strstr(r.err, "scalediag --resume r.json"));
	assert_non_null(strstr(r.out, "on 2 cores"));
	assert_non_null(strstr(r.out, "Where the time of 2 cores goes"));
	e2e_result_free(&r);
}

/* ---- killed outright ------------------------------------------------------------------------ */

/* The cgroup that holds this program's process; "" when it is in none of ours. */
static void find_group(const char *program, char *path, size_t size)
{
	static const char *const mounts[] = {"/sys/fs/cgroup/cpuset", "/sys/fs/cgroup"};
	DIR *const d = opendir("/proc");
	char line[1024];

	path[0] = '\0';
	assert_non_null(d);
	for (struct dirent *e; !path[0] && (e = readdir(d)) != NULL;) {
		char name[300], exe[4096];
		ssize_t n;
		FILE *f;

		snprintf(name, sizeof name, "/proc/%s/exe", e->d_name);
		n = readlink(name, exe, sizeof exe - 1);
		exe[n < 0 ? 0 : n] = '\0';
		if (strcmp(exe, program) != 0)
			continue;
		snprintf(name, sizeof name, "/proc/%s/cgroup", e->d_name);
		f = fopen(name, "re");
		while (f && !path[0] && fgets(line, sizeof line, f)) {
			const char *const of = strrchr(line, ':');

			line[strcspn(line, "\n")] = '\0';
			for (size_t i = 0; of && strstr(of, "/scalediag-") && i < 2; i++) {
				snprintf(path, size, "%s%s", mounts[i], of + 1);
				if (access(path, F_OK) == 0)
					break;
				path[0] = '\0';
			}
		}
		if (f)
			fclose(f);
	}
	closedir(d);
}

/* At any moment; the next command of any kind leaves neither process nor cgroup. */
static void killed_outright_nothing_stays_longer_than_to_the_next_command(void **state)
{
	static const char *const next[] = {"events", "doctor", "lines", "report", "compare"};
	struct e2e *const e = *state;
	const char *const program = e2e_program(e, "half_serial");
	const char *const args[] = {"--cores", "2", "--repeats", "1", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "--", program, "20", NULL};
	int groups = 0;

	for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
		struct e2e_job job;
		struct e2e_result r;
		char group[1400];

		e2e_start(e, &job, NULL, NULL, args);
		for (int k = 0; k < 1000 && !alive(program); k++)
			e2e_nap(10);
		e2e_nap((long)(i * 37));
		find_group(program, group, sizeof group);
		kill(job.pid, SIGKILL);
		e2e_wait(&job, &r, 10);
		e2e_result_free(&r);
		for (int k = 0; k < 500 && alive(program); k++)
			e2e_nap(10);
		assert_int_equal(alive(program), 0);
		e2e_run(e, &r, next[i]);
		e2e_result_free(&r);
		groups += group[0] != '\0';
		if (group[0])
			assert_int_equal(access(group, F_OK), -1);
	}
	if (!groups)
		e2e_skip(__func__, "no cpuset cgroup holds programs here; no process stayed");
}

/* ---- commands that only read ----------------------------------------------------------------- */

static void make_record(struct e2e *e, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "none", "-o", name,
		"--", e2e_program(e, "half_serial"), "0.02");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static void reading_commands_end_at_once_on_a_pipe_that_nobody_writes(void **state)
{
	static const char *const row[][8] = {
		{"report", "pipe"},
		{"compare", "pipe", "pipe"},
		{"check", "pipe", "--require", "wall@1<=9"},
		{"lines", "pipe"},
		{"import", "--from", "csv", "pipe", "-o", "o.json"},
	};
	struct e2e *const e = *state;

	assert_int_equal(mkfifo(e2e_path(e, "pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (int written = 0; written < 2; written++) {
			const int fd = written ? open(e2e_path(e, "pipe"), O_RDWR | O_CLOEXEC) : -1;
			struct e2e_job job;
			struct e2e_result r;

			e2e_start(e, &job, NULL, NULL, row[i]);
			e2e_await_handler(&job, SIGINT);
			/* in the middle of a record */
			if (fd >= 0)
				assert_int_equal(write(fd, "{ \"kind\": ", 10), 10);
			e2e_nap(100);
			kill(job.pid, SIGINT);
			e2e_wait(&job, &r, 5);
			e2e_expect_status(&r, 130);
			e2e_result_free(&r);
			if (fd >= 0)
				close(fd);
		}
}

/* ---- little memory --------------------------------------------------------------------------- */

struct limit {
	int resource;
	rlim_t bytes;
};

static int lower(void *ctx)
{
	const struct limit *const l = ctx;

	return setrlimit(l->resource, &(struct rlimit){l->bytes, l->bytes});
}

static void expect_enough_or_said(struct e2e *e, struct limit l, const char *const *args)
{
	struct e2e_result r;

	e2e_run_args(e, &r, lower, &l, args);
	/* before main the loader, or libgomp, had no room for us */
	if (r.status != 0 && r.status != 4 &&
		!(r.n_err && (strstr(r.err, "loading") || strstr(r.err, "cannot allocate TLS") ||
				     strstr(r.err, "libgomp: Out of") ||
				     strstr(r.err, "find-object data"))))
		fail_msg("%s with %lu KiB: status %d: %.300s", args[0],
			(unsigned long)l.bytes >> 10, r.status, r.err);
	if (r.status == 4 && r.n_err == 0)
		fail_msg("%s with %lu KiB: not a word", args[0], (unsigned long)l.bytes >> 10);
	e2e_result_free(&r);
}

static void with_little_memory_every_command_works_or_says_so(void **state)
{
	static const char *const row[][8] = {
		{"report", "in.json"},
		{"report", "--format", "html", "in.json"},
		{"compare", "in.json", "in.json"},
		/* runs on a busy machine may decide nothing, which is status 4 with its words on
		 * the standard output: asked so, 4 is left to what went wrong */
		{"check", "in.json", "--require", "wall@1<=9", "--undecided", "pass"},
		{"doctor"},
		{"events"},
	};
	struct e2e *const e = *state;
	const char *const run[] = {"--cores", "1,2", "--repeats", "1", "--experiments", "none",
		"-o", "r.json", "--", e2e_program(e, "half_serial"), "0.02", NULL};

	if (E2E_SANITIZED)
		e2e_skip(__func__, "sanitizers reserve terabytes of address space");
	make_record(e, "in.json");
	for (rlim_t mib = 40; mib <= 100; mib += 4)
		expect_enough_or_said(e, (struct limit){RLIMIT_AS, mib << 20}, run);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (rlim_t mib = 40; mib <= 90; mib += 10)
			expect_enough_or_said(e, (struct limit){RLIMIT_AS, mib << 20}, row[i]);
	/* where the loader has just room, the first to find none is the C++ library or libconfig,
	 * whose scanner would end us by itself with status 2 */
	for (rlim_t kib = 17500; kib <= 20000; kib += 250) {
		unlink(e2e_path(e, "r.json"));
		expect_enough_or_said(e, (struct limit){RLIMIT_AS, kib << 10}, run);
	}
}

static void with_a_small_stack_every_command_works(void **state)
{
	static const rlim_t kib[] = {128, 256, 512, 1024};
	struct e2e *const e = *state;
	const char *const run[] = {"--cores", "1,2", "--repeats", "1", "--experiments", "none",
		"-o", "r.json", "--", e2e_program(e, "half_serial"), "0.02", NULL};
	struct e2e_result r;

	if (E2E_SANITIZED)
		e2e_skip(__func__, "sanitizers have larger frames");
	for (size_t i = 0; i < sizeof kib / sizeof *kib; i++) {
		struct limit l = {RLIMIT_STACK, kib[i] << 10};

		e2e_run_args(e, &r, lower, &l, run);
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		e2e_run_hooked(e, &r, lower, &l, "report", "--long", "r.json");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
	}
}

/* A rank's agent: its launcher waits for it, and nobody looks after it but what keeps its program.
 */
static void an_agent_that_is_stopped_ends_with_its_program(void **state)
{
	static const char *const args[] = {
		"rank-agent", "--", "sh", "-c", ">here; sleep 1; exit 7", NULL};
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;

	mkdir(e2e_path(e, "logs"), 0700);
	setenv("SCALEDIAG_MPI_FOLDER", e2e_path(e, "logs"), 1);
	e2e_start(e, &job, NULL, NULL, args);
	unsetenv("SCALEDIAG_MPI_FOLDER");
	for (int i = 0; i < 3000 && access(e2e_path(e, "here"), F_OK) != 0; i++)
		e2e_nap(10);
	assert_int_equal(kill(job.pid, SIGSTOP), 0);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 7);
	e2e_result_free(&r);
	assert_int_not_equal(rmdir(e2e_path(e, "logs")), 0); /* what it measured */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(a_program_that_stops_its_keeper_holds_nobody_up),
		E2E_TEST(a_program_that_stops_its_keeper_is_interrupted_all_the_same),
		E2E_TEST(an_agent_that_is_stopped_ends_with_its_program),
		E2E_TEST(an_interruption_reports_what_is_known),
		E2E_TEST(killed_outright_nothing_stays_longer_than_to_the_next_command),
		E2E_TEST(reading_commands_end_at_once_on_a_pipe_that_nobody_writes),
		E2E_TEST(with_little_memory_every_command_works_or_says_so),
		E2E_TEST(with_a_small_stack_every_command_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
