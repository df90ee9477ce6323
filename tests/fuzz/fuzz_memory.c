/* Sampled loads and stores, from a ring buffer's records or from SPE packets: the first byte
 * chooses. Whatever the bytes are, the lines stay within their bounds. */
#include <stdlib.h>
#include <string.h>

#include "memory/line_table.h"
#include "memory/access_ring.h"
#include "perf_event/ring_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RING 4096u
#define AUX 4096u
#define PACKETS 1024u /* of the input, before the records */

static int event(void *ctx, const struct sd_event *e)
{
	if (e->kind == SD_EVENT_EXEC && sd_line_table_exec(ctx, e->pid, e->time))
		abort();
	return 0;
}

static int access_to(void *ctx, const struct sd_sampled_access *a)
{
	struct sd_line_table *const m = ctx;

	if (sd_line_table_add(m, a) || m->n > SD_LINE_TABLE_MOST)
		abort();
	return 0;
}

static void check(struct sd_line_table *m)
{
	sd_line_table_sort(m);
	for (size_t i = 0; i < m->n; i++) {
		if (m->line[i].address % m->bytes || m->line[i].space >= m->n_space ||
			m->line[i].n_sharer > SD_SIM_SHARERS ||
			m->line[i].n_code > SD_LINE_TABLE_CODES)
			abort();
		(void)sd_line_table_sharing(&m->line[i]);
	}
}

/* Packets, then where in the ring it begins, then records. */
static void ring(const uint8_t *data, size_t size, struct sd_line_table *m)
{
	static const struct sd_memsource source = {.n = 1, .spe = 1, .peers = 0x1600, .line = 64};
	static unsigned char bytes[RING], aux[AUX], packets[SD_ACCESS_RING_AUX];
	struct perf_event_mmap_page control = {
		.cap_user_time_zero = 1, .time_mult = 10, .time_shift = 1};
	struct sd_access_ring r = {.source = &source,
		.ring = {.control = &control,
			.data = bytes,
			.size = RING,
			.aux = aux,
			.aux_size = AUX},
		.turn = calloc(SD_ACCESS_RING_TURNS, sizeof *r.turn)};
	struct sd_access_ring_sink sink = {.event = event,
		.access = access_to,
		.ctx = m,
		.scratch = malloc(SD_RING_READER_RECORD),
		.packets = packets};
	const size_t most = size > PACKETS ? PACKETS : size;

	if (!r.turn || !sink.scratch)
		abort();
	memset(bytes, 0, sizeof bytes);
	memset(aux, 0, sizeof aux);
	memcpy(aux, data, most);
	data += most;
	size -= most;
	if (size > 1) {
		control.data_tail = 8u * data[0];
		control.data_head =
			control.data_tail + (size - 1 < RING ? size - 1 : RING + data[0] % 2);
		for (size_t i = 0; i < size - 1 && i < RING; i++)
			bytes[(control.data_tail + i) % RING] = data[1 + i];
		for (int accesses = 0; accesses < 2; accesses++)
			if (sd_access_ring_read(&r, &sink, accesses))
				abort();
	}
	free(r.turn);
	free(sink.scratch);
}

static void packets(const uint8_t *data, size_t size, struct sd_line_table *m)
{
	struct sd_arm_spe s = {.p = data, .end = data + size};
	struct sd_arm_spe_access p;
	struct sd_sampled_access a;

	while (sd_arm_spe_next(&s, &p)) {
		sd_sampled_access_spe(&p, 0x1600, 0x2000, &a);
		a.pid = a.tid = 1 + (int)(p.time % 3);
		access_to(m, &a);
	}
	if (s.p != s.end || s.bad > size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_line_table m = {.bytes = 64};

	if (size < 1)
		return 0;
	if (data[0] % 2)
		packets(data + 1, size - 1, &m);
	else
		ring(data + 1, size - 1, &m);
	check(&m);
	sd_line_table_free(&m);
	return 0;
}
