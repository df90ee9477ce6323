#include "support/measure_fakes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/keeper.h"
#include "launch/descendants.h"

#define BURN_S 0.1

static char mark[64], *envp[3];
static int null_fd = -1;

/* ---- the program: this file, told what to be ---- */

static void burn(double seconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec * 1e-9 < seconds);
}

/* Its grandchild uses the CPU after its own parent has gone; it waits for that by a pipe only. */
static int orphan_that_works(void)
{
	int ends[2];
	char c;

	if (pipe(ends))
		return 1;
	if (fork() == 0) {
		if (fork() == 0) {
			burn(BURN_S);
			_exit(0);
		}
		_exit(0);
	}
	close(ends[1]);
	return read(ends[0], &c, 1) == 0 ? 0 : 1;
}

/* Ends at once; what it leaves goes on working, or sleeps. */
static int leave(int working)
{
	if (fork() == 0) {
		setsid();
		for (;;)
			if (working)
				burn(1);
			else
				pause();
	}
	return 0;
}

/* ---- the tests ---- */

static int open_it(struct sd_keeper *k, const char *arg, const char *cwd)
{
	static char self[4096], copy[64];
	char *argv[] = {self, copy, NULL};
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const struct sd_keeper_spec spec = {.path = self,
		.argv = argv,
		.envp = envp,
		.cwd = cwd,
		.in = null_fd,
		.out = null_fd,
		.err = null_fd};

	assert_true(n > 0);
	self[n] = '\0';
	snprintf(copy, sizeof copy, "%s", arg);
	return sd_keeper_open(k, &spec);
}

static int setup(void **state)
{
	(void)state;
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	snprintf(mark, sizeof mark, "SD_MARK=keeper-%d", (int)getpid());
	envp[0] = mark;
	return null_fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	close(null_fd);
	assert_int_equal(marked(mark, NULL), 0);
	assert_no_children();
	return 0;
}

static void the_end_is_reported_before_all_is_gone(void **state)
{
	struct sd_keeper k;
	struct sd_keeper_report r;
	int in_chdir;

	(void)state;
	assert_int_equal(open_it(&k, "exit", NULL), 0);
	assert_true(k.program > 0 && k.keeper > 0 && k.program != k.keeper);
	assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
	assert_int_equal(sd_keeper_report(&k, &r), 0);
	assert_int_equal(r.news, SD_KEEPER_ENDED);
	assert_int_equal(r.pid, k.program);
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 9);
	assert_true(r.wall_ns > 0);
	assert_int_equal(sd_keeper_report(&k, &r), 0);
	assert_int_equal(r.news, SD_KEEPER_GONE);
	assert_int_equal(r.leftover, 0);
	assert_int_equal(r.stuck, 0);
	/* after that there is nothing more */
	assert_int_equal(sd_keeper_report(&k, &r), -EIO);
	sd_keeper_close(&k);
	assert_int_equal(k.socket, -1);
	sd_keeper_close(&k);
}

static void the_work_of_orphans_is_counted(void **state)
{
	struct sd_keeper k;
	struct sd_keeper_report r;
	int in_chdir;

	(void)state;
	assert_int_equal(open_it(&k, "orphan", NULL), 0);
	assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
	do
		assert_int_equal(sd_keeper_report(&k, &r), 0);
	while (r.news != SD_KEEPER_GONE);
	sd_keeper_close(&k);
	/* the kernel's tick may be as coarse as 10 ms */
	assert_true((double)(r.usage.ru_utime.tv_sec + r.usage.ru_stime.tv_sec) +
			    (double)(r.usage.ru_utime.tv_usec + r.usage.ru_stime.tv_usec) * 1e-6 >=
		    BURN_S - 0.02);
	assert_true(r.usage.ru_maxrss > 0);
}

static void who_is_left_and_works_is_told_from_who_waits(void **state)
{
	static const char *const what[] = {"leaves-a-sleeper", "leaves-a-worker"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sd_keeper_report r = {0};
		struct sd_keeper k;
		int in_chdir;

		/* on a busy machine a worker may get no CPU for 50 ms */
		for (int again = 0; again < 10 && (again == 0 || (i == 1 && !r.working)); again++) {
			assert_int_equal(open_it(&k, what[i], NULL), 0);
			assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
			do
				assert_int_equal(sd_keeper_report(&k, &r), 0);
			while (r.news != SD_KEEPER_GONE);
			sd_keeper_close(&k);
		}
		assert_int_equal(r.leftover, 1);
		assert_int_equal(r.working, i);
	}
}

static void closing_before_the_start_leaves_nothing(void **state)
{
	struct sd_keeper k;

	(void)state;
	assert_int_equal(open_it(&k, "hang", NULL), 0);
	assert_int_equal(kill(k.program, 0), 0);
	sd_keeper_close(&k);
}

static void closing_while_it_runs_leaves_nothing(void **state)
{
	struct sd_keeper k;
	int in_chdir;

	(void)state;
	assert_int_equal(open_it(&k, "hang", NULL), 0);
	assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
	sd_keeper_close(&k);
}

