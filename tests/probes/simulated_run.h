/*
 * Programs under the software PMU.
 */
#ifndef SD_TEST_SIMULATED_RUN_H
#define SD_TEST_SIMULATED_RUN_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "simfile/sim_file.h"

struct live {
	char folder[64], build[4000], qemu[128];
	struct sd_sim_file file;
};

/* The folder of the build: that of this program's folder. */
static inline int set_up(void **state)
{
	struct live *const l = calloc(1, sizeof *l);
	struct utsname u;
	ssize_t n;

	if (!l || uname(&u))
		return -1;
	*state = l;
	n = readlink("/proc/self/exe", l->build, sizeof l->build - 1);
	/* the test is BUILD/tests/probes/NAME */
	for (int up = 0; n > 0 && up < 3; up++)
		*strrchr(l->build, '/') = '\0';
	/* QEMU_FOLDER: of another version, to be tested */
	snprintf(l->qemu, sizeof l->qemu, "%.100s/qemu-%.20s",
		getenv("QEMU_FOLDER") ? getenv("QEMU_FOLDER") : "/usr/bin", u.machine);
	strcpy(l->folder, "/tmp/simlive.XXXXXX");
	return n > 0 && mkdtemp(l->folder) ? 0 : -1;
}

static inline int tear_down(void **state)
{
	struct live *const l = *state;
	DIR *const d = opendir(l->folder);
	const struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", l->folder, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(l->folder);
	sd_sim_file_free(&l->file);
	free(l);
	return 0;
}

/* Runs it and waits: its exit status, or 128 + signal. Its standard error is in FOLDER/err. */
static inline int run_with(struct live *l, const char *options, const char *program,
	const char *argument, const char *second)
{
	char plugin[8192], path[8192], err[128];
	pid_t pid;
	int status;

	if (access(l->qemu, X_OK)) {
		printf("SKIP: %s is not installed (package qemu-user)\n", l->qemu);
		skip();
	}
	snprintf(plugin, sizeof plugin, "%s/scalediag-sim.so,out=%s/r,%s", l->build, l->folder,
		options);
	snprintf(path, sizeof path, "%s/tests/programs/%s", l->build, program);
	snprintf(err, sizeof err, "%s/err", l->folder);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const int null = open("/dev/null", O_RDWR), to = creat(err, 0600);

		dup2(null, 0);
		dup2(null, 1);
		dup2(to, 2);
		execl(l->qemu, l->qemu, "-plugin", plugin, path, argument, second, (char *)NULL);
		_exit(126);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int run(
	struct live *l, const char *options, const char *program, const char *argument)
{
	return run_with(l, options, program, argument, NULL);
}

/* The results: how many files; the first is read. */
static inline int results(struct live *l)
{
	DIR *const d = opendir(l->folder);
	const struct dirent *e;
	char path[512], why[160];
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, "r.", 2) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", l->folder, e->d_name);
		sd_sim_file_free(&l->file);
		if (sd_sim_file_read(&l->file, path, why, sizeof why))
			fail_msg("%s: %s", path, why);
		n++;
	}
	closedir(d);
	return n;
}

#endif
