#include "support/measure_fakes.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>

#include "launch/launch.h"

/* One test's folder, its program's files, and a mark that only its processes carry. */
struct fixture {
	char folder[256], out[300], err[300], mark[64];
	char *envp[3];
	struct said said;
	struct sd_sink sink;
	struct sd_run run;
	struct sd_launch launch;
	char *argv[8];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	make_folder(f->folder, sizeof f->folder);
	snprintf(f->out, sizeof f->out, "%s/t.scalediag.out", f->folder);
	snprintf(f->err, sizeof f->err, "%s/t.scalediag.err", f->folder);
	snprintf(f->mark, sizeof f->mark, "SD_MARK=%s", strrchr(f->folder, '/'));
	f->envp[0] = f->mark;
	f->envp[1] = strdup("PATH=/usr/bin:/bin");
	f->sink = (struct sd_sink){.emit = hear_said, .ctx = &f->said};
	f->launch = (struct sd_launch){.argv = f->argv,
		.envp = f->envp,
		.cores = 1,
		.stdout_path = f->out,
		.stderr_path = f->err};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(marked(f->mark, NULL), 0);
	assert_no_children();
	sd_run_free(&f->run);
	remove_folder(f->folder);
	free(f->envp[1]);
	free(f);
	return 0;
}

/* Runs `sh -c script`. */
static int run_shell(struct fixture *f, const char *script)
{
	char sh[] = "sh", c[] = "-c", *copy = strdup(script);
	int rc;

	assert_non_null(copy);
	f->argv[0] = sh;
	f->argv[1] = c;
	f->argv[2] = copy;
	f->argv[3] = NULL;
	rc = sd_launch(&f->launch, &f->run, &f->sink);
	f->argv[0] = f->argv[1] = f->argv[2] = NULL;
	free(copy);
	return rc;
}

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

static double metric(const struct fixture *f, enum sd_metric m)
{
	assert_int_equal(f->run.metric[m].status, SD_STATUS_OK);
	return f->run.metric[m].value;
}

/* ---- how it ended ---- */

static void an_exit_status_is_kept(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "exit 7"), 0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(f->run.code, 7);
	assert_int_equal(f->run.flags, 0);
	assert_true(metric(f, SD_METRIC_WALL) > 0);
	assert_true(f->run.start > 1.6e9);
	assert_int_equal(f->said.n, 0);
}

static void a_crash_is_kept_with_its_signal(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "kill -SEGV $$"), 0);
	assert_int_equal(f->run.end, SD_END_SIGNALLED);
	assert_int_equal(f->run.code, SIGSEGV);
}

static void the_wall_time_is_that_of_the_main_process(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "sleep 0.2"), 0);
	assert_true(metric(f, SD_METRIC_WALL) >= 0.2);
	/* a process that stays behind does not count */
	assert_int_equal(run_shell(f, "sleep 100 & exit 0"), 0);
	assert_true(metric(f, SD_METRIC_WALL) < 50);
}

static void cpu_time_of_the_whole_tree_is_summed(void **state)
{
	struct fixture *f = *state;

	/* the middle process does not wait for its child */
	assert_int_equal(
		run_shell(f, "burn() { i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; }\n"
			     "(burn & burn); wait; sleep 0.5"),
		0);
	assert_true(metric(f, SD_METRIC_USER) > 0);
	assert_true(metric(f, SD_METRIC_MAX_RSS) > 100000);
	assert_true(metric(f, SD_METRIC_MINOR_FAULTS) > 0);
}

/* ---- what the program is given ---- */

static void it_gets_arguments_environment_folder_and_no_input(void **state)
{
	struct fixture *f = *state;
	char text[1024], want[1024];

	f->launch.cwd = f->folder;
	assert_int_equal(run_shell(f, "echo \"$SD_MARK\"; pwd -P; cat; echo bad >&2"), 0);
	snprintf(want, sizeof want, "%s\n%s\n", f->mark + 8, f->folder);
	assert_string_equal(read_file(f->out, text, sizeof text), want);
	assert_string_equal(read_file(f->err, text, sizeof text), "bad\n");
	assert_int_equal(f->run.stdout_bytes, strlen(want));
}

