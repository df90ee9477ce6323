#include <fcntl.h>
#include <linux/magic.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "diagnose/measure/launch/launch_fixture.h"
#include "launch/held_cpus.h"

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

static void runs_of_a_session_share_what_holds_them(void **state)
{
	struct fixture *f = *state;
	unsigned cpu = (unsigned)sched_getcpu();
	struct sd_cpulist list = {.cpu = &cpu, .n = 1};
	struct sd_held_cpus held = {0};

	f->launch.cpus = &list;
	f->launch.held = &held;
	fake_hold = 0;
	fake_hold_closed = 0;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run_shell(f, "exit 0"), 0);
		assert_int_equal(f->run.flags, SD_RUN_HELD);
		assert_int_equal(held.n, 1);
	}
	fake_hold = -ENOTSUP;
	assert_int_equal(fake_hold_closed, 0);
	sd_held_cpus_close(&held);
	assert_int_equal(fake_hold_closed, 1);
}

/* A program that can move itself into a group is not moved; else it is, or it is not in it. */
static void a_group_that_the_program_starts_in_is_not_asked_again(void **state)
{
	const struct sd_private_cgroup group = {0};
	struct sd_run_groups g = {.group = {&group, &group},
		.flag = {SD_RUN_SHIELDED, SD_RUN_HELD},
		.in = {-1, -1},
		.back = {-1, -1},
		.n = 2};
	char text[4] = "";
	int file[2], back[2];

	(void)state;
	assert_int_equal(pipe(file), 0);
	assert_int_equal(pipe(back), 0);
	g.in[1] = file[1];
	g.back[1] = back[1];
	fake_hold_pid = 0;
	assert_int_equal(sd_run_groups_enter(&g), 2);
	assert_int_equal(read(file[0], text, sizeof text), 1);
	assert_string_equal(text, "0");
	sd_run_groups_leave(&g, 2);
	assert_int_equal(read(back[0], text, sizeof text), 1);
	assert_int_equal(sd_run_groups_add(&g, 2, 77), SD_RUN_HELD);
	assert_int_equal(fake_hold_pid, 77);
	fake_hold = 0;
	assert_int_equal(sd_run_groups_add(&g, 2, 77), SD_RUN_HELD | SD_RUN_SHIELDED);
	fake_hold = -ENOTSUP;
	sd_run_groups_close(&g);
	close(file[0]);
	close(back[0]);
}

/* A group of version 2 beside ours, for this test; 0: there is none, or it may not be made. */
static int make_group(char *path, size_t size)
{
	static const char *const mount[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	struct statfs fs;

	for (size_t i = 0; i < sizeof mount / sizeof *mount; i++) {
		if (statfs(mount[i], &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
			continue;
		snprintf(path, size, "%s/sd-test-%d", mount[i], (int)getpid());
		if (mkdir(path, 0755) == 0)
			return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return 0;
}

static void say_parent_and_wait(const void *with, pid_t parent)
{
	const char right = parent == getppid() ? 'y' : 'n';

	for (ssize_t n = write(*(const int *)with, &right, 1); n <= 1;)
		pause();
}

/* A child that waits: how it was made, as the bits of the groups that it is in, and its own word on
 * them. */
static unsigned forked(const struct sd_run_groups *g, char *groups, size_t size)
{
	unsigned entered = 1;
	char path[64], right = 0;
	int fd[2];
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = sd_run_groups_fork(g, say_parent_and_wait, &fd[1], &entered);
	assert_true(pid > 0);
	assert_int_equal(read(fd[0], &right, 1), 1);
	assert_int_equal(right, 'y');
	close(fd[0]);
	close(fd[1]);
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	read_file(path, groups, size);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return entered;
}

static void a_program_is_born_in_a_group_of_version_2(void **state)
{
	struct sd_run_groups g = {.in = {-1, -1}, .back = {-1, -1}, .n = 2, .born = 1};
	char path[64] = "", groups[4096];

	(void)state;
	g.folder = make_group(path, sizeof path);
	if (g.folder <= 0) {
		print_message("SKIP: no group of version 2 can be made here\n");
		skip();
	}
	/* beside the one that it had reached before */
	assert_int_equal(forked(&g, groups, sizeof groups), 3);
	assert_non_null(strstr(groups, strrchr(path, '/')));
	close(g.folder);
	/* the kernel keeps who has ended in it for a moment */
	for (int i = 0; i < 1000 && rmdir(path) && errno == EBUSY; i++)
		usleep(1000);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_program_that_cannot_be_born_there_is_moved_later(void **state)
{
	struct sd_run_groups g = {.in = {-1, -1}, .back = {-1, -1}, .n = 2, .born = 1};
	char groups[4096];

	(void)state;
	assert_int_equal(forked(&g, groups, sizeof groups), 1);
	g.folder = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(g.folder > 0);
	assert_int_equal(forked(&g, groups, sizeof groups), 1);
	sd_run_groups_close(&g);
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
		T(runs_of_a_session_share_what_holds_them),
		T(a_group_that_the_program_starts_in_is_not_asked_again),
		T(a_program_is_born_in_a_group_of_version_2),
		T(a_program_that_cannot_be_born_there_is_moved_later),
		T(it_runs_although_we_have_no_standard_files),
		T(it_is_reaped_although_we_ignore_our_children),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