static void ending_asks_first_and_then_kills(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sd_keeper k;
		struct sd_keeper_report r;
		int in_chdir;

		assert_int_equal(open_it(&k, i ? "hang" : "polite", NULL), 0);
		assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), 0);
		sd_keeper_end(&k, i ? 0 : 100000);
		assert_int_equal(sd_keeper_report(&k, &r), 0);
		assert_int_equal(r.news, SD_KEEPER_ENDED);
		assert_true(WIFSIGNALED(r.status));
		assert_int_equal(WTERMSIG(r.status), i ? SIGKILL : SIGTERM);
		assert_int_equal(sd_keeper_report(&k, &r), 0);
		assert_int_equal(r.leftover, 0);
		sd_keeper_close(&k);
	}
}

static void a_folder_that_cannot_be_entered_is_told_apart(void **state)
{
	struct sd_keeper k;
	int in_chdir;

	(void)state;
	assert_int_equal(open_it(&k, "exit", "/no/such/folder"), 0);
	assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), -ENOENT);
	assert_int_equal(in_chdir, 1);
	sd_keeper_close(&k);
}

static void a_program_killed_before_its_exec_did_not_run(void **state)
{
	struct sd_keeper k;
	int in_chdir;

	(void)state;
	assert_int_equal(open_it(&k, "exit", NULL), 0);
	assert_int_equal(kill(k.program, SIGKILL), 0);
	assert_int_equal(sd_keeper_release(&k, NULL, &in_chdir), -EIO);
	sd_keeper_close(&k);
}

static void children_that_nothing_lists_are_found_by_asking(void **state)
{
	const pid_t child = fork();
	siginfo_t info = {0};
	int status;

	(void)state;
	if (child == 0) {
		setsid();
		for (;;)
			pause();
	}
	assert_true(child > 0);
	assert_int_equal(sd_descendants_signal_unlisted(SIGKILL, child), 1);
	/* dead and not reaped yet, it is not signalled again */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(sd_descendants_signal_unlisted(SIGKILL, child), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static int be_program(const char *what)
{
	if (strcmp(what, "exit") == 0)
		return 9;
	if (strcmp(what, "leaves-a-worker") == 0 || strcmp(what, "leaves-a-sleeper") == 0)
		return leave(strcmp(what, "leaves-a-worker") == 0);
	if (strcmp(what, "orphan") == 0)
		return orphan_that_works();
	if (strcmp(what, "hang") == 0)
		signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

/* A word that it has not read when it ends resets the socket, with its last report still in it. */
static void the_last_report_outlives_a_word_that_came_too_late(void **state)
{
	const struct sd_keeper_report last = {.news = SD_KEEPER_GONE, .status = 7};
	struct sd_keeper k = SD_KEEPER_NONE;
	struct sd_keeper_report r;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	k.socket = pair[0];
	sd_keeper_end(&k, 0);
	assert_int_equal(send(pair[1], &last, sizeof last, 0), (ssize_t)sizeof last);
	close(pair[1]);
	assert_int_equal(sd_keeper_report(&k, &r), 0);
	assert_int_equal(r.status, 7);
	assert_int_equal(sd_keeper_report(&k, &r), -EIO);
	close(pair[0]);
}

/* Whoever has the last descriptor of a kernel's object waits for its end: before the start, while
 * nothing of the program is measured, it has none of ours. */
static void what_the_exec_would_close_is_closed_before_the_start(void **state)
{
	struct pollfd end = {.events = POLLIN};
	struct sd_keeper k;
	int ours[2], inherited[2];

	(void)state;
	assert_int_equal(pipe2(ours, O_CLOEXEC), 0);
	assert_int_equal(pipe(inherited), 0);
	assert_int_equal(open_it(&k, "burn", NULL), 0);
	close(ours[1]);
	close(inherited[1]);
	end.fd = ours[0];
	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_true(end.revents & POLLHUP);
	/* the user's own stays */
	end.fd = inherited[0];
	assert_int_equal(poll(&end, 1, 0), 0);
	sd_keeper_close(&k);
	assert_int_equal(poll(&end, 1, 10000), 1);
	close(ours[0]);
	close(inherited[0]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(children_that_nothing_lists_are_found_by_asking),
		T(the_end_is_reported_before_all_is_gone),
		T(the_work_of_orphans_is_counted),
		T(who_is_left_and_works_is_told_from_who_waits),
		T(closing_before_the_start_leaves_nothing),
		T(closing_while_it_runs_leaves_nothing),
		T(ending_asks_first_and_then_kills),
		T(the_last_report_outlives_a_word_that_came_too_late),
		T(a_folder_that_cannot_be_entered_is_told_apart),
		T(a_program_killed_before_its_exec_did_not_run),
		T(what_the_exec_would_close_is_closed_before_the_start),
#undef T
	};

	if (argc > 1)
		return be_program(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