static void it_leads_its_own_process_group(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		run_shell(f, "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 != $$ ]"), 0);
	assert_int_equal(f->run.code, 0);
}

static void signals_are_as_a_shell_leaves_them(void **state)
{
	struct fixture *f = *state;
	sigset_t set, before;
	int rc;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	rc = run_shell(f, "grep -E '^Sig(Blk|Ign)' /proc/self/status; kill -PIPE $$; sleep 9");
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(rc, 0);
	assert_int_equal(f->run.end, SD_END_SIGNALLED);
	assert_int_equal(f->run.code, SIGPIPE);
	{
		char text[512];

		assert_non_null(
			strstr(read_file(f->out, text, sizeof text), "SigBlk:\t0000000000000000"));
	}
}

static void it_is_bound_before_its_first_instruction(void **state)
{
	struct fixture *f = *state;
	unsigned cpu = (unsigned)sched_getcpu();
	struct sd_cpulist list = {.cpu = &cpu, .n = 1};
	char text[256], want[64];
	cpu_set_t before, after;

	sched_getaffinity(0, sizeof before, &before);
	f->launch.cpus = &list;
	assert_int_equal(run_shell(f, "grep Cpus_allowed_list /proc/self/status"), 0);
	snprintf(want, sizeof want, "Cpus_allowed_list:\t%u\n", cpu);
	assert_string_equal(read_file(f->out, text, sizeof text), want);
	assert_int_equal(f->run.flags, 0);
	/* and stepping aside is undone */
	sched_getaffinity(0, sizeof after, &after);
	assert_true(CPU_EQUAL(&before, &after));
}

static void a_cpu_that_is_not_there_is_said(void **state)
{
	struct fixture *f = *state;
	unsigned cpu[2] = {(unsigned)sched_getcpu(), SD_CPU_MAX - 1};
	struct sd_cpulist list = {.cpu = cpu, .n = 2};

	f->launch.cpus = &list;
	assert_int_equal(run_shell(f, "exit 0"), -ENODEV);
	assert_int_equal(f->said.errors, 1);
	assert_non_null(strstr(f->said.text, "CPU 65535"));
	list.cpu = cpu + 1;
	list.n = 1;
	assert_int_equal(run_shell(f, "exit 0"), -ENODEV);
}

static void a_hold_comes_before_the_program_and_is_given_back(void **state)
{
	struct fixture *f = *state;
	unsigned cpu = (unsigned)sched_getcpu();
	struct sd_cpulist list = {.cpu = &cpu, .n = 1};
	char text[64], want[64];

	f->launch.cpus = &list;
	fake_hold = 0;
	fake_hold_closed = 0;
	assert_int_equal(run_shell(f, "echo $$"), 0);
	fake_hold = -ENOTSUP;
	assert_int_equal(f->run.flags, SD_RUN_HELD);
	assert_int_equal(fake_hold_closed, 1);
	snprintf(want, sizeof want, "%d\n", (int)fake_hold_pid);
	assert_string_equal(read_file(f->out, text, sizeof text), want);
}

static void it_runs_although_we_have_no_standard_files(void **state)
{
	struct fixture *f = *state;
	const pid_t pid = fork();
	char text[64];
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			close(i);
		_exit(run_shell(f, "echo out; echo err >&2; cat") || f->run.code);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(read_file(f->out, text, sizeof text), "out\n");
	assert_string_equal(read_file(f->err, text, sizeof text), "err\n");
}

