/*
 * Time on the run's CPUs that the hypervisor took, and time that other processes had.
 */
#include "base/clock.h"
#include "probes/probes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define BUSY_FIELDS 5 /* of a cpu line that are added up, each rounded by itself */

struct reading {
	enum sd_status status;
	uint64_t busy, steal; /* clock ticks, over the run's CPUs */
	double ours;          /* s this process has used itself */
	uint64_t children;    /* clock ticks of the subreaper's reaped children */
	int has_children;
	uint64_t made; /* processes and threads, since the machine began */
	int has_made;
};

struct cputime {
	struct sd_probe_target target;
	struct reading before;
	double start; /* s */
};

/* The whole of /proc/stat, which grows with the CPUs and interrupts of the machine. A fresh string
 * or NULL with errno set. */
static char *read_stat(const char *root)
{
	char path[4096], *text = NULL;
	size_t room = 0;
	FILE *f;

	if (snprintf(path, sizeof path, "%s/proc/stat", root) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (getdelim(&text, &room, '\0', f) <= 0) {
		free(text);
		text = NULL;
		errno = EIO;
	}
	fclose(f);
	return text;
}

static double own_cpu(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		return 0;
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static void take_children(const struct sd_probe_target *target, struct reading *r)
{
	struct sd_proc_stat stat;
	char path[64], text[512];

	snprintf(path, sizeof path, "/proc/%d/stat", target->subreaper);
	if (sd_textfile_read(target->root, path, text, sizeof text) ||
		sd_proc_parse_stat(text, &stat) || stat.cutime > UINT64_MAX / 2 ||
		stat.cstime > UINT64_MAX / 2)
		return;
	r->children = stat.cutime + stat.cstime;
	r->has_children = 1;
}

static struct reading take(const struct sd_probe_target *target)
{
	struct reading r = {.status = SD_STATUS_OK, .ours = own_cpu()};
	char *text = read_stat(target->root);
	struct sd_proc_cpu cpu;

	if (!text) {
		r.status = errno == EACCES || errno == EPERM ? SD_STATUS_DENIED : SD_STATUS_ABSENT;
		return r;
	}
	for (size_t i = 0; i < target->cpus->n && r.status == SD_STATUS_OK; i++) {
		if (sd_proc_parse_cpu(text, target->cpus->cpu[i], &cpu))
			r.status = SD_STATUS_ABSENT; /* went offline, or is not shown here */
		r.busy += cpu.busy;
		r.steal += cpu.steal;
	}
	r.has_made = sd_proc_parse_flat(text, "processes", &r.made) == 0;
	free(text);
	take_children(target, &r);
	return r;
}

/*
 * /proc/stat counts in clock ticks (10 ms), and every field of every CPU is rounded by itself: the
 * errors add up as independent ones. Up to 2 % of the run's core-seconds they do no harm; beyond
 * 20 % the number would be the rounding's and not the machine's.
 */
static struct sd_value judge(double value, double fields, double core_seconds)
{
	const double error = sqrt(fields) / (double)sysconf(_SC_CLK_TCK) / core_seconds;

	if (!(error <= 0.2))
		return SD_NOT(ABSENT);
	return (struct sd_value){
		.value = fmax(0, value), .status = error <= 0.02 ? SD_STATUS_OK : SD_STATUS_NOISY};
}

static int cputime_open(void **state, const struct sd_probe_target *target)
{
	struct cputime *p = calloc(1, sizeof *p);

	*state = p;
	if (!p)
		return -ENOMEM;
	p->target = *target;
	return 0;
}

static void cputime_start(void *state)
{
	struct cputime *const p = state;

	if (!p)
		return;
	p->before = take(&p->target);
	p->start = sd_clock_s();
}

/*
 * CPU time of the tree: what perf counted, or what the subreaper's reaped children had (it is the
 * parent of the program and of its orphans), whichever is more. Both are too low, never too high:
 * counters miss what processes do while they end, and all from an exec on that takes them away
 * (dumpable.h); the reaped ones miss children nobody waited for, and parts of ticks.
 */
static struct sd_value tree_cpu(
	const struct cputime *p, const struct reading *now, const struct sd_run *run)
{
	const struct sd_value counted = run->metric[SD_METRIC_TASK_CLOCK];
	double reaped;

	if (!p->before.has_children || !now->has_children || now->children < p->before.children)
		return sd_has(counted) ? counted : SD_NOT(ABSENT);
	reaped = (double)(now->children - p->before.children) / (double)sysconf(_SC_CLK_TCK);
	return sd_has(counted) && counted.value > reaped ? counted : SD_OK(reaped);
}

static void judge_both(const struct cputime *p, const struct reading *now, struct sd_run *run)
{
	const struct reading *const was = &p->before;
	const double n = (double)p->target.cpus->n, tick = 1 / (double)sysconf(_SC_CLK_TCK);
	const double core_seconds = n * (sd_clock_s() - p->start);
	const struct sd_value tree = tree_cpu(p, now, run), wall = run->metric[SD_METRIC_WALL];
	double others;

	if (now->steal < was->steal || now->busy < was->busy)
		return;
	run->metric[SD_METRIC_STEAL] =
		judge((double)(now->steal - was->steal) * tick, n, core_seconds);
	if (!sd_has(tree))
		return;
	/* our own share is taken off too, wherever it ran: it is well below the rounding */
	others = (double)(now->busy - was->busy) * tick - tree.value - (now->ours - was->ours);
	/* Its CPUs had no more for others while it ran: on a busy machine the reading is late, and
	 * what they do after its end is not of the run. */
	if (sd_has(wall))
		others = fmin(others, n * wall.value - tree.value);
	run->metric[SD_METRIC_FOREIGN] = judge(others, BUSY_FIELDS * n, core_seconds);
}

static void cputime_stop(void *state, struct sd_run *run)
{
	const struct cputime *const p = state;
	struct reading now;

	if (!p)
		return;
	now = take(&p->target);
	if (p->before.has_made && now.has_made && now.made >= p->before.made)
		run->metric[SD_METRIC_TASKS_MADE] = SD_OK((double)(now.made - p->before.made));
	run->metric[SD_METRIC_STEAL] = run->metric[SD_METRIC_FOREIGN] = SD_NOT(ABSENT);
	if (p->before.status == SD_STATUS_OK && now.status == SD_STATUS_OK) {
		judge_both(p, &now, run);
		return;
	}
	run->metric[SD_METRIC_STEAL].status = run->metric[SD_METRIC_FOREIGN].status =
		p->before.status != SD_STATUS_OK ? p->before.status : now.status;
}

static void cputime_fail(int error, struct sd_run *run)
{
	(void)error;
	run->metric[SD_METRIC_STEAL] = SD_NOT(ABSENT);
	run->metric[SD_METRIC_FOREIGN] = SD_NOT(ABSENT);
}

const struct sd_probe sd_probe_steal_time = {
	.name = "cputime",
	.open = cputime_open,
	.start = cputime_start,
	.stop = cputime_stop,
	.close = free,
	.fail = cputime_fail,
};
