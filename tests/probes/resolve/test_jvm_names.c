/*
 * A Java virtual machine is asked for names and threads as jcmd asks it, and only one that may be:
 * processes that have mapped a file of HotSpot's name and answer as it does, or do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resolve/jvm_monitors.h"
#include "resolve/jvm_names.h"

#define MS UINT64_C(1000000)
#define NAMES "1\0jcmd\0Compiler.perfmap\0\0"
#define THREADS "1\0threaddump\0\0\0"
#define DUMP                                                      \
	"0\n\"Thread-0\" #12 nid=0x1 waiting for monitor entry\n" \
	"\tat Ids.work(Ids.java:8)\n\t- waiting to lock <0x1> (a Ids)\n\n"

/* ---- a machine --------------------------------------------------------------------------------
 */

static volatile sig_atomic_t called;

static void note(int signal)
{
	(void)signal;
	called = 1;
}

/* Maps a file of this name, which is removed again: the mapping keeps it. */
static void map_library(const char *folder, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	if (fd < 0 || ftruncate(fd, 4096) ||
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(3);
	close(fd);
}

static int listen_at(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 4))
		_exit(4);
	return fd;
}

/* A request is five texts. */
static size_t read_request(int fd, char *text, size_t size)
{
	size_t n = 0, texts = 0;

	while (texts < 5) {
		if (n == size || read(fd, text + n, 1) != 1)
			_exit(5);
		texts += !text[n++];
	}
	return n;
}

/* Takes one request, for names, where it writes the map if `says` begins with 0, or for threads. */
static void answer(int listening, const char *says)
{
	const int fd = accept(listening, NULL, NULL);
	char text[64], path[64];
	const size_t n = read_request(fd, text, sizeof text);

	if (n == sizeof THREADS && memcmp(text, THREADS, n) == 0)
		says = DUMP;
	else if (n != sizeof NAMES || memcmp(text, NAMES, n) != 0)
		_exit(6);
	else if (*says == '0') {
		FILE *f;

		snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
		f = fopen(path, "a");
		if (!f || fputs("1000 10 Ids::work\n", f) < 0 || fclose(f))
			_exit(7);
	}
	if (write(fd, says, strlen(says)) < 0)
		_exit(8);
	close(fd);
}

static void *wait_for_ever(void *of)
{
	pause();
	return of;
}

/* Lives until it is killed; "-Xrs": does not catch the signal; "forked": has one thread, as a child
 * before it executes another program; "OpenJ9": has that one's library, too. */
static int machine(const char *folder, const char *says, const char *option)
{
	char attach[64], path[64];
	pthread_t other;
	int listening = -1;

	map_library(folder, "libjvm.so");
	if (strcmp(option, "OpenJ9") == 0)
		map_library(folder, "libj9vm29.so");
	if (strcmp(option, "forked") != 0 && pthread_create(&other, NULL, wait_for_ever, NULL))
		return 11;
	if (strcmp(option, "-Xrs") != 0)
		signal(SIGQUIT, note);
	snprintf(attach, sizeof attach, "/tmp/.attach_pid%d", (int)getpid());
	snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)getpid());
	if (write(1, "+", 1) != 1)
		return 9;
	for (;;) {
		if (listening < 0 && called) {
			if (access(attach, F_OK))
				return 10; /* this one would print its threads */
			listening = listen_at(path);
		}
		if (listening >= 0)
			answer(listening, says);
		else
			usleep(1000);
	}
}

/* ---- the asking -------------------------------------------------------------------------------
 */

static pid_t start(const char *folder, const char *says, const char *option)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ready[1], 1);
		execl("/proc/self/exe", "jvm", folder, says, option, (char *)NULL);
		_exit(2);
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static int is_there(const char *before, pid_t pid, const char *behind)
{
	char path[64];

	snprintf(path, sizeof path, "/tmp/%s%d%s", before, (int)pid, behind);
	return access(path, F_OK) == 0;
}

/* Is a question open, for which the machine needs time of its own? */
static int is_asked(const struct sd_jvm_names *j)
{
	return j->n &&
	       (j->vm[0].state == SD_JVM_NAMES_CALLED || j->vm[0].state == SD_JVM_NAMES_ASKED);
}

/* Looks every 30 ms of a clock of its own, from `from` to `to`; while a question is open it is the
 * machine's clock, too. */
static void look(struct sd_jvm_names *j, unsigned from, unsigned to)
{
	for (unsigned ms = from; ms <= to; ms += 30) {
		sd_jvm_names_look(j, ms * MS + 1);
		usleep(is_asked(j) ? 30000 : 1000);
	}
}

static void end(pid_t pid, const char *folder)
{
	char path[256];
	int status;

	assert_int_equal(waitpid(pid, &status, WNOHANG), 0); /* nothing has ended it */
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)pid);
	remove(path);
	snprintf(path, sizeof path, "%s/libjvm.so", folder);
	remove(path);
	snprintf(path, sizeof path, "%s/libj9vm29.so", folder);
	remove(path);
}