static void it_is_reaped_although_we_ignore_our_children(void **state)
{
	struct fixture *f = *state;
	int rc;

	signal(SIGCHLD, SIG_IGN);
	rc = run_shell(f, "(exit 3) & wait $!; exit $(($? + 4))");
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(rc, 0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(f->run.code, 7);
}

/* ---- nothing survives ---- */

static void what_outlives_the_program_is_killed_and_said(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		run_shell(f, "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' &)\n"
			     "setsid sleep 1000 & exit 3"),
		0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(f->run.code, 3);
	assert_true(f->run.flags & SD_RUN_LEFTOVER);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_child_that_ends_right_after_the_program_is_no_leftover(void **state)
{
	struct fixture *f = *state;

	double took = INFINITY;

	/* on a busy machine "right after" may take long */
	for (int i = 0; i < 20; i++) {
		f->run.flags = 0;
		assert_int_equal(run_shell(f, "sleep 0.005 & exit 0"), 0);
		if (!f->run.flags)
			return;
		assert_int_equal(run_shell(f, "sleep 0.005; exit 0"), 0);
		took = fmin(took, metric(f, SD_METRIC_WALL));
	}
	/* 50 ms are allowed: what takes that long itself cannot be done by then */
	if (took < .04)
		fail();
	fprintf(stderr, "SKIP: %s: a sleep of 5 ms takes %.0f ms here\n", __func__, 1e3 * took);
	skip();
}

static void a_timeout_ends_a_tree_that_does_not_want_to(void **state)
{
	/* a busy machine may end it before it has said that it does not want to */
	static const double timeout[] = {0.2, 2, 10};
	struct fixture *f = *state;

	for (size_t i = 0; i < 3 && (i == 0 || f->run.code != SIGKILL); i++) {
		f->launch.timeout_s = timeout[i];
		assert_int_equal(run_shell(f, "trap '' TERM\n"
					      "(setsid sh -c 'while :; do sleep 1; done' &)\n"
					      "while :; do sleep 1; done"),
			0);
		assert_int_equal(f->run.end, SD_END_TIMEOUT);
		assert_true(metric(f, SD_METRIC_WALL) >= timeout[i]);
		assert_int_equal(marked(f->mark, NULL), 0);
		assert_int_equal(f->run.flags & SD_RUN_LEFTOVER, 0);
	}
	assert_int_equal(f->run.code, SIGKILL);
}

static void a_stopped_program_times_out_too(void **state)
{
	struct fixture *f = *state;

	f->launch.timeout_s = 0.1;
	assert_int_equal(run_shell(f, "kill -STOP $$"), 0);
	assert_int_equal(f->run.end, SD_END_TIMEOUT);
}

static void a_bush_of_stubborn_processes_is_killed(void **state)
{
	struct fixture *f = *state;

	f->launch.timeout_s = 1;
	assert_int_equal(run_shell(f, "trap '' TERM\n"
				      "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi\n"
				      "while :; do sleep 1; done; }\n"
				      "f 6"),
		0);
	assert_int_equal(f->run.end, SD_END_TIMEOUT);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_process_that_hops_from_pid_to_pid_is_caught(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "trap '' TERM; hop() { hop & }; hop"), 0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_thousand_short_children_are_reaped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		run_shell(f, "i=0; while [ $i -lt 1000 ]; do (exit 0) & i=$((i+1)); done; wait"),
		0);
	assert_int_equal(f->run.code, 0);
	assert_true(metric(f, SD_METRIC_MINOR_FAULTS) > 1000);
}

/* Forks a process that launches `script`, and waits until `n` of its processes run. */
static pid_t launch_elsewhere(struct fixture *f, const char *script, unsigned n)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(run_shell(f, script) == -EIO && f->said.errors == 1 ? 42 : 1);
	for (int i = 0; i < 1000 && marked(f->mark, NULL) < n; i++)
		sleep_ms(10);
	assert_true(marked(f->mark, NULL) >= n);
	return pid;
}

