/*
 * Counters of the whole tree by perf_event_open: opened on the waiting process, started by its
 * exec, inherited by whatever it creates.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_event/counter_read.h"
#include "base/number.h"
#include "perf_event/perf_event.h"
#include "machine/hypervisor_tsc.h"
#include "proc/textfile.h"

struct row {
	const char *pmu;   /* its folder below event_source/devices; NULL: `type` */
	const char *event; /* its name in the PMU's events folder */
	uint64_t config;
	double unit; /* of the metric, for one count */
	enum sd_metric metric;
	uint32_t type;
	int user; /* count user mode only */
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

struct counters {
	int fd[N_ROWS], skip[N_ROWS];
	enum sd_status status[N_ROWS];
	struct sd_value tsc_hz;
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

/* A descriptor or -errno. */
static int open_row(const struct sd_probe_target *target, const struct row *row)
{
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = row->type,
		.config = row->config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_kernel = row->user != 0,
		.exclude_hv = row->user != 0};
	int rc = row->pmu ? find_event(target->root, row, &attr) : 0;

	if (rc)
		return rc;
	rc = sd_perf_event_open(&attr, target->pid, -1);
	if (row->user_will_do && sd_counter_read_error(rc) == SD_STATUS_DENIED) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		rc = sd_perf_event_open(&attr, target->pid, -1);
	}
	return rc;
}

static int counters_open(void **state, const struct sd_probe_target *target)
{
	struct counters *p = calloc(1, sizeof *p);

	*state = p;
	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < N_ROWS; i++) {
		/* counted with the other roles, or not wanted */
		p->skip[i] = rows[i].type == PERF_TYPE_HARDWARE && !rows[i].pmu &&
			     (target->counting || target->os_only);
		p->fd[i] = p->skip[i] ? -1 : open_row(target, &rows[i]);
		if (p->fd[i] < 0)
			p->status[i] = sd_counter_read_error(p->fd[i]);
	}
	p->tsc_hz = sd_hypervisor_tsc_hz();
	return 0;
}

static void counters_stop(void *state, struct sd_run *run)
{
	struct counters *const p = state;

	if (!p)
		return;
	run->metric[SD_METRIC_TSC_HZ] = p->tsc_hz;
	for (size_t i = 0; i < N_ROWS; i++) {
		struct sd_value *const v = &run->metric[rows[i].metric];

		if (p->skip[i])
			continue;
		if (p->fd[i] < 0)
			v->status = p->status[i];
		else
			*v = sd_counter_read(p->fd[i]);
		v->value *= rows[i].unit;
	}
}

static void counters_close(void *state)
{
	struct counters *const p = state;

	for (size_t i = 0; p && i < N_ROWS; i++)
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	free(p);
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
	.stop = counters_stop,
	.close = counters_close,
	.fail = counters_fail,
};
