/*
 * The type behind access_source.h: the events that sample loads and stores, as opened on every CPU.
 */
#ifndef SD_ACCESS_STATE_H
#define SD_ACCESS_STATE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/access_source.h"

#define SD_MEMSOURCE_EVENTS 3

/* The fields of a sample in the ring, in the order of perf_event_open(2). */
#define SD_MEM_SAMPLE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

struct sd_memevent {
	struct perf_event_attr attr; /* disabled; inherit and enable_on_exec when per task */
	int follows;                 /* it joins the group of the one before it */
};

struct sd_memsource {
	char name[64];
	struct sd_memevent event[SD_MEMSOURCE_EVENTS];
	size_t n;
	int wide;                  /* samples whole CPUs: the reader drops other processes */
	int spe;                   /* packets in the AUX buffer; n is 1 */
	uint64_t peers, far_peers; /* of its packets, see event_map.h */
	unsigned line;             /* bytes of a cache line */
};

#endif
