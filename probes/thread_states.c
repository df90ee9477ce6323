/*
 * The thread-state poller: follows the tree's threads through /proc and divides the idle cores
 * (METHODS 2.3).
 */
#include "probes/probes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "threads/affinity_check.h"
#include "probe/accountant.h"
#include "proc/textfile.h"
#include "threads/busiest_threads.h"
#include "threads/dumpable.h"
#include "threads/pipe_stages.h"
#include "target/target_trees.h"
#include "threads/process_tree.h"
#include "threads/thread_sampler.h"
#include "trace/running.h"

#define PERIOD 0.005 /* s, between polls when nobody wished another */
/* s, to the first poll; until BEGUN each comes twice as late as the one before, whatever it costs:
 * short programs are seen too, and what they execute first. */
#define PERIOD_FIRST 0.001
#define BEGUN 0.016
#define PERIOD_MOST 0.1
/* Least s between polls where every switch is seen, and polls that the time so far has room for:
 * they then only meet threads and read what they used. */
#define PERIOD_EASED 0.025
#define POLLS_EASED 20
#define COST_MOST 0.005 /* CPU time the poller may take, of the granted cores */
/* How often it is looked at what a thread may be told by itself or an exec, its affinity and
 * whether it is still counted: in a run's course less and less. */
#define CHECK_FIRST_NS UINT64_C(10000000)
#define CHECK_NS UINT64_C(1000000000)
#define STOPPED 100 /* a stop of a smaller part of the run is no matter for its time */
#define CHECKS 8    /* threads that are looked at so in one poll */

