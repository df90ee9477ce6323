/*
 * One sampled load or store, independent of the sampling hardware.
 */
#ifndef SD_SAMPLED_ACCESS_H
#define SD_SAMPLED_ACCESS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "memory/arm_spe.h"

/* Sources that serve a load. */
enum sd_memfrom {
	SD_MEMFROM_OTHER,  /* own caches, memory, or unknown; any store */
	SD_MEMFROM_LOCAL,  /* a modified line of another core of this node */
	SD_MEMFROM_REMOTE, /* likewise, of another node */
	SD_MEMFROM_PEER,   /* another core's cache, line state unknown */
};

struct sd_sampled_access {
	int pid, tid;
	unsigned cpu;
	uint64_t time; /* ns, of the ring's clock */
	uint64_t ip, address;
	enum sd_memfrom from;
	int store, locked;
	double cycles; /* latency; 0 unknown */
};

/*
 * Parses a PERF_RECORD_SAMPLE with the fields of SD_MEM_SAMPLE (access_state.h); leaves out->cpu
 * alone. 1; 0: neither load nor store; -EINVAL: wrong size.
 */
int sd_sampled_access_read(const struct perf_event_header *h, struct sd_sampled_access *out);

/* The code at which an event was sampled. */
struct sd_sampled_event {
	int pid, tid;
	uint64_t id; /* of the event */
	uint64_t time, ip;
};

/* Parses a PERF_RECORD_SAMPLE with the fields of SD_MEM_SAMPLE_CODE. 0; -EINVAL: wrong size. */
int sd_sampled_event_read(const struct perf_event_header *h, struct sd_sampled_event *out);

/* The source that served the load, by the kernel's union perf_mem_data_src. */
enum sd_memfrom sd_sampled_access_from(uint64_t data_src);

/* Converts an SPE access; the masks tell which source codes are other cores' caches. Thread and
 * time are not set.
 */
void sd_sampled_access_spe(const struct sd_arm_spe_access *from, uint64_t peers, uint64_t far_peers,
	struct sd_sampled_access *out);

#endif
