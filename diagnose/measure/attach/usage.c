#include "attach/usage.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/one_more.h"
#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"

enum amount {
	USER,
	SYSTEM, /* clock ticks; with USER, of a process: */
	CHILDREN_USER,
	CHILDREN_SYSTEM,
	READ,
	WRITTEN, /* bytes */
	VOLUNTARY,
	INVOLUNTARY, /* of a thread */
	AMOUNTS
};

struct sd_usage_task {
	int id;
	uint64_t start; /* clock ticks after boot: a later one may have its number */
	uint64_t amount[AMOUNTS];
};

static int by_id(const void *a, const void *b)
{
	const struct sd_usage_task *const x = a, *const y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct sd_usage_task *grow(struct sd_usage_task **list, size_t *n)
{
	struct sd_usage_task *const grown = sd_one_more(*list, *n, sizeof **list);

	if (!grown)
		return NULL;
	*list = grown;
	grown[*n] = (struct sd_usage_task){0};
	return &grown[(*n)++];
}

static void read_io(struct sd_usage *u, int pid, struct sd_usage_task *t)
{
	char path[64], text[1024];
	int rc;

	snprintf(path, sizeof path, "/proc/%d/io", pid);
	rc = sd_textfile_read(NULL, path, text, sizeof text);
	if (rc || sd_proc_parse_flat(text, "read_bytes:", &t->amount[READ]) ||
		sd_proc_parse_flat(text, "write_bytes:", &t->amount[WRITTEN]))
		u->io_denied = 1;
}

/* 0: it has ended, or there is no room (`rc`). */
static int read_process(struct sd_usage *u, int pid, int *rc)
{
	char path[64], text[1024];
	struct sd_usage_task *t;
	struct sd_proc_stat s;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_stat(text, &s))
		return 0;
	t = grow(&u->process, &u->n_process);
	if (!t) {
		*rc = -ENOMEM;
		return 0;
	}
	t->id = pid;
	t->start = s.start;
	t->amount[USER] = s.utime;
	t->amount[SYSTEM] = s.stime;
	t->amount[CHILDREN_USER] = s.cutime;
	t->amount[CHILDREN_SYSTEM] = s.cstime;
	read_io(u, pid, t);
	return 1;
}

static int read_thread(struct sd_usage *u, int pid, int tid)
{
	char path[64], text[4096];
	struct sd_usage_task *t, read = {.id = tid};
	char number[24];
	const struct {
		const char *key;
		enum amount amount;
	} row[] = {{"voluntary_ctxt_switches:", VOLUNTARY},
		{"nonvoluntary_ctxt_switches:", INVOLUNTARY}};

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
	if (sd_textfile_read(NULL, path, text, sizeof text))
		return 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (sd_proc_parse_key(text, row[i].key, number, sizeof number))
			return 0;
		read.amount[row[i].amount] = strtoull(number, NULL, 10);
	}
	t = grow(&u->thread, &u->n_thread);
	if (!t)
		return -ENOMEM;
	*t = read;
	return 0;
}

int sd_usage_read(struct sd_usage *u, const struct sd_attached *a)
{
	int rc = 0;

	*u = (struct sd_usage){0};
	for (size_t i = 0; i < a->n && !rc; i++) {
		struct sd_task_ids ids = {0};

		if (!read_process(u, a->pid[i], &rc))
			continue;
		if (sd_task_ids_add(&ids, "", a->pid[i]) == -ENOMEM)
			rc = -ENOMEM;
		for (size_t k = 0; k < ids.n && !rc; k++)
			rc = read_thread(u, a->pid[i], ids.tid[k]);
		sd_task_ids_free(&ids);
	}
	if (u->n_process)
		qsort(u->process, u->n_process, sizeof *u->process, by_id);
	if (u->n_thread)
		qsort(u->thread, u->n_thread, sizeof *u->thread, by_id);
	return rc;
}

/* Sums what came to be in between, of those that are there afterwards; never less than nothing. */
static void add_up(const struct sd_usage_task *before, size_t n_before,
	const struct sd_usage_task *after, size_t n_after, double sum[AMOUNTS])
{
	for (size_t i = 0; i < n_after; i++) {
		const struct sd_usage_task *const was =
			n_before ? bsearch(&after[i], before, n_before, sizeof *before, by_id)
				 : NULL;

		for (int k = 0; k < AMOUNTS; k++) {
			const uint64_t from =
				was && was->start == after[i].start ? was->amount[k] : 0;

			if (after[i].amount[k] > from)
				sum[k] += (double)(after[i].amount[k] - from);
		}
	}
}

/* A child that ended in between, and was waited for, is in its parent's time with what it had used
 * before. */
static void take_ended(
	const struct sd_usage *before, const struct sd_usage *after, double sum[AMOUNTS])
{
	for (size_t i = 0; i < before->n_process; i++) {
		const struct sd_usage_task *const was = &before->process[i];

		if (after->n_process && bsearch(was, after->process, after->n_process,
						sizeof *after->process, by_id))
			continue;
		for (int k = 0; k < 2; k++)
			sum[CHILDREN_USER + k] -=
				(double)(was->amount[USER + k] + was->amount[CHILDREN_USER + k]);
	}
	for (int k = 0; k < 2; k++)
		sum[CHILDREN_USER + k] = fmax(0, sum[CHILDREN_USER + k]);
}

static void give(struct sd_run *run, enum sd_metric metric, struct sd_value value)
{
	if (!sd_has(run->metric[metric]))
		run->metric[metric] = value;
}

void sd_usage_give(const struct sd_usage *before, const struct sd_usage *after, struct sd_run *run)
{
	const double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	const int io = !before->io_denied && !after->io_denied;
	double sum[AMOUNTS] = {0};

	add_up(before->process, before->n_process, after->process, after->n_process, sum);
	add_up(before->thread, before->n_thread, after->thread, after->n_thread, sum);
	take_ended(before, after, sum);
	give(run, SD_METRIC_USER, SD_OK((sum[USER] + sum[CHILDREN_USER]) * tick));
	give(run, SD_METRIC_SYSTEM, SD_OK((sum[SYSTEM] + sum[CHILDREN_SYSTEM]) * tick));
	give(run, SD_METRIC_VOLUNTARY_SWITCHES, SD_OK(sum[VOLUNTARY]));
	give(run, SD_METRIC_INVOLUNTARY_SWITCHES, SD_OK(sum[INVOLUNTARY]));
	give(run, SD_METRIC_BLOCK_READ, io ? SD_OK(sum[READ]) : SD_NOT(DENIED));
	give(run, SD_METRIC_BLOCK_WRITTEN, io ? SD_OK(sum[WRITTEN]) : SD_NOT(DENIED));
}

void sd_usage_free(struct sd_usage *u)
{
	free(u->process);
	free(u->thread);
	*u = (struct sd_usage){0};
}