struct tasks {
	struct sd_probe_target target;
	struct sd_process_tree tree;
	void *account;                    /* the accountant's; NULL: nobody is told */
	struct sd_thread_sampler sampler; /* of the program's first thread */
	struct sd_busiest_threads gone;
	struct sd_pipe_stages stages;
	struct sd_affinity_check affinity;
	uint64_t start, last; /* ns */
	uint64_t polls;
	uint64_t met, hidden;   /* polls that met the program; those that /proc hid it from */
	double cost, cost_poll; /* s of CPU time: all polls; one, a moving mean */
	uint32_t random;        /* of the jitter */
	int rebound;
	int attached; /* it ran before it was looked at: its events were opened after its exec */
	int lost;     /* the kernel ended the events of a process */
	int eased;
	int failed; /* -errno: memory ran out, what was seen since is not the whole */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void keep_gone(void *ctx, const struct sd_thread_state *t)
{
	struct tasks *const p = ctx;
	const int rc = sd_busiest_threads_add(&p->gone, t, p->tree.env.has_sched);

	p->failed = p->failed ? p->failed : rc;
}

/* Half of what this process may open: the launcher and the other probes need some too. */
static unsigned files_to_keep(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return limit.rlim_cur > 200000 ? 100000 : (unsigned)(limit.rlim_cur / 2);
}

/*
 * Does the kernel count run times? One that does not has no such file, or zeros in it; the
 * subreaper, which has forked the target, has run for certain, as has a program that runs already.
 */
static int has_schedstat(const struct sd_probe_target *target)
{
	const int ran = target->running ? target->pid : target->subreaper;
	char path[64], text[128];
	struct sd_proc_sched s;

	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", ran, ran);
	return sd_textfile_read(target->root, path, text, sizeof text) == 0 &&
	       sd_proc_parse_schedstat(text, &s) == 0 && s.run_ns > 0;
}

/* A second: each costs some 5 us more where one thread has an event alone (tasks_ease). */
#define SWITCHES_MOST 2000

static int tasks_open(void **state, const struct sd_probe_target *target)
{
	struct tasks *p = calloc(1, sizeof *p);
	char path[64], text[512];
	int rc;

	*state = NULL;
	if (!p)
		return -ENOMEM;
	snprintf(path, sizeof path, "/proc/%d/stat", target->pid);
	rc = sd_textfile_read(target->root, path, text, sizeof text);
	if (rc) {
		free(p);
		return rc;
	}
	p->target = *target;
	rc = sd_affinity_check_begin(&p->affinity, target->cpus);
	if (!rc && target->accountant)
		rc = target->accountant->begin(&p->account, target->cores, target->pid);
	if (rc) {
		sd_affinity_check_end(&p->affinity);
		free(p);
		return rc;
	}
	p->random = (uint32_t)target->pid | 1;
	sd_process_tree_init(&p->tree, target->root, target->subreaper, files_to_keep());
	p->tree.env.has_sched = has_schedstat(target);
	/* closed when it may not, is not wished for, or costs too much: roles alone decide */
	p->sampler.fd = -1;
	if (!target->no_samples && !target->running && target->expect_switches < SWITCHES_MOST)
		sd_thread_sampler_open(&p->sampler, target->pid);
	p->attached = target->running != NULL;
	p->tree.gone = keep_gone;
	p->tree.ctx = p;
	for (size_t i = 0; target->running && i < target->running->n && !p->failed; i++)
		p->failed = sd_process_tree_adopt(&p->tree, target->running->pid[i]);
	*state = p;
	return 0;
}

static void look(struct tasks *p, uint64_t now)
{
	int rc = sd_process_tree_walk(&p->tree);

	p->failed = p->failed ? p->failed : rc;
	sd_process_tree_read(&p->tree, now);
	rc = sd_process_tree_view(&p->tree);
	p->failed = p->failed ? p->failed : rc;
}

static void tasks_ease(void *state)
{
	struct tasks *const p = state;

	if (!p)
		return;
	p->eased = 1;
	/*
	 * An event of one thread alone is dear to all: without it the kernel exchanges the events
	 * of two threads of a process, which are the same, when it switches between them; with it
	 * all are stopped and started each time (perf_event_context_sched_out). Seen: a queue
	 * between two threads on one CPU, 8 us a switch instead of 3.
	 */
	sd_thread_sampler_close(&p->sampler);
}

static void tasks_start(void *state)
{
	struct tasks *const p = state;

	if (!p)
		return;
	p->start = p->last = clock_ns(CLOCK_MONOTONIC);
	look(p, p->start);
	for (size_t i = 0; i < p->tree.n; i++) {
		struct sd_thread_state *const t = p->tree.task[i];

		t->base_run = p->tree.env.has_sched
				      ? t->run
				      : (double)t->ticks / (double)sysconf(_SC_CLK_TCK);
		t->base_delay = t->delay;
		if (!p->target.running)
			t->habit = SD_WAIT_NONE; /* it waits to be released */
		t->base_blkio = t->blkio;
	}
}

/* When a thread that was looked at is looked at again: twice as late in the run, or a
 * second later. */
static uint64_t next_check(const struct tasks *p, uint64_t checked)
{
	const uint64_t age = checked > p->start ? checked - p->start : 0;

	return checked + (age < CHECK_FIRST_NS ? CHECK_FIRST_NS : age > CHECK_NS ? CHECK_NS : age);
}

static void check_process(struct tasks *p, int pid)
{
	const int rc = sd_pipe_stages_look(&p->stages, p->target.root, pid);

	p->failed = p->failed ? p->failed : rc;
	if (p->target.trees)
		(void)sd_target_trees_add(p->target.trees, pid); /* one that ended names nothing */
}

/* Looks at the threads that waited longest for it; at first for executions in every poll. */
static void check_threads(struct tasks *p, uint64_t now)
{
	const char *const root = p->target.root;
	const int begins = (double)(now - p->start) * 1e-9 < BEGUN;
	int left = CHECKS;

	for (size_t i = 0; i < p->tree.n && left > 0; i++) {
		struct sd_thread_state *const t = p->tree.task[i];
		const int again = t->checked && now < next_check(p, t->checked);

		if (t->tid == t->pid && (begins || !again) && !p->lost && !p->attached)
			p->lost = sd_dumpable_lost(root, t->pid, geteuid()) == 1;
		if (again)
			continue;
		t->checked = now;
		left--;
		p->rebound |= sd_affinity_check_strays(&p->affinity, root, t) == 1;
		if (t->tid == t->pid)
			check_process(p, t->pid);
	}
}

/*
 * The delay to the next poll: the wished one, or longer when polls are dear, and up to an eighth
 * more or less, so that a program with a period of its own is not always met in the same phase.
 */
static uint64_t next_delay(struct tasks *p)
{
	const double ran = (double)(p->last - p->start) * 1e-9;
	double period = p->target.poll_s > 0 ? p->target.poll_s : PERIOD;

	if (p->eased && !(p->target.poll_s > 0))
		period = fmax(period, fmin(PERIOD_EASED, ran / POLLS_EASED));
	period = fmax(period, p->cost_poll / (COST_MOST * p->target.cores));
	period = fmin(period, fmax(PERIOD_MOST, p->target.poll_s));
	p->random ^= p->random << 13;
	p->random ^= p->random >> 17;
	p->random ^= p->random << 5;
	period *= 0.875 + 0.25 * (p->random / 4294967296.0);
	if (ran < BEGUN)
		period = fmin(period, fmax(ran, PERIOD_FIRST));
	return (uint64_t)(period * 1e9);
}

/* A sample says something of this poll only when it is about as old as the poll; the period is of
 * CPU time, which a busy machine stretches. */
static int code_now(struct tasks *p, uint64_t now, struct sd_code *code)
{
	return sd_thread_sampler_newest(&p->sampler, code) &&
	       code->time + 2 * SD_THREAD_SAMPLER_NS > now;
}

static void account(struct tasks *p, uint64_t now)
{
	struct sd_code code;
	const int sampled = code_now(p, now, &code);
	const int rc =
		p->target.accountant->look(p->account, &p->tree.views, sampled ? &code : NULL);

	p->failed = p->failed ? p->failed : rc;
}

static uint64_t tasks_tick(void *state, uint64_t now)
{
	struct tasks *const p = state;
	const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	double cost;

	if (now <= p->last)
		return next_delay(p);
	look(p, now);
	if (p->account)
		account(p, now);
	sd_bound_waits_add(&p->affinity.waits, &p->tree);
	check_threads(p, now);
	p->last = now;
	p->polls++;
	p->met += p->tree.n > 0;
	p->hidden += p->tree.n == 0 && sd_process_tree_hides(&p->tree, p->target.pid);
	cost = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before) * 1e-9;
	p->cost += cost;
	p->cost_poll += (cost - p->cost_poll) / (p->polls < 8 ? (double)p->polls : 8);
	return next_delay(p);
}

