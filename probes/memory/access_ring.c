#include "memory/access_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perf_event/perf_event.h"
#include "trace/perf_records.h"
#include "perf_event/ring_reader.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Carries what happens to the tree into the same ring. With packets its clock must be the kernel's
 * own, which the timer's counts can be turned into. */
static struct perf_event_attr side_attr(int spe)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = SD_RAW_COMMON,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = spe != 0,
		.sample_id_all = 1,
		.use_clockid = !spe,
		.clockid = spe ? 0 : CLOCK_MONOTONIC};
}

static int open_event(struct sd_access_ring *r, pid_t pid, size_t i, size_t aux)
{
	const struct sd_memsource *const s = r->source;
	struct perf_event_attr a = s->event[i].attr;
	int fd;

	a.inherit = !s->wide;
	a.enable_on_exec = !s->wide && !s->event[i].follows;
	/* a follower begins with its leader; whole CPUs at once, as no exec starts them */
	a.disabled = !s->wide && !s->event[i].follows;
	a.sample_id_all = 1;
	a.use_clockid = !s->spe;
	a.clockid = s->spe ? 0 : CLOCK_MONOTONIC;
	if (s->spe)
		a.aux_watermark = (uint32_t)(aux / 4);
	fd = sd_perf_event_open_in(
		&a, s->wide ? -1 : pid, (int)r->cpu, s->event[i].follows && i ? r->fd[i - 1] : -1);
	if (fd < 0)
		return fd == -ENOENT && s->spe ? -ENODEV : fd;
	r->fd[r->n++] = fd;
	return 0;
}

static int lockable(int rc)
{
	return rc == -EPERM ? -ENOMEM : rc; /* more than may be locked: not a denied event */
}

/* All into one ring: that of the packets' event, whose AUX buffer must go with it. */
static int lead(struct sd_access_ring *r, size_t size)
{
	const int to = r->source->spe ? r->fd[0] : r->side;
	int rc = lockable(sd_perf_mmap_map(to, size, &r->ring));

	if (!rc && r->source->spe)
		rc = lockable(sd_perf_mmap_map_aux(to, 4 * size, &r->ring));
	if (!rc)
		rc = sd_perf_mmap_id(r->side, &r->id);
	if (!rc && r->side != to)
		rc = sd_perf_mmap_redirect(r->side, to);
	for (size_t i = 0; !rc && i < r->n; i++)
		if (r->fd[i] != to)
			rc = sd_perf_mmap_redirect(r->fd[i], to);
	for (size_t i = 0; !rc && r->source->by_code && i < r->n; i++)
		rc = sd_perf_mmap_id(r->fd[i], &r->event_id[i]);
	return rc;
}

int sd_access_ring_open(struct sd_access_ring *out, const struct sd_memsource *source, pid_t pid,
	unsigned cpu, size_t size)
{
	const struct perf_event_attr side = side_attr(source->spe);
	int rc = 0;

	*out = (struct sd_access_ring){.source = source, .cpu = cpu, .side = -1};
	out->side = sd_perf_event_open(&side, pid, (int)cpu);
	if (out->side < 0)
		return out->side;
	if (source->spe && !(out->turn = calloc(SD_ACCESS_RING_TURNS, sizeof *out->turn)))
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < source->n; i++)
		rc = open_event(out, pid, i, 4 * size);
	if (!rc)
		rc = lead(out, size);
	if (rc)
		sd_access_ring_close(out);
	return rc;
}

void sd_access_ring_close(struct sd_access_ring *r)
{
	sd_perf_mmap_unmap(&r->ring);
	while (r->n)
		sd_perf_event_close(r->fd[--r->n]);
	sd_perf_event_close(r->side);
	free(r->turn);
	r->turn = NULL;
	r->n_turn = 0;
	r->side = -1;
}

/* ---- who ran when ---------------------------------------------------------------------------- */

