#include "threads/libgomp_futexes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define THREADS 16 /* looked at in one call */

/* Kind of barrier of a futex; ignores its lowest three address bits. */
static enum sd_libgomp_barrier find_futex(
	const struct sd_libgomp_futexes *d, int pid, uint64_t address)
{
	for (unsigned i = 0; i < d->n && pid == d->pid; i++)
		if ((d->dock[i].address ^ address) < 8)
			return d->dock[i].gomp;
	return SD_LIBGOMP_BARRIER_UNKNOWN;
}

static void look_at(struct sd_libgomp_futexes *d, int tid, unsigned threads)
{
	char path[64], text[256];
	struct sd_proc_syscall call;
	enum sd_libgomp_barrier gomp;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", d->pid, tid);
	d->denied = sd_textfile_read(d->root, path, text, sizeof text) != 0;
	if (d->denied || sd_proc_parse_syscall(text, &call) || call.where != SD_PROC_SYSCALL ||
		call.nr != SYS_futex ||
		find_futex(d, d->pid, call.arg[0]) != SD_LIBGOMP_BARRIER_UNKNOWN ||
		d->n == SD_LIBGOMP_FUTEXES)
		return;
	gomp = sd_libgomp_barrier_read(d->pid, call.arg[0], threads);
	if (gomp == SD_LIBGOMP_BARRIER_UNKNOWN)
		return;
	d->dock[d->n].address = call.arg[0];
	d->dock[d->n++].gomp = gomp;
}

void sd_libgomp_futexes_look(struct sd_libgomp_futexes *d)
{
	char path[4096];
	int tid[THREADS], n = 0;
	unsigned threads = 0;
	struct dirent *entry;
	DIR *dir;

	if (d->denied || d->n == SD_LIBGOMP_FUTEXES)
		return;
	snprintf(path, sizeof path, "%s/proc/%d/task", d->root, d->pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		const int number = atoi(entry->d_name);

		if (number <= 0)
			continue;
		threads++;
		if (n < THREADS)
			tid[n++] = number;
	}
	closedir(dir);
	for (int i = 0; i < n && threads > 1; i++)
		look_at(d, tid[i], threads);
}
