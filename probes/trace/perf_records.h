/*
 * The kernel's records, as the events of cpu_recorder.h write them, into events of the capture.
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
	SD_RAW_TURNS,  /* takes none: who leaves a whole CPU and who comes, beside SD_RAW_WIDE */
	SD_RAW_WIDE,   /* the CPU clock of whatever runs there: it leads instead of SD_RAW_CLOCK */
	SD_RAW_SOURCES /* also: none of them */
};

/* Where the fields of a record are. All events ask for these: */
#define SD_RAW_COMMON (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
struct sd_rawlayout {
	uint64_t sample_type[SD_RAW_SOURCES];
	uint64_t regs;     /* sample_regs_user */
	uint32_t woken_at; /* offset of the woken thread's number in the tracepoint's data */
	int build_ids;     /* were asked for */
};

#define SD_RAW_CHAIN 256 /* frames of chains that are kept; the kernel's own bound is 127 */

/* An empty event; its registers are not written, since their mask is empty: this is done for every
 * record. */
static inline void sd_event_clear(struct sd_event *e)
{
	const size_t regs = offsetof(struct sd_event, regs.reg);
	const size_t rest = offsetof(struct sd_event, stack);

	memset(e, 0, regs);
	memset((char *)e + rest, 0, sizeof *e - rest);
}

/*
 * Fills *e, whose pointers then point into the record and into `chain`, except for the CPU. `id`:
 * the identifiers of the record's ring, 0 for an event that is not open. *source is the event that
 * took a sample, SD_RAW_SOURCES for another record; *exec: a NAME that comes with an EXEC.
 * 1; 0 for a record that says nothing of interest; -EINVAL for one of a wrong size.
 */
int sd_perf_records(const struct perf_event_header *h, const struct sd_rawlayout *layout,
	const uint64_t id[SD_RAW_SOURCES], uint64_t chain[SD_RAW_CHAIN], struct sd_event *e,
	enum sd_raw_source *source, int *exec);

#endif
