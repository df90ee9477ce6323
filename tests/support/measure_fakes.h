/*
 * For the tests of the measure layer: what probes and microbench provide to the program, here with
 * answers that the test chooses; and helpers to run small programs and to see that nothing of them
 * is left. Included once a test binary.
 */
#ifndef SD_MEASURE_FAKES_H
#define SD_MEASURE_FAKES_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/private_cgroup.h"
#include "bench/line_probe.h"
#include "base/number.h"
#include "base/sink.h"

/* ---- the other layers ---- */

/* A hold that can be had or not, and what was asked of it. */
static int fake_hold = -ENOTSUP;
static pid_t fake_hold_pid;
static unsigned fake_hold_closed;

int sd_private_cgroup_cpuset(struct sd_private_cgroup *h, const struct sd_cpulist *cpus)
{
	(void)cpus;
	*h = (struct sd_private_cgroup){0};
	return fake_hold;
}

int sd_private_cgroup_weight(struct sd_private_cgroup *h)
{
	*h = (struct sd_private_cgroup){0};
	return -ENOTSUP;
}

int sd_private_cgroup_add(const struct sd_private_cgroup *h, pid_t pid)
{
	(void)h;
	fake_hold_pid = pid;
	return fake_hold;
}

int sd_private_cgroup_files(const struct sd_private_cgroup *h, int *in, int *back)
{
	(void)h;
	*in = *back = -1;
	return -ENOTSUP;
}

int sd_private_cgroup_folder(const struct sd_private_cgroup *h)
{
	(void)h;
	return -ENOTSUP;
}

int sd_private_cgroup_close(struct sd_private_cgroup *h)
{
	*h = (struct sd_private_cgroup){0};
	fake_hold_closed++;
	return 0;
}

/* The line transfers to answer with, in order; the last one for ever. None: unsupported. */
static const double *fake_line;
static size_t fake_lines, fake_line_calls;

struct sd_value sd_line_probe_state(const struct sd_cpulist *cpus)
{
	const size_t i = fake_line_calls++;

	(void)cpus;
	if (!fake_lines)
		return SD_NOT(UNSUPPORTED);
	return SD_OK(fake_line[i < fake_lines ? i : fake_lines - 1]);
}

/* ---- messages ---- */

struct said {
	unsigned n, errors;
	char text[4096]; /* all of them, a line each */
};

static __attribute__((unused)) void hear_said(void *ctx, enum sd_level level, const char *text)
{
	struct said *s = ctx;
	const size_t used = strlen(s->text);

	s->n++;
	s->errors += level == SD_LEVEL_ERROR;
	snprintf(s->text + used, sizeof s->text - used, "%s\n", text);
}

/* ---- processes ---- */

/* Processes whose environment holds `mark`, zombies not counted; *one is one of them. */
static __attribute__((unused)) unsigned marked(const char *mark, pid_t *one)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	unsigned n = 0;

	assert_non_null(proc);
	while ((d = readdir(proc))) {
		char path[300], text[32768];
		uint64_t pid;
		ssize_t got;
		int fd;

		if (sd_number_u64(d->d_name, 2, INT32_MAX, &pid) || (pid_t)pid == getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%s/environ", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		got = fd < 0 ? -1 : read(fd, text, sizeof text);
		if (fd >= 0)
			close(fd);
		if (got > 0 && memmem(text, (size_t)got, mark, strlen(mark))) {
			n++;
			if (one)
				*one = (pid_t)pid;
		}
	}
	closedir(proc);
	return n;
}

static __attribute__((unused)) void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static __attribute__((unused)) void sleep_ms(unsigned ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

/* ---- files ---- */

/* A fresh folder; `remove_folder` takes it away with all its files. */
static __attribute__((unused)) char *make_folder(char *path, size_t size)
{
	const char *base = getenv("TMPDIR");

	snprintf(path, size, "%s/scalediag-test-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(path));
	return path;
}

static __attribute__((unused)) void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			unlinkat(dirfd(dir), d->d_name, 0);
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
}

static __attribute__((unused)) void write_file(const char *path, const char *text, mode_t mode)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
}

/* The beginning of a file as text. */
static __attribute__((unused)) char *read_file(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

#endif
