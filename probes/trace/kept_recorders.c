#include "trace/kept_recorders.h"

#include <stdlib.h>

#include "perf_event/perf_event.h"
#include "perf_event/ring_reader.h"

static const struct sd_cpu_recorder closed = {.fd = {-1, -1, -1, -1, -1}};

/* As after opening, with another period of the clock. The stacks of switches that it may still
 * write, and those it is owed, are as many as there is room for. 0 or -errno. */
static int begin_again(struct sd_cpu_recorder *r, uint64_t period_ns)
{
	struct sd_ring_reader ring = sd_ring_reader_begin(&r->ring);
	/* the same period, too: what is left of the last one ends with it, and the clocks of all
	 * CPUs begin anew */
	int rc = sd_perf_event_pace(r->fd[SD_RAW_WIDE], period_ns);

	if (!rc && r->every > 1 && r->fd[SD_RAW_SWITCH] >= 0)
		rc = sd_perf_event_pace(r->fd[SD_RAW_SWITCH], 1);
	sd_ring_reader_end(&ring, ring.head);
	r->every = 1;
	r->seen = r->since = 0;
	r->rate = 0;
	r->told += sd_cpu_recorder_untold(r);
	return rc;
}

static int asks_for_programs(const struct sd_recording *r)
{
	return r->programs || r->no_programs;
}

void sd_kept_recorders_plan(struct sd_kept_recorders *k, struct sd_recording *r)
{
	const struct sd_recording asked = *r;

	if (!k)
		return;
	if (!k->n || k->wished != asked.stack ||
		asks_for_programs(&k->recording) != asks_for_programs(r)) {
		sd_kept_recorders_free(k);
		return;
	}
	*r = k->recording;
	r->pid = asked.pid;
	r->period_ns = asked.period_ns;
}

int sd_kept_recorders_take(
	struct sd_kept_recorders *k, unsigned cpu, uint64_t period_ns, struct sd_cpu_recorder *out)
{
	for (size_t i = 0; k && i < k->n; i++) {
		if (k->recorder[i].cpu != cpu)
			continue;
		*out = k->recorder[i];
		k->recorder[i] = k->recorder[--k->n];
		if (begin_again(out, period_ns) == 0)
			return 1;
		sd_cpu_recorder_close(out);
		return 0;
	}
	return 0;
}

void sd_kept_recorders_put(struct sd_kept_recorders *k, const struct sd_recording *of,
	uint32_t wished, struct sd_cpu_recorder *r)
{
	struct sd_cpu_recorder *const grown =
		realloc(k->recorder, (k->n + 1) * sizeof *k->recorder);

	if (!grown) {
		sd_cpu_recorder_close(r);
		return;
	}
	k->recorder = grown;
	k->recording = *of;
	k->wished = wished;
	k->recorder[k->n++] = *r;
	*r = closed;
}

void sd_kept_recorders_free(struct sd_kept_recorders *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		sd_cpu_recorder_close(&k->recorder[i]);
	free(k->recorder);
	sd_switch_programs_close(&k->programs);
	*k = (struct sd_kept_recorders){0};
}