static void add_turn(struct sd_access_ring *r, const struct sd_event *e)
{
	if (!r->turn)
		return;
	if (r->n_turn == SD_ACCESS_RING_TURNS) { /* the older half is given up */
		r->n_turn /= 2;
		memmove(r->turn, r->turn + SD_ACCESS_RING_TURNS - r->n_turn,
			r->n_turn * sizeof *r->turn);
	}
	r->turn[r->n_turn++] = (struct sd_memturn){.time = e->time,
		.pid = e->kind == SD_EVENT_SWITCH_IN ? e->pid : 0,
		.tid = e->kind == SD_EVENT_SWITCH_IN ? e->tid : 0};
}

/* The turn at a time; NULL: before the first one that is known. */
static const struct sd_memturn *turn_at(const struct sd_access_ring *r, uint64_t time)
{
	size_t low = 0, high = r->n_turn;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (r->turn[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &r->turn[low - 1] : NULL;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* The generic timer's counts as perf's time: "cap_user_time_zero" of perf_event_open(2). 0 where
 * the kernel does not say how. */
static uint64_t time_of(const struct perf_event_mmap_page *c, uint64_t count)
{
	uint64_t whole, rest;

	if (!c->cap_user_time_zero || !count || c->time_shift >= 64)
		return 0;
	if (c->cap_user_time_short)
		count = c->time_cycles + ((count - c->time_cycles) & c->time_mask);
	whole = count >> c->time_shift;
	rest = count & ((UINT64_C(1) << c->time_shift) - 1);
	return c->time_zero + whole * c->time_mult + (rest * c->time_mult >> c->time_shift);
}

static int give_packets(struct sd_access_ring *r, struct sd_access_ring_sink *sink, size_t n,
	const struct sd_event *record)
{
	struct sd_arm_spe spe = {.p = sink->packets, .end = sink->packets + n};
	struct sd_arm_spe_access packet;
	int rc = 0;

	while (!rc && sd_arm_spe_next(&spe, &packet)) {
		const uint64_t time = time_of(r->ring.control, packet.time);
		const struct sd_memturn *const turn = time ? turn_at(r, time) : NULL;
		struct sd_sampled_access a;

		sd_sampled_access_spe(&packet, r->source->peers, r->source->far_peers, &a);
		a.cpu = r->cpu;
		a.time = time ? time : record->time;
		/* without a time: the buffer is closed when its thread leaves the CPU */
		a.pid = turn ? turn->pid : time && r->n_turn ? 0 : record->pid;
		a.tid = turn ? turn->tid : time && r->n_turn ? 0 : record->tid;
		rc = sink->access(sink->ctx, &a);
	}
	sink->lost += spe.bad != 0;
	return rc;
}

/* PERF_RECORD_AUX: offset, size, flags; then the trailer of SD_RAW_COMMON. */
#define AUX_RECORD (sizeof(struct perf_event_header) + 3 * 8)

static int aux_record(struct sd_access_ring *r, const struct perf_event_header *h,
	struct sd_access_ring_sink *sink)
{
	struct perf_event_mmap_page *const control = r->ring.control;
	struct sd_event record = {.kind = SD_EVENT_LOST};
	uint64_t field[3];
	uint32_t who[2];
	size_t at, first;
	int rc = 0;

	if (h->size < AUX_RECORD || !r->ring.aux) {
		sink->lost++;
		return 0;
	}
	memcpy(field, h + 1, sizeof field);
	if (h->size >= AUX_RECORD + 16) {
		memcpy(who, (const char *)h + AUX_RECORD, sizeof who);
		memcpy(&record.time, (const char *)h + AUX_RECORD + 8, 8);
		record.pid = (int)who[0];
		record.tid = (int)who[1];
	}
	sink->lost += (field[2] & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL |
					  PERF_AUX_FLAG_COLLISION)) != 0;
	if (field[1] > r->ring.aux_size || field[1] > SD_ACCESS_RING_AUX) {
		sink->lost++;
	} else {
		at = field[0] & (r->ring.aux_size - 1);
		first = field[1] < r->ring.aux_size - at ? field[1] : r->ring.aux_size - at;
		memcpy(sink->packets, r->ring.aux + at, first);
		memcpy(sink->packets + first, r->ring.aux, field[1] - first);
		rc = give_packets(r, sink, field[1], &record);
	}
	__atomic_store_n(&control->aux_tail, field[0] + field[1], __ATOMIC_RELEASE);
	return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int give_event(struct sd_access_ring *r, const struct perf_event_header *h,
	struct sd_access_ring_sink *sink, int accesses)
{
	static const struct sd_rawlayout none = {.regs = 0};
	static const uint64_t id[SD_RAW_SOURCES] = {0};
	uint64_t chain[SD_RAW_CHAIN];
	enum sd_raw_source source;
	struct sd_event e;
	int exec, rc;

	rc = sd_perf_records(h, &none, id, chain, &e, &source, &exec);
	if (rc <= 0) {
		sink->lost += !accesses && rc < 0;
		return 0;
	}
	e.cpu = r->cpu;
	if (e.kind == SD_EVENT_SWITCH_IN || e.kind == SD_EVENT_SWITCH_OUT) {
		if (!accesses)
			add_turn(r, &e);
		return 0;
	}
	if (accesses)
		return 0;
	if (e.kind == SD_EVENT_LOST) {
		sink->lost += e.count;
		return 0;
	}
	if (exec) {
		const struct sd_event fresh = {.kind = SD_EVENT_EXEC,
			.pid = e.pid,
			.tid = e.tid,
			.cpu = r->cpu,
			.time = e.time};

		rc = sink->event(sink->ctx, &fresh);
		if (rc)
			return rc;
	}
	rc = sink->event(sink->ctx, &e);
	return rc < 0 ? rc : 0;
}

static int give_sample(struct sd_access_ring *r, const struct perf_event_header *h,
	struct sd_access_ring_sink *sink)
{
	struct sd_sampled_access a;
	const int rc = sd_sampled_access_read(h, &a);

	sink->lost += rc < 0;
	if (rc <= 0)
		return 0;
	a.cpu = r->cpu;
	/* of whole CPUs the kernel's own come along */
	if ((h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return 0;
	return sink->access(sink->ctx, &a);
}

static int give_code(struct sd_access_ring *r, const struct perf_event_header *h,
	struct sd_access_ring_sink *sink)
{
	struct sd_sampled_event e;
	size_t i = 0;

	if (sd_sampled_event_read(h, &e)) {
		sink->lost++;
		return 0;
	}
	while (i < r->n && r->event_id[i] != e.id)
		i++;
	/* where the interrupt came late, the kernel is what it interrupted */
	if (i == r->n || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return 0;
	return sink->sample(sink->ctx, i, &e);
}

int sd_access_ring_read(struct sd_access_ring *r, struct sd_access_ring_sink *sink, int accesses)
{
	struct sd_ring_reader ring = sd_ring_reader_begin(&r->ring);
	const struct perf_event_header *h;
	int rc = 0;

	/* what the kernel wrote between the passes waits for the next two */
	if (accesses)
		ring.head = r->upto;
	else
		r->upto = ring.head;
	while (!rc && (h = sd_ring_reader_next(&ring, sink->scratch))) {
		if (h->type == PERF_RECORD_SAMPLE)
			rc = !accesses            ? 0
			     : r->source->by_code ? give_code(r, h, sink)
						  : give_sample(r, h, sink);
		else if (h->type == PERF_RECORD_AUX)
			rc = accesses ? aux_record(r, h, sink) : 0;
		else
			rc = give_event(r, h, sink, accesses);
	}
	sink->lost += !rc && accesses && ring.broken;
	if (accesses)
		sd_ring_reader_end(&ring, ring.at);
	return rc;
}
