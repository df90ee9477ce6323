/*
 * Output of the program, starts that fail, and what probes see of a run.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnose/measure/launch/launch_fixture.h"

static int run_name(struct fixture *f, const char *name)
{
	char *copy = strdup(name);
	int rc;

	assert_non_null(copy);
	f->argv[0] = copy;
	f->argv[1] = NULL;
	rc = sd_launch(&f->launch, &f->run, &f->sink);
	f->argv[0] = NULL;
	free(copy);
	return rc;
}

/* ---- failing to start ---- */

static void a_program_that_cannot_start_is_explained(void **state)
{
	static const struct {
		const char *file, *text;
		mode_t mode;
		const char *name;
		const char *says;
	} row[] = {
		{NULL, NULL, 0, "no-such-program-here", "no folder of the PATH"},
		{NULL, NULL, 0, "./no-such-program", "no such program: ./no-such-program"},
		{NULL, NULL, 0, "", "empty"},
		{NULL, NULL, 0, "/proc", "folder"},
		{"there", "#!/bin/sh\n", 0700, "there", "./there"},
		{"plain", "#!/bin/sh\n", 0600, "./plain", "chmod +x"},
		{"script", "echo hello\n", 0700, "./script", "#! line"},
		{"empty", "", 0700, "./empty", "empty"},
		{"foreign", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\1\363\1", 0700, "./foreign",
			"another kind of machine"},
		{"lost", "#! /no/such/interpreter -x\n", 0700, "./lost",
			"interpreter /no/such/interpreter does not exist"},
		{"dos", "#!/bin/sh\r\necho\r\n", 0700, "./dos", "carriage return"},
	};
	struct fixture *f = *state;

	f->launch.cwd = f->folder;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char path[600];
		int rc;

		if (row[i].file) {
			snprintf(path, sizeof path, "%s/%s", f->folder, row[i].file);
			write_file(path, row[i].text, row[i].mode);
		}
		f->said = (struct said){0};
		rc = run_name(f, row[i].name);
		if (rc != -ENOEXEC || (row[i].says && !strstr(f->said.text, row[i].says)))
			fail_msg("%s: %d, said: %s", row[i].name, rc, f->said.text);
		assert_int_equal(f->said.errors, 1);
		assert_int_equal(f->said.n, 1);
	}
}

static void a_folder_that_cannot_be_entered_is_said(void **state)
{
	struct fixture *f = *state;

	f->launch.cwd = "/no/such/folder";
	assert_int_equal(run_shell(f, "exit 0"), -ENOEXEC);
	assert_non_null(strstr(f->said.text, "/no/such/folder (--cwd)"));
	assert_int_equal(f->said.n, 1);
}

static void too_many_arguments_are_said(void **state)
{
	struct fixture *f = *state;
	const size_t n = 4 << 20;
	char *big = malloc(n + 1), name[] = "/bin/true";
	int rc;

	assert_non_null(big);
	memset(big, 'x', n);
	big[n] = '\0';
	f->argv[0] = name;
	f->argv[1] = big;
	f->argv[2] = NULL;
	rc = sd_launch(&f->launch, &f->run, &f->sink);
	f->argv[1] = NULL;
	free(big);
	assert_int_equal(rc, -ENOEXEC);
	assert_non_null(strstr(f->said.text, "longer than the kernel takes"));
}

static void an_output_file_that_cannot_be_written_is_said(void **state)
{
	struct fixture *f = *state;
	char other[300], text[64];

	f->launch.stdout_path = "/no/such/folder/out";
	assert_int_equal(run_shell(f, "exit 0"), -ENOENT);
	assert_non_null(strstr(f->said.text, "/no/such/folder/out"));
	/* nothing is written elsewhere */
	snprintf(other, sizeof other, "%s/other", f->folder);
	write_file(other, "precious", 0600);
	assert_int_equal(symlink(other, f->out), 0);
	f->launch.stdout_path = f->out;
	assert_int_equal(run_shell(f, "echo no"), -ELOOP);
	assert_non_null(strstr(f->said.text, "symbolic link"));
	assert_string_equal(read_file(other, text, sizeof text), "precious");
	assert_int_equal(unlink(f->out), 0);
	assert_int_equal(mkfifo(f->out, 0600), 0);
	assert_int_equal(run_shell(f, "echo no"), -EEXIST);
	assert_non_null(strstr(f->said.text, "not ours"));
	assert_int_equal(f->said.n, 3);
}

/* ---- output ---- */

static void the_digest_is_fnv1a_of_stdout(void **state)
{
	struct fixture *f = *state;

	/* RFC 9923, test vectors of 64 bits */
	assert_int_equal(run_shell(f, "printf foobar; echo other >&2"), 0);
	assert_true(f->run.stdout_digest == UINT64_C(0x85944171f73967e8));
	assert_int_equal(f->run.stdout_bytes, 6);
	assert_int_equal(run_shell(f, ":"), 0);
	assert_true(f->run.stdout_digest == UINT64_C(0xcbf29ce484222325));
}

static void a_hundred_megabytes_of_output_are_no_problem(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "head -c 100000000 /dev/zero"), 0);
	assert_int_equal(f->run.code, 0);
	assert_int_equal(f->run.stdout_bytes, 100000000);
}

