/*
 * A full disk and ulimit -f take the user's program its log, and nothing else.
 */
#include "trace/log_room.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "markers/scalediag.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/log_room.XXXXXX");
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	if (geteuid() == 0)
		(void)umount2(folder, MNT_DETACH);
	return rmdir(folder);
}

static const char *in(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* The status of a child that does that. */
static int status_of(void (*act)(void))
{
	int status = -1;
	const pid_t pid = fork();

	if (pid == 0) {
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void mark(void)
{
	char name[16];

	setenv("SCALEDIAG_MARKERS", in("markers"), 1);
	for (int i = 0; i < 900; i++) { /* more pages than a small disk has */
		snprintf(name, sizeof name, "region %d", i);
		sd_region_begin(name);
		sd_region_end(name);
	}
}

static void mark_below_a_limit(void)
{
	const struct rlimit limit = {100000, 100000};

	(void)setrlimit(RLIMIT_FSIZE, &limit);
	mark();
}

static void reserve_below_a_limit(void)
{
	const struct rlimit limit = {100000, 100000};
	const int fd = open(in("log"), O_RDWR | O_CREAT | O_EXCL, 0600);

	(void)setrlimit(RLIMIT_FSIZE, &limit);
	if (sd_log_room_reserve(fd, 0, 100000) != 0 ||
		sd_log_room_reserve(fd, 90000, 20000) != -1 || sd_log_room_is_allowed(100001) ||
		!sd_log_room_is_allowed(100000))
		_exit(1);
}

static void a_limit_of_files_kills_nobody(void **state)
{
	(void)state;
	assert_int_equal(status_of(mark_below_a_limit), 0);
	assert_int_equal(status_of(reserve_below_a_limit), 0);
	unlink(in("markers"));
	unlink(in("log"));
}

/* Stores to reserved room succeed, to the last byte of the disk. */
static void fill(void)
{
	const int fd = open(in("log"), O_RDWR | O_CREAT | O_EXCL, 0600);
	const size_t whole = 16 << 20, step = 65536;
	char *map;
	size_t n = 0;

	if (ftruncate(fd, (off_t)whole))
		_exit(1);
	map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	while (sd_log_room_reserve(fd, n, step) == 0)
		n += step;
	if (map == MAP_FAILED || !n || n == whole)
		_exit(2);
	memset(map, 1, n);
}

static void a_full_disk_kills_nobody(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("needs root: a small disk is mounted\n");
		skip();
	}
	assert_int_equal(mount("none", folder, "tmpfs", 0, "size=400k"), 0);
	assert_int_equal(status_of(mark), 0);
	unlink(in("markers"));
	assert_int_equal(status_of(fill), 0);
	unlink(in("log"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_of_files_kills_nobody),
		cmocka_unit_test(a_full_disk_kills_nobody),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
