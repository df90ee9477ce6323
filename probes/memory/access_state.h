/*
 * The type behind access_source.h and event_source.h: the events that sample loads and stores, or
 * the code that causes them, as opened on every CPU.
 */
#ifndef SD_ACCESS_STATE_H
#define SD_ACCESS_STATE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/access_source.h"
#include "probe/event_source.h"
#include "record/memory_sampled.h"

#define SD_MEMSOURCE_EVENTS SD_EVENT_PERIODS

/* The fields of a sample in the ring, in the order of perf_event_open(2). */
#define SD_MEM_SAMPLE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

/* The same where only the code is asked for. */
#define SD_MEM_SAMPLE_CODE                                                              \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_PERIOD)

struct sd_memevent {
	struct perf_event_attr attr; /* disabled; inherit and enable_on_exec when per task */
	int follows;                 /* it joins the group of the one before it */
	/* of a source that counts by code: */
	enum sd_role role;
	double weight; /* in the role */
};

struct sd_memsource {
	char name[64];
	struct sd_memevent event[SD_MEMSOURCE_EVENTS];
	size_t n;
	int wide;                  /* samples whole CPUs: the reader drops other processes */
	int spe;                   /* packets in the AUX buffer; n is 1 */
	int by_code;               /* events of roles, at the code that causes them */
	uint64_t peers, far_peers; /* of its packets, see event_map.h */
	unsigned line;             /* bytes of a cache line */
};

#endif
