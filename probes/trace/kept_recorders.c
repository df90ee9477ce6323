#include "trace/kept_recorders.h"

#include <math.h>
#include <stdlib.h>

#include "base/one_more.h"
#include "perf_event/perf_event.h"
#include "perf_event/ring_reader.h"

static const struct sd_cpu_recorder closed = {.fd = {-1, -1, -1, -1, -1}};

/* s that a ring holds, so that a busy machine may keep us waiting; and of a shorter run, how many
 * times what it wrote. */
#define RING_S 2
#define RING_TIMES 2
#define RING_LEAST ((size_t)1 << 20)
/* All of them of more CPUs than are known: a gigabyte of a machine with 128 would be taken for a
 * program that sleeps. */
#define RINGS_UNKNOWN ((size_t)256 << 20)
#define GROWN 4 /* times what it is at most, after losses */

size_t sd_kept_recorders_ring(
	const struct sd_kept_recorders *k, double sampling, size_t most, size_t cpus)
{
	const struct sd_ring_use use = k ? k->use : (struct sd_ring_use){0};
	const double need = use.samples * sampling + use.others;
	const size_t share = cpus > use.cpus ? RINGS_UNKNOWN / cpus : 0;
	size_t ring = RING_LEAST;

	while (ring < most && ((double)ring < need || ring <= share / 2))
		ring *= 2;
	ring = ring < most ? ring : most;
	while (ring < use.least && ring < GROWN * most)
		ring *= 2;
	return ring;
}

void sd_kept_recorders_used(struct sd_kept_recorders *k, const struct sd_ring_use_of_run *of)
{
	const double times = of->seconds > 0 ? fmin(RING_S / of->seconds, RING_TIMES) : RING_TIMES;
	const double bytes = of->bytes * times;

	if (!k)
		return;
	k->use.cpus = of->cpus > k->use.cpus ? of->cpus : k->use.cpus;
	k->use.others = fmax(k->use.others, bytes * (1 - of->samples));
	if (of->sampling > 0)
		k->use.samples = fmax(k->use.samples, bytes * of->samples / of->sampling);
	k->use.least = 2 * of->full > k->use.least ? 2 * of->full : k->use.least;
}

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
	r->begin = ring.head;
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

int sd_kept_recorders_take(struct sd_kept_recorders *k, unsigned cpu, uint64_t period_ns,
	size_t ring, struct sd_cpu_recorder *out)
{
	for (size_t i = 0; k && i < k->n; i++) {
		if (k->recorder[i].cpu != cpu)
			continue;
		*out = k->recorder[i];
		k->recorder[i] = k->recorder[--k->n];
		if (out->ring.size >= ring && begin_again(out, period_ns) == 0)
			return 1;
		sd_cpu_recorder_close(out);
		return 0;
	}
	return 0;
}

void sd_kept_recorders_put(struct sd_kept_recorders *k, const struct sd_recording *of,
	uint32_t wished, struct sd_cpu_recorder *r)
{
	if (SD_APPEND(k->recorder, k->n, r)) {
		sd_cpu_recorder_close(r);
		return;
	}
	k->recording = *of;
	k->wished = wished;
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
	sd_spare_chunks_free(&k->chunks);
	*k = (struct sd_kept_recorders){.use = k->use};
}
