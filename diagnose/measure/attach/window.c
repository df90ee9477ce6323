#include "attach/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/usage.h"
#include "base/clock.h"
#include "launch/affinity.h"
#include "launch/probe_set.h"
#include "trace/running.h"

#define SLICE_NS UINT64_C(100000000) /* between looks at the stop flag, and progress */

struct session {
	const struct sd_window *window;
	struct sd_run *run;
	const struct sd_sink *sink;
	struct sd_probe_set probing;
	struct sd_usage before, after;
	double count; /* of work, when it began */
	uint64_t counted, start, end;
	struct sd_affinity_set *affinity; /* ours, before stepping aside */
};

static uint64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int has_ended(const struct session *s)
{
	sd_say(s->sink, SD_LEVEL_ERROR, "%s has ended while it was looked at",
		s->window->program->label);
	return -ESRCH;
}

static int count(const struct session *s, double *value, uint64_t *when)
{
	const struct sd_work_counter *const c = s->window->work;
	const int rc = c ? c->read(c->ctx, value, when, s->sink) : 0;

	return rc && rc != -ENOMEM && rc != -EINTR ? -ENODATA : rc;
}

static void wait_until(uint64_t at)
{
	const struct timespec t = {
		.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)};

	/* a signal ends it early, which the stop flag tells */
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int watch(struct session *s)
{
	const struct sd_window *const w = s->window;
	const uint64_t end = s->start + (uint64_t)(w->seconds * 1e9);
	uint64_t tick = s->start, slice = tick, now;

	while ((now = sd_clock_ns()) < end) {
		uint64_t next = end;

		if (w->stop && *w->stop)
			return -EINTR;
		if (now >= tick) {
			const uint64_t wish = sd_probe_set_tick(&s->probing, now);

			tick = wish < UINT64_MAX - now ? now + wish : UINT64_MAX;
		}
		if (now >= slice) {
			slice = now + SLICE_NS;
			if (w->progress)
				w->progress(w->progress_ctx, (double)(now - s->start) * 1e-9);
		}
		next = tick < next ? tick : next;
		wait_until(slice < next ? slice : next);
	}
	s->end = now;
	return 0;
}

static int begin(struct session *s, const struct sd_running *running)
{
	struct sd_probe_target target = s->window->target;
	int rc;

	target.pid = running->pid[0];
	target.subreaper = 0;
	target.running = running;
	target.expect_s = s->window->seconds;
	target.root = "";
	rc = sd_probe_set_open(&s->probing, s->window->probes, &target, s->run);
	if (!rc)
		rc = count(s, &s->count, &s->counted);
	if (!rc)
		rc = sd_usage_read(&s->before, s->window->program);
	if (rc)
		return rc;
	if (s->window->latency)
		sd_latency_begin(s->window->latency);
	s->run->start = sd_clock_day();
	s->start = sd_clock_ns();
	sd_probe_set_start(&s->probing);
	return 0;
}

/* Ends a window: reads what was there before it stops the probes, which takes long. */
static int end(struct session *s, uint64_t own_ns)
{
	struct sd_run *const run = s->run;
	uint64_t when = 0;
	double done = 0;
	int rc;

	run->metric[SD_METRIC_WALL] = SD_OK((double)(s->end - s->start) * 1e-9);
	if (s->window->latency) {
		const struct sd_latency_seen seen = sd_latency_end(s->window->latency);

		run->metric[SD_METRIC_LATENCY_P50] = seen.p50;
		run->metric[SD_METRIC_LATENCY_P99] = seen.p99;
	}
	run->metric[SD_METRIC_POLL_CPU] = SD_OK((double)(own_cpu_ns() - own_ns) * 1e-9);
	rc = sd_attached_refresh(s->window->program);
	if (rc == -ESRCH)
		return has_ended(s);
	if (!rc)
		rc = sd_usage_read(&s->after, s->window->program);
	if (!rc)
		rc = count(s, &done, &when);
	if (rc)
		return rc;
	sd_probe_set_stop(&s->probing, run);
	sd_usage_give(&s->before, &s->after, run);
	run->end = SD_END_EXITED;
	if (s->window->work && when > s->counted)
		run->metric[SD_METRIC_RATE] =
			SD_OK((done - s->count) / ((double)(when - s->counted) * 1e-9));
	return 0;
}

int sd_window_look(const struct sd_window *w, struct sd_run *run, const struct sd_sink *sink)
{
	struct session s = {.window = w, .run = run, .sink = sink};
	pid_t *pid;
	const uint64_t own_ns = own_cpu_ns();
	int rc = sd_attached_refresh(w->program);

	if (rc == -ESRCH)
		return has_ended(&s);
	if (rc)
		return rc;
	/* the list is replaced when it is made anew, and the probes have the older one meanwhile */
	s.affinity = sd_affinity_aside(w->target.cpus);
	pid = malloc(w->program->n * sizeof *pid);
	rc = pid ? 0 : -ENOMEM;
	if (!rc) {
		memcpy(pid, w->program->pid, w->program->n * sizeof *pid);
		rc = begin(&s, &(struct sd_running){.pid = pid, .n = w->program->n});
	}
	if (!rc)
		rc = watch(&s);
	if (!rc)
		rc = end(&s, own_ns);
	sd_probe_set_close(&s.probing);
	sd_affinity_back(s.affinity);
	sd_usage_free(&s.before);
	sd_usage_free(&s.after);
	free(pid);
	return rc;
}
