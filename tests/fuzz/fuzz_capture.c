/* Captures from a kept file and from a ring buffer: the first byte chooses. Whatever the bytes are,
 * the replay ends, in the order of time, with texts that end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/trace.h"
#include "trace/trace_file.h"
#include "trace/perf_records.h"
#include "perf_event/ring_reader.h"
#include "trace/trace_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RING 4096u

static unsigned touched;

/* Every byte that an event lends is looked at. */
static void touch(const struct sd_event *e)
{
	for (size_t i = 0; i < e->stack_size; i++)
		touched += e->stack[i];
	for (size_t i = 0; i < e->n_chain; i++)
		touched += (unsigned)e->chain[i];
	for (size_t i = 0; i < e->n_pointed; i++)
		touched += (unsigned)e->pointed[i];
	if (e->name)
		touched += (unsigned)strlen(e->name);
	if (e->kind > SD_EVENT_DATA || e->n_build_id > sizeof e->build_id)
		abort();
}

static int each(void *ctx, const struct sd_event *e)
{
	uint64_t *const last = ctx;

	if (e->time < *last)
		abort();
	*last = e->time;
	touch(e);
	return 0;
}

static void file(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("capture", MFD_CLOEXEC);
	struct sd_capture *c = NULL;
	uint64_t last = 0;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (sd_capture_from_file(&c, path) == 0)
		sd_trace_replay(c, each, &last);
	sd_trace_close(c);
	close(fd);
}

static void records(struct sd_trace_buffer *spool, struct sd_perf_mmap *mapped, void *scratch)
{
	static const struct sd_rawlayout layout = {
		.sample_type = {SD_RAW_COMMON | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
					PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					PERF_SAMPLE_STACK_USER,
			SD_RAW_COMMON | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				PERF_SAMPLE_STACK_USER,
			SD_RAW_COMMON | PERF_SAMPLE_RAW, SD_RAW_COMMON | PERF_SAMPLE_IP},
		.regs = 0x105,
		.woken_at = 24,
		.build_ids = 1};
	static const uint64_t id[SD_RAW_SOURCES] = {1, 2, 3, 4};
	static uint64_t chain[SD_RAW_CHAIN];
	struct sd_ring_reader ring = sd_ring_reader_begin(mapped);
	const struct perf_event_header *h;

	while ((h = sd_ring_reader_next(&ring, scratch))) {
		enum sd_raw_source source;
		struct sd_event e;
		int exec;

		if (sd_perf_records(h, &layout, id, chain, &e, &source, &exec) != 1)
			continue;
		touch(&e);
		if (sd_trace_codec_put(spool, 0, &e))
			abort();
	}
	sd_ring_reader_end(&ring, ring.at);
}

/* Puts records into a ring and reads them again. */
static void ring(const uint8_t *data, size_t size)
{
	struct perf_event_mmap_page control = {0};
	unsigned char bytes[RING] = {0};
	struct sd_perf_mmap mapped = {.control = &control, .data = bytes, .size = RING};
	struct sd_trace_buffer spool = {.bound = UINT64_MAX};
	struct sd_trace_codec trail;
	struct sd_event e;
	void *const scratch = malloc(SD_RING_READER_RECORD);

	if (!scratch || sd_trace_buffer_add(&spool, 0) || size < 2)
		goto out;
	/* somewhere before the ring's end, so that it wraps */
	control.data_tail = 8u * data[0];
	control.data_head = control.data_tail + (size - 1 < RING ? size - 1 : RING + data[0] % 2);
	for (size_t i = 0; i < size - 1 && i < RING; i++)
		bytes[(control.data_tail + i) % RING] = data[1 + i];
	records(&spool, &mapped, scratch);
	sd_trace_codec_begin(&trail, &spool.stream[0]);
	while (sd_trace_codec_next(&trail, &e))
		touch(&e);
out:
	sd_trace_buffer_free(&spool);
	free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	if (size > 7 && memcmp(data, "SDTRAIL", 7) == 0) /* a kept file as it is */
		file(data, size);
	else if (data[0] % 2)
		file(data + 1, size - 1);
	else
		ring(data + 1, size - 1);
	return 0;
}
