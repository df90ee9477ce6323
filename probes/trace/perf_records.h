/*
 * Converts the kernel's records, written by the events of cpu_recorder.h, to events of the capture.
 */
#ifndef SD_PERF_RECORDS_H
#define SD_PERF_RECORDS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "trace/trace.h"

/* Which event took a sample. */
enum sd_raw_source {
	SD_RAW_CLOCK,  /* the CPU clock */
	SD_RAW_SWITCH, /* context switches */
	SD_RAW_WAKE,   /* the tracepoint of wake-ups */
	SD_RAW_TURNS,  /* takes none; reports who leaves and enters a whole CPU, beside
			SD_RAW_WIDE */
	SD_RAW_WIDE,   /* the clock of a whole CPU: the leader instead of SD_RAW_CLOCK */
	SD_RAW_SOURCES /* also: none of these */
};

/* The layout of records. All events request these fields: */
#define SD_RAW_COMMON (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
struct sd_rawlayout {
	uint64_t sample_type[SD_RAW_SOURCES];
	uint64_t regs;     /* sample_regs_user */
	uint32_t woken_at; /* offset of the woken thread's tid in the tracepoint's data */
	int build_ids;     /* were asked for */
};

#define SD_RAW_CHAIN 256 /* frames of a chain that are kept; the kernel's own limit is 127 */

/* Clears an event, except for its registers, whose mask is then empty: this runs for
 * every record. */
static inline void sd_event_clear(struct sd_event *e)
{
	const size_t regs = offsetof(struct sd_event, regs.reg);
	const size_t rest = offsetof(struct sd_event, stack);

	memset(e, 0, regs);
	memset((char *)e + rest, 0, sizeof *e - rest);
}

/*
 * Fills *e except for the CPU; its pointers point into the record and `chain`. `id`: identifiers of
 * the ring's events, 0 if not open. *source is the event that took a sample, SD_RAW_SOURCES for
 * other records; *exec: a NAME that belongs to an EXEC. 1; 0: an uninteresting record; -EINVAL:
 * wrong size.
 */
int sd_perf_records(const struct perf_event_header *h, const struct sd_rawlayout *layout,
	const uint64_t id[SD_RAW_SOURCES], uint64_t chain[SD_RAW_CHAIN], struct sd_event *e,
	enum sd_raw_source *source, int *exec);

#endif
