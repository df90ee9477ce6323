#include "neighbours/process_look.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/one_more.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD of the kernel */

/* Lines of /proc/PID/io begin with a word and a colon. */
static int disk_of(const char *root, int pid, uint64_t *out)
{
	char path[48], text[512];
	uint64_t read, written;

	snprintf(path, sizeof path, "/proc/%d/io", pid);
	if (sd_textfile_read(root, path, text, sizeof text) ||
		sd_proc_parse_flat(text, "read_bytes:", &read) ||
		sd_proc_parse_flat(text, "write_bytes:", &written) || read > UINT64_MAX - written)
		return 0;
	*out = read + written;
	return 1;
}

static int is_real_time(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == 6 /* SCHED_DEADLINE */;
}

/* 0, -ENOMEM; 1: it has ended, or is nothing to look at. */
static int look_at(const char *root, int pid, struct sd_process_look *to)
{
	struct sd_looked_process p = {0};
	struct sd_proc_stat stat;
	char path[48], text[512];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (sd_textfile_read(root, path, text, sizeof text) || sd_proc_parse_stat(text, &stat) ||
		stat.utime > UINT64_MAX / 4 || stat.stime > UINT64_MAX / 4 ||
		stat.cutime > UINT64_MAX / 4 || stat.cstime > UINT64_MAX / 4)
		return 1;
	p.pid = pid;
	p.ppid = stat.ppid;
	memcpy(p.comm, stat.comm, sizeof p.comm);
	p.start = stat.start;
	p.own = stat.utime + stat.stime;
	p.children = stat.cutime + stat.cstime;
	p.real_time = is_real_time(stat.policy);
	p.kernel = (stat.flags & KERNEL_THREAD) != 0;
	if (!p.kernel && p.own)
		p.has_disk = disk_of(root, pid, &p.disk);
	return SD_APPEND(to->process, to->n, &p);
}

static int by_pid(const void *a, const void *b)
{
	const struct sd_looked_process *const x = a, *const y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int sd_process_look_take(const char *root, struct sd_process_look *out)
{
	char path[4096];
	const struct dirent *e;
	DIR *dir;
	int rc = 0;

	*out = (struct sd_process_look){.at = sd_clock_s()};
	if (snprintf(path, sizeof path, "%s/proc", root) >= (int)sizeof path)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (rc >= 0 && out->n < SD_PROCESS_LOOK_MOST && (e = readdir(dir))) {
		char *end;
		const long pid = strtol(e->d_name, &end, 10);

		if (pid > 0 && pid <= INT32_MAX && *end == '\0')
			rc = look_at(root, (int)pid, out);
	}
	closedir(dir);
	if (rc < 0) {
		sd_process_look_free(out);
		return rc;
	}
	if (out->n)
		qsort(out->process, out->n, sizeof *out->process, by_pid);
	return 0;
}

const struct sd_looked_process *sd_process_look_find(
	const struct sd_process_look *l, int pid, uint64_t start)
{
	const struct sd_looked_process key = {.pid = pid}, *found;

	if (!l->n)
		return NULL;
	found = bsearch(&key, l->process, l->n, sizeof key, by_pid);
	return found && found->start == start ? found : NULL;
}

void sd_process_look_free(struct sd_process_look *l)
{
	free(l->process);
	*l = (struct sd_process_look){0};
}
