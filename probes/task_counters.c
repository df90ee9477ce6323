/*
 * Counters of the whole tree by perf_event_open: opened on the waiting process, started by its
 * exec, inherited by whatever it creates; or opened on each thread of a program that runs already,
 * started when the look begins, and inherited as well.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"

#include "perf_event/counter_read.h"
#include "perf_event/fd_limit.h"
#include "base/number.h"
#include "perf_event/perf_event.h"
#include "perf_event/tracepoint.h"
#include "machine/hypervisor_tsc.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"
#include "trace/running.h"

struct row {
	const char *pmu;   /* its folder below event_source/devices; NULL: `type` */
	const char *event; /* its name in the PMU's events folder; without a PMU a tracepoint's */
	uint64_t config;
	double unit; /* of the metric, for one count */
	enum sd_metric metric;
	uint32_t type;
	int user;      /* count user mode only */
	int on_demand; /* counted only where the target asks for it: each event costs */
	/* may be opened for user mode only when the kernel forbids more: it counts time, which is
	 * the same either way */
	int user_will_do;
};

static const struct row rows[] = {
	/* this PMU cannot exclude any mode, and refuses those who ask */
	{.metric = SD_METRIC_TSC_CYCLES, .pmu = "msr", .event = "tsc", .unit = 1},
	{.metric = SD_METRIC_TASK_CLOCK,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.unit = 1e-9,
		.user_will_do = 1},
	{.metric = SD_METRIC_MIGRATIONS,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_MIGRATIONS,
		.unit = 1},
	/* some 50 to 80 ns a call on a virtual machine of 2026 */
	{.metric = SD_METRIC_SYSTEM_CALLS,
		.type = PERF_TYPE_TRACEPOINT,
		.event = "raw_syscalls/sys_enter",
		.unit = 1,
		.on_demand = 1},
	{.metric = SD_METRIC_CYCLES,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.unit = 1,
		.user = 1},
	{.metric = SD_METRIC_INSTRUCTIONS,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.unit = 1,
		.user = 1},
};

#define N_ROWS (sizeof rows / sizeof *rows)
#define ROUNDS 8 /* of listing threads: each is for those that were made in the one before */

/* The descriptors of a row, one a thread that was opened: a single one for a tree from its exec. */
struct counter {
	int *fd; /* owned */
	size_t n;
	int skip;
	enum sd_status status; /* without a descriptor: why */
};

struct counters {
	struct counter row[N_ROWS];
	struct sd_hypervisor_tsc_moment opened;
	struct sd_fd_limit files;
	int running;
};

/* "event=0x10" or "event=16", and nothing else: what the PMUs used here have. */
static int parse_event(const char *text, uint64_t *config)
{
	char *end;

	if (strncmp(text, "event=0x", 8) != 0)
		return strncmp(text, "event=", 6) == 0
			       ? sd_number_u64(text + 6, 0, UINT32_MAX, config)
			       : -EINVAL;
	if (!text[8] || strlen(text + 8) > 8 ||
		text[8 + strspn(text + 8, "0123456789abcdefABCDEF")])
		return -EINVAL;
	*config = strtoull(text + 8, &end, 16);
	return 0;
}

/* Looks up a PMU's number and an event's code. 0 or -errno; -ENOENT: no such PMU or event. */
static int find_event(const char *root, const struct row *row, struct perf_event_attr *attr)
{
	char path[128], text[64];
	uint64_t type, config;
	int rc;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", row->pmu);
	rc = sd_textfile_read(root, path, text, sizeof text);
	if (rc)
		return rc;
	if (sd_number_u64(text, 0, UINT32_MAX, &type))
		return -EINVAL;
	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/events/%s", row->pmu,
		row->event);
	rc = sd_textfile_read(root, path, text, sizeof text);
	if (!rc)
		rc = parse_event(text, &config);
	if (rc)
		return rc;
	attr->type = (uint32_t)type;
	attr->config = config;
	return 0;
}

static int find_tracepoint(const char *root, const struct row *row, struct perf_event_attr *attr)
{
	struct sd_tracepoint t;
	const int rc = sd_tracepoint_find(root, row->event, &t);

	if (!rc)
		attr->config = t.config;
	return rc;
}

/* A descriptor or -errno. */
static int open_row(const struct sd_probe_target *target, const struct row *row, pid_t task)
{
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = row->type,
		.config = row->config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = 1,
		.enable_on_exec = !target->running,
		.inherit = 1,
		.exclude_kernel = row->user != 0,
		.exclude_hv = row->user != 0};
	int rc = row->pmu     ? find_event(target->root, row, &attr)
		 : row->event ? find_tracepoint(target->root, row, &attr)
			      : 0;

	if (rc)
		return rc;
	rc = sd_perf_event_open(&attr, task, -1);
	if (row->user_will_do && sd_counter_read_error(rc) == SD_STATUS_DENIED) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		rc = sd_perf_event_open(&attr, task, -1);
	}
	return rc;
}