static void a_machine_writes_its_names_when_it_is_asked(void **state)
{
	char folder[] = "/tmp/sd-jvm-XXXXXX";
	struct sd_jvm_monitors m = {0};
	struct sd_jvm_names j = {.monitors = &m};
	struct sd_jvm_waiting w;

	(void)state;
	assert_non_null(mkdtemp(folder));
	j.pid = start(folder, "0\n", "-Xmx1g");
	look(&j, 0, 390);
	assert_int_equal(j.n, 0); /* not before there is anything to tell */
	look(&j, 420, 780);
	assert_int_equal(j.n, 1);
	assert_int_equal(j.vm[0].state, SD_JVM_NAMES_IDLE);
	assert_true(is_there("perf-", j.pid, ".map"));
	assert_false(is_there(".attach_pid", j.pid, ""));
	assert_int_equal(sd_jvm_monitors_find(&m, "Ids.work()", &w), 1);
	look(&j, 810, 1200); /* again, and by the socket that is there */
	assert_int_equal(j.vm[0].state, SD_JVM_NAMES_IDLE);
	assert_true(j.vm[0].since > 800 * MS);
	assert_int_equal(sd_jvm_monitors_find(&m, "Ids.work()", &w), 1);
	assert_int_equal(w.dumps, 2);
	sd_jvm_monitors_free(&m);
	{
		const pid_t pid = j.pid;

		end(pid, folder);
		sd_jvm_names_end(&j);
		assert_false(is_there("perf-", pid, ".map"));
	}
	rmdir(folder);
}

/* Each stays as it is, and has no file more than before. */
static void one_that_may_not_be_asked_is_left_alone(void **state)
{
	static const struct {
		const char *says, *option;
		unsigned met;
	} row[] = {
		{"0\n", "-Xrs", 0},
		{"0\n", "forked", 0},
		{"0\n", "OpenJ9", 0},
		{"0\n", "-XX:+DisableAttachMechanism", 1},
		{"0\n", "-XX:+DumpPerfMapAtExit", 1},
		{"1\nno such command\n", "-Xmx1g", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char folder[] = "/tmp/sd-jvm-XXXXXX";
		struct sd_jvm_names j = {0};
		pid_t pid;

		print_message("%s, %s", row[i].option, row[i].says);
		assert_non_null(mkdtemp(folder));
		pid = j.pid = start(folder, row[i].says, row[i].option);
		look(&j, 0, 1200);
		assert_int_equal(j.n, row[i].met);
		if (j.n)
			assert_int_equal(j.vm[0].state, SD_JVM_NAMES_NEVER);
		assert_false(is_there("perf-", pid, ".map"));
		assert_false(is_there(".attach_pid", pid, ""));
		sd_jvm_names_end(&j);
		end(pid, folder);
		rmdir(folder);
	}
}

/* A map of the user's own stays. */
static void a_map_that_was_there_is_kept(void **state)
{
	char folder[] = "/tmp/sd-jvm-XXXXXX", path[64];
	struct sd_jvm_names j = {0};
	pid_t pid;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	pid = j.pid = start(folder, "0\n", "-Xmx1g");
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	look(&j, 0, 780);
	assert_int_equal(j.vm[0].state, SD_JVM_NAMES_IDLE);
	sd_jvm_names_end(&j);
	assert_true(is_there("perf-", pid, ".map"));
	remove(path);
	end(pid, folder);
	rmdir(folder);
}

/* Pieces of an answer, each looked at before the next: by its first byte it is judged. */
static void only_the_first_byte_of_an_answer_counts(void **state)
{
	static const struct {
		const char *piece[3];
		enum sd_jvm_names_state then;
	} row[] = {
		{{"0", "\n"}, SD_JVM_NAMES_IDLE},
		{{"0\n", "1"}, SD_JVM_NAMES_IDLE},
		{{"1", "0", "0\nno such command"}, SD_JVM_NAMES_NEVER},
		{{NULL}, SD_JVM_NAMES_NEVER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_jvm_names j = {.n = 1, .vm[0] = {.tmp = -1, .state = SD_JVM_NAMES_ASKED}};
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		j.vm[0].socket = pair[0];
		for (int k = 0; k < 3 && row[i].piece[k]; k++) {
			const size_t n = strlen(row[i].piece[k]);

			assert_int_equal(write(pair[1], row[i].piece[k], n), n);
			sd_jvm_names_look(&j, 1);
			assert_int_equal(j.vm[0].state, SD_JVM_NAMES_ASKED);
		}
		close(pair[1]);
		sd_jvm_names_look(&j, 1);
		assert_int_equal(j.vm[0].state, row[i].then);
		sd_jvm_names_end(&j);
	}
}

/* The sampling goes on, and in the end it is left alone. */
static void an_answer_without_end_is_not_waited_for(void **state)
{
	struct sd_jvm_names j = {.n = 1, .vm[0] = {.tmp = -1, .state = SD_JVM_NAMES_ASKED}};
	static const char text[65536] = "0";
	int pair[2], left = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	j.vm[0].socket = pair[0];
	for (unsigned ms = 100; ms <= 2000; ms += 100) {
		/* as much as there is room for */
		assert_true(write(pair[1], text, sizeof text) > 0 || errno == EAGAIN);
		sd_jvm_names_look(&j, ms * MS);
		assert_int_equal(ioctl(pair[0], FIONREAD, &left), 0);
		assert_true(left > 0);
		assert_int_equal(j.vm[0].state, SD_JVM_NAMES_ASKED);
	}
	sd_jvm_names_look(&j, 2200 * MS);
	assert_int_equal(j.vm[0].state, SD_JVM_NAMES_NEVER);
	sd_jvm_names_end(&j);
	close(pair[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_writes_its_names_when_it_is_asked),
		cmocka_unit_test(one_that_may_not_be_asked_is_left_alone),
		cmocka_unit_test(a_map_that_was_there_is_kept),
		cmocka_unit_test(only_the_first_byte_of_an_answer_counts),
		cmocka_unit_test(an_answer_without_end_is_not_waited_for),
	};

	if (argc == 4 && strcmp(argv[0], "jvm") == 0)
		return machine(argv[1], argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
