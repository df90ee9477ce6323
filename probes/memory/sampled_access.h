/*
 * One sampled load or store, whichever hardware sampled it.
 */
#ifndef SD_SAMPLED_ACCESS_H
#define SD_SAMPLED_ACCESS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "memory/arm_spe.h"

/* Who answered a load. */
enum sd_memfrom {
	SD_MEMFROM_OTHER,  /* its own caches, memory, or not told; any store */
	SD_MEMFROM_LOCAL,  /* a modified line of another core of this node */
	SD_MEMFROM_REMOTE, /* of another node */
	SD_MEMFROM_PEER,   /* another core's cache, the line's state not told */
};

struct sd_sampled_access {
	int pid, tid;
	unsigned cpu;
	uint64_t time; /* ns, of the ring's clock */
	uint64_t ip, address;
	enum sd_memfrom from;
	int store, locked;
	double cycles; /* latency; 0 not told */
};

/*
 * A PERF_RECORD_SAMPLE with the fields of SD_MEM_SAMPLE (access_state.h), but for the CPU. 1; 0: it
 * is no load and no store; -EINVAL: of a wrong size.
 */
int sd_sampled_access_read(const struct perf_event_header *h, struct sd_sampled_access *out);

/* Who answered, by the kernel's union perf_mem_data_src. */
enum sd_memfrom sd_sampled_access_from(uint64_t data_src);

/* A packet's access; the source codes in the masks are other cores' caches. Without who and when.
 */
void sd_sampled_access_spe(const struct sd_arm_spe_access *from, uint64_t peers, uint64_t far_peers,
	struct sd_sampled_access *out);

#endif