static void an_input_file_is_read_by_every_run_from_the_same_place(void **state)
{
	struct fixture *f = *state;
	const int before = dup(STDIN_FILENO);
	char path[300];
	int fd;

	snprintf(path, sizeof path, "%s/input", f->folder);
	write_file(path, "skipped\nread\nby all\n", 0600);
	fd = open(path, O_RDONLY);
	assert_true(before >= 0 && fd >= 0);
	assert_int_equal(lseek(fd, 8, SEEK_SET), 8);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run_shell(f, "test \"$(cat)\" = \"$(printf 'read\nby all')\""), 0);
		assert_int_equal(f->run.end, SD_END_EXITED);
		assert_int_equal(f->run.code, 0);
		sd_run_free(&f->run);
		f->run = (struct sd_run){0};
	}
	/* ours is where it was */
	assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_CUR), 8);
	assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	close(before);
}

static void output_can_be_shown_as_it_comes(void **state)
{
	struct fixture *f = *state;
	int pipes[2], status;
	char text[64] = "", go[300];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipes[1], 1);
		close(pipes[0]);
		close(pipes[1]);
		f->launch.show_output = 1;
		f->launch.cwd = f->folder;
		_exit(run_shell(f, "echo one; until [ -e go ]; do sleep 0.01; done; echo two") !=
			0);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], text, sizeof text), 4);
	assert_string_equal(text, "one\n");
	snprintf(go, sizeof go, "%s/go", f->folder);
	write_file(go, "", 0600);
	assert_int_equal(read(pipes[0], text, sizeof text), 4);
	assert_string_equal(text, "two\n");
	assert_int_equal(read(pipes[0], text, sizeof text), 0);
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(read_file(f->out, text, sizeof text), "one\ntwo\n");
}

/* ---- probes ---- */

static struct {
	char calls[256];
	unsigned ticks;
	struct sd_probe_target target;
	char exe[256], own[256], enough[300]; /* a file: there have been two ticks */
	int failed;
} probe;

static void note(const char *call)
{
	strncat(probe.calls, call, sizeof probe.calls - strlen(probe.calls) - 1);
}

static int fake_open(void **state, const struct sd_probe_target *target)
{
	char path[64];
	ssize_t n;

	*state = &probe;
	probe.target = *target;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)target->pid);
	n = readlink(path, probe.exe, sizeof probe.exe - 1);
	assert_true(n > 0);
	n = readlink("/proc/self/exe", probe.own, sizeof probe.own - 1);
	assert_true(n > 0);
	note("open ");
	return 0;
}

static void fake_start(void *state)
{
	assert_ptr_equal(state, &probe);
	note("start ");
}

static uint64_t fake_tick(void *state, uint64_t now_ns)
{
	assert_ptr_equal(state, &probe);
	assert_true(now_ns > 0);
	if (probe.ticks++ == 0)
		note("tick ");
	else
		write_file(probe.enough, "", 0600);
	return 5000000;
}

static void fake_stop(void *state, struct sd_run *run)
{
	(void)state;
	run->metric[SD_METRIC_USER] = SD_OK(123);
	run->metric[SD_METRIC_SYSTEM] = SD_NOT(DENIED);
	note("stop ");
}

static void fake_close(void *state)
{
	(void)state;
	note("close ");
}

static int cannot_open(void **state, const struct sd_probe_target *target)
{
	(void)state;
	(void)target;
	return -EACCES;
}

static void fake_fail(int error, struct sd_run *run)
{
	probe.failed = error;
	run->metric[SD_METRIC_CYCLES] = SD_NOT(DENIED);
}

static void must_not_be_called(void *state)
{
	(void)state;
	fail();
}

static void probes_are_called_in_order_around_the_run(void **state)
{
	static const struct sd_probe good = {.name = "good",
		.open = fake_open,
		.start = fake_start,
		.tick = fake_tick,
		.stop = fake_stop,
		.close = fake_close,
		.fail = fake_fail};
	static const struct sd_probe bad = {.name = "bad",
		.open = cannot_open,
		.start = must_not_be_called,
		.close = must_not_be_called,
		.fail = fake_fail};
	static const struct sd_probe *const probes[] = {&bad, &good, NULL};
	struct fixture *f = *state;
	unsigned cpu = (unsigned)sched_getcpu();
	struct sd_cpulist list = {.cpu = &cpu, .n = 1};

	memset(&probe, 0, sizeof probe);
	f->launch.probes = probes;
	f->launch.cpus = &list;
	f->launch.cwd = f->folder;
	snprintf(probe.enough, sizeof probe.enough, "%s/enough", f->folder);
	f->launch.timeout_s = 60;
	assert_int_equal(run_shell(f, "until [ -e enough ]; do sleep 0.05; done"), 0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_string_equal(probe.calls, "open start tick stop close ");
	assert_int_equal(probe.failed, -EACCES);
	assert_int_equal(f->run.metric[SD_METRIC_CYCLES].status, SD_STATUS_DENIED);
	/* it existed, and had not begun */
	assert_string_equal(probe.exe, probe.own);
	assert_true(probe.target.subreaper > 0 && probe.target.subreaper != getpid());
	assert_true(probe.ticks > 1);
	/* a probe's number goes before the kernel's accounting, its absence does not */
	assert_true(metric(f, SD_METRIC_USER) == 123);
	assert_true(metric(f, SD_METRIC_SYSTEM) >= 0);
	assert_true(metric(f, SD_METRIC_POLL_CPU) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(a_program_that_cannot_start_is_explained),
		T(a_folder_that_cannot_be_entered_is_said),
		T(too_many_arguments_are_said),
		T(an_output_file_that_cannot_be_written_is_said),
		T(the_digest_is_fnv1a_of_stdout),
		T(a_hundred_megabytes_of_output_are_no_problem),
		T(an_input_file_is_read_by_every_run_from_the_same_place),
		T(output_can_be_shown_as_it_comes),
		T(probes_are_called_in_order_around_the_run),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