static void give_threads(struct tasks *p, struct sd_run *run)
{
	const int has_sched = p->tree.env.has_sched;

	for (size_t i = 0; i < p->tree.n; i++)
		keep_gone(p, p->tree.task[i]);
	sd_busiest_threads_finish(&p->gone, &p->stages);
	run->thread = p->gone.thread;
	run->n_thread = p->gone.n;
	run->n_thread_seen = p->tree.seen;
	p->gone.thread = NULL;
	p->gone.n = 0;
	run->metric[SD_METRIC_BLKIO_WAIT] = sd_busiest_threads_blkio(&p->gone, p->target.root);
	run->metric[SD_METRIC_RUN_DELAY] =
		has_sched ? SD_OK(p->gone.run_delay) : SD_NOT(UNSUPPORTED);
	run->metric[SD_METRIC_BOUND_WAIT] = sd_bound_waits_told(&p->affinity.waits, has_sched);
}

static void give_idle(struct tasks *p, struct sd_run *run)
{
	p->target.accountant->end(p->account, run);
	/* without run times a thread that is ready looks like one that runs */
	if (!p->tree.env.has_sched)
		run->idle[SD_IDLE_RUNNABLE] = SD_NOT(UNSUPPORTED);
}

/* Everything that the threads would have told. */
static void not_seen(struct sd_value why, struct sd_run *run)
{
	run->metric[SD_METRIC_RUN_DELAY] = why;
	run->metric[SD_METRIC_BOUND_WAIT] = why;
	run->metric[SD_METRIC_BLKIO_WAIT] = why;
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run->idle[i] = why;
}

static void tasks_stop(void *state, struct sd_run *run)
{
	struct tasks *const p = state;

	if (!p)
		return;
	run->metric[SD_METRIC_POLLS] = SD_OK((double)p->polls);
	if (!sd_has(run->metric[SD_METRIC_POLL_CPU])) /* the launcher may know it */
		run->metric[SD_METRIC_POLL_CPU] = SD_OK(p->cost);
	if (!p->polls)
		return; /* the program ended first: nothing was seen */
	run->metric[SD_METRIC_POLL_PERIOD] =
		SD_OK((double)(p->last - p->start) * 1e-9 / (double)p->polls);
	run->metric[SD_METRIC_USABLE] = sd_affinity_check_usable(&p->affinity);
	run->flags |= (p->rebound ? SD_RUN_REBOUND : 0u) | (p->lost ? SD_RUN_UNREADABLE : 0u) |
		      (p->tree.stopped > (p->last - p->start) / STOPPED ? SD_RUN_STOPPED : 0u);
	if (p->failed || p->met + p->hidden == 0)
		return; /* an account with holes is none, as that of a program that had ended */
	if (2 * p->hidden > p->polls) {
		run->flags |= SD_RUN_UNREADABLE;
		not_seen(SD_NOT(DENIED), run);
		return;
	}
	give_threads(p, run);
	if (p->account)
		give_idle(p, run);
}

static void tasks_close(void *state)
{
	struct tasks *const p = state;

	if (!p)
		return;
	sd_thread_sampler_close(&p->sampler);
	sd_process_tree_free(&p->tree);
	if (p->account)
		p->target.accountant->close(p->account);
	sd_busiest_threads_free(&p->gone);
	sd_pipe_stages_free(&p->stages);
	sd_affinity_check_end(&p->affinity);
	free(p);
}

static void tasks_fail(int error, struct sd_run *run)
{
	const struct sd_value v =
		error == -EACCES || error == -EPERM ? SD_NOT(DENIED) : SD_NOT(ABSENT);

	not_seen(v, run);
	run->metric[SD_METRIC_POLLS] = v;
	run->metric[SD_METRIC_POLL_PERIOD] = v;
	run->metric[SD_METRIC_POLL_CPU] = v;
}

const struct sd_probe sd_probe_thread_states = {
	.name = "tasks",
	.open = tasks_open,
	.start = tasks_start,
	.tick = tasks_tick,
	.ease = tasks_ease,
	.stop = tasks_stop,
	.close = tasks_close,
	.fail = tasks_fail,
};
