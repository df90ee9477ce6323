/*
 * The cgroup's CPU quota: how long the program's group, or one above it, was held back while the
 * program ran.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>

#include "cgroup/cgroup.h"
#include "proc/proc_parse.h"

#define LEVELS 16 /* cgroups on the way to the root; deeper ones are looked at from below */

struct reading {
	enum sd_status status;
	uint64_t periods, throttled_periods;
	double throttled; /* s, the sum over the group's CPUs */
};

struct throttle {
	size_t n;
	struct sd_cgroup group[LEVELS];
	struct reading before[LEVELS];
	enum sd_status status; /* without any group: why */
};

static enum sd_status status_of(int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return SD_STATUS_DENIED;
	return rc == -ENOENT || rc == -ENOTDIR ? SD_STATUS_ABSENT : SD_STATUS_UNSUPPORTED;
}

/*
 * cpu.stat counts throttled time in ns (version 1) or us (version 2), for each CPU of the group by
 * itself. A group without the controller has no such lines, nor has the root: absent.
 */
static struct reading read_stat(const struct sd_cgroup *group)
{
	struct reading r = {.status = SD_STATUS_ABSENT};
	char text[4096];
	uint64_t time;
	const int rc = sd_cgroup_read(group, "cpu.stat", text, sizeof text);

	if (rc) {
		r.status = status_of(rc);
		return r;
	}
	if (sd_proc_parse_flat(text, "nr_periods", &r.periods) ||
		sd_proc_parse_flat(text, "nr_throttled", &r.throttled_periods) ||
		sd_proc_parse_flat(
			text, group->version == 1 ? "throttled_time" : "throttled_usec", &time))
		return r;
	r.throttled = (double)time * (group->version == 1 ? 1e-9 : 1e-6);
	r.status = SD_STATUS_OK;
	return r;
}

static int throttle_open(void **state, const struct sd_probe_target *target)
{
	struct throttle *p = calloc(1, sizeof *p);
	struct sd_cgroup group;
	int rc;

	*state = p;
	if (!p)
		return -ENOMEM;
	rc = sd_cgroup_find(target->root, target->pid, SD_CGROUP_CPU, &group);
	p->status = rc ? status_of(rc) : SD_STATUS_ABSENT;
	for (; !rc && p->n < LEVELS; rc = sd_cgroup_up(&group))
		p->group[p->n++] = group;
	return 0;
}

static void throttle_start(void *state)
{
	struct throttle *const p = state;

	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		p->before[i] = read_stat(&p->group[i]);
}

static void write_status(enum sd_status status, struct sd_run *run)
{
	run->metric[SD_METRIC_THROTTLED].status = status;
	run->metric[SD_METRIC_PERIODS].status = status;
	run->metric[SD_METRIC_THROTTLED_PERIODS].status = status;
}

/* Groups inside each other are throttled at the same time: the one that was for longest counts. */
static void throttle_stop(void *state, struct sd_run *run)
{
	const struct throttle *const p = state;
	enum sd_status status;
	double longest = -1;

	if (!p)
		return;
	status = p->status;
	for (size_t i = 0; i < p->n; i++) {
		const struct reading now = read_stat(&p->group[i]), *const was = &p->before[i];

		if (now.status != SD_STATUS_OK || was->status != SD_STATUS_OK) {
			/* one level that may not be read hides what the others do not show */
			if (now.status == SD_STATUS_DENIED && longest < 0)
				status = now.status;
			continue;
		}
		if (now.throttled < was->throttled || now.periods < was->periods ||
			now.throttled_periods < was->throttled_periods ||
			now.throttled - was->throttled <= longest)
			continue;
		longest = now.throttled - was->throttled;
		run->metric[SD_METRIC_THROTTLED] = SD_OK(longest);
		run->metric[SD_METRIC_PERIODS] = SD_OK((double)(now.periods - was->periods));
		run->metric[SD_METRIC_THROTTLED_PERIODS] =
			SD_OK((double)(now.throttled_periods - was->throttled_periods));
	}
	if (longest < 0)
		write_status(status, run);
}

static void throttle_fail(int error, struct sd_run *run)
{
	write_status(status_of(error), run);
}

const struct sd_probe sd_probe_cpu_quota = {
	.name = "throttle",
	.open = throttle_open,
	.start = throttle_start,
	.stop = throttle_stop,
	.close = free,
	.fail = throttle_fail,
};