static int keep(struct counter *c, int fd)
{
	if (SD_APPEND(c->fd, c->n, &fd)) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* Every wanted counter of a thread. What fails for one has no number: that of the others would be
 * read as that of all. -ENOMEM, else 0. */
static int open_task(struct counters *p, const struct sd_probe_target *target, pid_t task)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		struct counter *const c = &p->row[i];
		int fd;

		if (c->skip || c->status != SD_STATUS_OK)
			continue;
		fd = open_row(target, &rows[i], task);
		if (fd == -EMFILE && sd_fd_limit_raise(&p->files))
			fd = open_row(target, &rows[i], task);
		if (fd == -ESRCH && target->running)
			return 0; /* it has ended meanwhile */
		if (fd < 0)
			c->status = sd_counter_read_error(fd);
		else if (keep(c, fd))
			return -ENOMEM;
	}
	return 0;
}

/* Threads that are made meanwhile by one that is counted are counted with it, and again when they
 * are listed: so all are listed before any is opened, and what they make is inherited. */
static int open_running(struct counters *p, const struct sd_probe_target *target)
{
	int rc = 0;

	for (size_t i = 0; i < target->running->n && rc != -ENOMEM; i++) {
		struct sd_task_ids ids = {0};

		rc = 1;
		for (int k = 0; k < ROUNDS && rc > 0; k++)
			rc = sd_task_ids_add(&ids, target->root, target->running->pid[i]);
		for (size_t k = 0; k < ids.n && rc != -ENOMEM; k++)
			rc = open_task(p, target, ids.tid[k]);
		sd_task_ids_free(&ids);
	}
	return rc == -ENOMEM ? rc : 0;
}

static void counters_close(void *state)
{
	struct counters *const p = state;

	for (size_t i = 0; p && i < N_ROWS; i++) {
		for (size_t k = 0; k < p->row[i].n; k++)
			close(p->row[i].fd[k]);
		free(p->row[i].fd);
	}
	if (p)
		sd_fd_limit_restore(&p->files);
	free(p);
}

static int counters_open(void **state, const struct sd_probe_target *target)
{
	struct counters *p;
	int rc;

	*state = NULL;
	if (target->os_only == 2)
		return 0;
	p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	p->running = target->running != NULL;
	/* counted with the other roles, or not wanted */
	for (size_t i = 0; i < N_ROWS; i++)
		p->row[i] = (struct counter){.status = SD_STATUS_OK,
			.skip = rows[i].on_demand
					? !target->system_calls
					: rows[i].type == PERF_TYPE_HARDWARE && !rows[i].pmu &&
						  (target->counting || target->os_only)};
	rc = p->running ? open_running(p, target) : open_task(p, target, target->pid);
	if (rc) {
		counters_close(p);
		return rc;
	}
	p->opened = sd_hypervisor_tsc_now();
	*state = p;
	return 0;
}

static void counters_start(void *state)
{
	const struct counters *const p = state;

	for (size_t i = 0; p && p->running && i < N_ROWS; i++)
		for (size_t k = 0; k < p->row[i].n; k++)
			(void)sd_perf_event_switch(p->row[i].fd[k], 1);
}

/* Sums the counters of all threads; a thread that waited all the time has counted nothing, which is
 * 0 of a program that runs. */
static struct sd_value sum(const struct counter *c)
{
	struct sd_value all = SD_OK(0);

	for (size_t k = 0; k < c->n; k++) {
		const struct sd_value one = sd_counter_read(c->fd[k]);

		all.value += sd_has(one) ? one.value : 0;
		if (one.status == SD_STATUS_MULTIPLEXED)
			all.status = one.status;
	}
	return all;
}

static void counters_stop(void *state, struct sd_run *run)
{
	struct counters *const p = state;

	if (!p)
		return;
	run->metric[SD_METRIC_TSC_HZ] = sd_hypervisor_tsc_since(&p->opened);
	for (size_t i = 0; i < N_ROWS; i++) {
		struct sd_value *const v = &run->metric[rows[i].metric];

		if (p->row[i].skip)
			continue;
		if (p->row[i].status != SD_STATUS_OK)
			v->status = p->row[i].status;
		else
			*v = p->running ? sum(&p->row[i]) : sd_counter_read(p->row[i].fd[0]);
		v->value *= rows[i].unit;
	}
}

static void counters_fail(int error, struct sd_run *run)
{
	for (size_t i = 0; i < N_ROWS; i++)
		run->metric[rows[i].metric] =
			(struct sd_value){.status = sd_counter_read_error(error)};
}

const struct sd_probe sd_probe_task_counters = {
	.name = "counters",
	.open = counters_open,
	.start = counters_start,
	.stop = counters_stop,
	.close = counters_close,
	.fail = counters_fail,
};