static void assert_all_gone(const struct fixture *f)
{
	for (int i = 0; i < 1000 && marked(f->mark, NULL) > 0; i++)
		sleep_ms(10);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static const char stubborn[] = "trap '' TERM HUP INT\n"
			       "(setsid sh -c 'sleep 1000; sleep 1000' &)\n"
			       "sleep 1000; sleep 1000";

static void killing_scalediag_kills_the_tree(void **state)
{
	struct fixture *f = *state;
	const pid_t pid = launch_elsewhere(f, stubborn, 4);

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_all_gone(f);
}

/* The parent of a process. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	uint64_t parent = 0;
	char *p;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	p = strstr(read_file(path, text, sizeof text), "PPid:\t");
	assert_non_null(p);
	p[6 + strspn(p + 6, "0123456789")] = '\0';
	assert_int_equal(sd_number_u64(p + 6, 0, INT32_MAX, &parent), 0);
	return (pid_t)parent;
}

static void killing_the_keeper_kills_the_tree(void **state)
{
	struct fixture *f = *state;
	const pid_t pid = launch_elsewhere(f, stubborn, 4);
	pid_t keeper = 0;
	int status;

	assert_true(marked(f->mark, &keeper) > 0);
	while (parent_of(keeper) != pid)
		keeper = parent_of(keeper);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(marked(f->mark, NULL), 0);
}

/* ---- stopping ---- */

struct stopping {
	volatile sig_atomic_t stop;
	const char *ready; /* a file that is there once the program can be asked; NULL: at once */
	int most;          /* times */
};

static void stop_from_progress(void *ctx, double seconds)
{
	struct stopping *s = ctx;

	if (seconds > 0 && s->stop < s->most && (!s->ready || access(s->ready, F_OK) == 0))
		s->stop++;
}

static void ctrl_c_asks_and_twice_kills(void **state)
{
	struct fixture *f = *state;
	char ready[300];
	struct stopping s = {.ready = ready, .most = 1};

	snprintf(ready, sizeof ready, "%s/ready", f->folder);
	f->launch.stop = &s.stop;
	f->launch.progress = stop_from_progress;
	f->launch.progress_ctx = &s;
	f->launch.cwd = f->folder;
	assert_int_equal(
		run_shell(f, "trap 'echo asked; exit 0' TERM; : >ready; sleep 1000 & wait"),
		-EINTR);
	{
		char text[64];

		assert_string_equal(read_file(f->out, text, sizeof text), "asked\n");
	}
	s = (struct stopping){.most = 2};
	assert_int_equal(run_shell(f, stubborn), -EINTR);
	assert_int_equal(marked(f->mark, NULL), 0);
	/* and what is stopped already does not start */
	unlink(f->out);
	assert_int_equal(run_shell(f, "echo started"), -EINTR);
	assert_int_equal(access(f->out, F_OK), -1);
	write_file(f->out, "", 0600);
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
		T(an_exit_status_is_kept),
		T(a_crash_is_kept_with_its_signal),
		T(the_wall_time_is_that_of_the_main_process),
		T(cpu_time_of_the_whole_tree_is_summed),
		T(it_gets_arguments_environment_folder_and_no_input),
		T(it_leads_its_own_process_group),
		T(signals_are_as_a_shell_leaves_them),
		T(it_is_bound_before_its_first_instruction),
		T(a_cpu_that_is_not_there_is_said),
		T(a_hold_comes_before_the_program_and_is_given_back),
		T(it_runs_although_we_have_no_standard_files),
		T(it_is_reaped_although_we_ignore_our_children),
		T(what_outlives_the_program_is_killed_and_said),
		T(a_child_that_ends_right_after_the_program_is_no_leftover),
		T(a_timeout_ends_a_tree_that_does_not_want_to),
		T(a_stopped_program_times_out_too),
		T(a_bush_of_stubborn_processes_is_killed),
		T(a_process_that_hops_from_pid_to_pid_is_caught),
		T(a_thousand_short_children_are_reaped),
		T(killing_scalediag_kills_the_tree),
		T(killing_the_keeper_kills_the_tree),
		T(ctrl_c_asks_and_twice_kills),
		T(a_program_that_cannot_start_is_explained),
		T(a_folder_that_cannot_be_entered_is_said),
		T(too_many_arguments_are_said),
		T(an_output_file_that_cannot_be_written_is_said),
		T(the_digest_is_fnv1a_of_stdout),
		T(a_hundred_megabytes_of_output_are_no_problem),
		T(output_can_be_shown_as_it_comes),
		T(probes_are_called_in_order_around_the_run),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
