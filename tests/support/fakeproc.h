/*
 * A fake /proc below a temporary folder, for the probes' tests.
 */
#ifndef FAKEPROC_H
#define FAKEPROC_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int fake_remove_one(
	const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void fake_remove(const char *path)
{
	nftw(path, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A fresh folder; its name in root. */
static inline void fake_make(char root[64])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(root, 64, "%.40s/sd-fake-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(root))
		abort();
}

/* Writes root/path, making the folders on the way. */
__attribute__((format(printf, 3, 4))) static inline void fake_write(
	const char *root, const char *path, const char *fmt, ...)
{
	char full[512];
	va_list ap;
	FILE *f;

	snprintf(full, sizeof full, "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	if (!f)
		abort();
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

/* One thread: state 'R' with `syscall` "running", or a wait. `syscall` NULL: no such file, as
 * where it may not be read. run_ns < 0: no schedstat. */
struct fake_thread {
	int pid, tid, ppid;
	char state;
	const char *comm, *syscall;
	long long run_ns, delay_ns, slices;
};

static inline void fake_thread(const char *root, const struct fake_thread *t)
{
	char path[128];

	for (int leader = t->pid == t->tid; leader >= 0; leader--) {
		if (leader)
			snprintf(path, sizeof path, "proc/%d/stat", t->pid);
		else
			snprintf(path, sizeof path, "proc/%d/task/%d/stat", t->pid, t->tid);
		fake_write(root, path,
			"%d (%s) %c %d 1 1 0 -1 0 0 0 0 0 %lld 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 "
			"0 0 0 0 0 17 0 0 0 %d 0 0\n",
			t->tid, t->comm ? t->comm : "fake", t->state, t->ppid,
			t->run_ns > 0 ? t->run_ns / 10000000 : 0, 3);
	}
	if (t->run_ns >= 0) {
		snprintf(path, sizeof path, "proc/%d/task/%d/schedstat", t->pid, t->tid);
		fake_write(root, path, "%lld %lld %lld\n", t->run_ns, t->delay_ns, t->slices);
	}
	if (t->syscall) {
		snprintf(path, sizeof path, "proc/%d/task/%d/syscall", t->pid, t->tid);
		fake_write(root, path, "%s\n", t->syscall);
	}
}

static inline void fake_children(const char *root, int pid, int tid, const char *list)
{
	char path[128];

	snprintf(path, sizeof path, "proc/%d/task/%d/children", pid, tid);
	fake_write(root, path, "%s", list);
}

/* cmocka's setup and teardown: *state is such a folder's path. */
static inline int fake_setup(void **state)
{
	char *root = malloc(64);

	if (!root)
		return -1;
	fake_make(root);
	*state = root;
	return 0;
}

static inline int fake_teardown(void **state)
{
	fake_remove(*state);
	free(*state);
	return 0;
}

#endif
