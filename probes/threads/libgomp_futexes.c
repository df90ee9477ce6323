#include "threads/libgomp_futexes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define THREADS 16 /* looked at in one call */

enum sd_gomp sd_docks_find(const struct sd_docks *d, int pid, uint64_t address)
{
	for (unsigned i = 0; i < d->n && pid == d->pid; i++)
		if ((d->dock[i].address ^ address) < 8)
			return d->dock[i].gomp;
	return SD_GOMP_UNKNOWN;
}

static void look_at(struct sd_docks *d, int tid, unsigned threads)
{
	char path[64], text[256];
	struct sd_proc_syscall call;
	enum sd_gomp gomp;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", d->pid, tid);
	d->denied = sd_textfile_read(d->root, path, text, sizeof text) != 0;
	if (d->denied || sd_proctext_syscall(text, &call) || call.where != SD_PROC_SYSCALL ||
		call.nr != SYS_futex || sd_docks_find(d, d->pid, call.arg[0]) != SD_GOMP_UNKNOWN ||
		d->n == SD_DOCKS)
		return;
	gomp = sd_gomp_read(d->pid, call.arg[0], threads);
	if (gomp == SD_GOMP_UNKNOWN)
		return;
	d->dock[d->n].address = call.arg[0];
	d->dock[d->n++].gomp = gomp;
}

void sd_docks_look(struct sd_docks *d)
{
	char path[4096];
	int tid[THREADS], n = 0;
	unsigned threads = 0;
	struct dirent *entry;
	DIR *dir;

	if (d->denied || d->n == SD_DOCKS)
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
