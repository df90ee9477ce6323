#include "memory/sampled_access.h"

#include <errno.h>
#include <string.h>

/* SD_MEM_SAMPLE after the header, each of 8 bytes but the two halves of WHO. */
enum { IDENTIFIER, IP, WHO, TIME, ADDR, PERIOD, WEIGHT, DATA_SRC, FIELDS };

/* perf_event_open(2): fields of mem_hops. */
#define HOPS_SAME_NODE 1

enum sd_memfrom sd_sampled_access_from(uint64_t data_src)
{
	const union perf_mem_data_src s = {.val = data_src};
	const int near_cache = (s.mem_lvl & PERF_MEM_LVL_REM_CCE1) != 0,
		  far_cache = (s.mem_lvl & PERF_MEM_LVL_REM_CCE2) != 0,
		  l3 = (s.mem_lvl & PERF_MEM_LVL_L3) != 0;
	/* AMD calls another core complex of the node remote too, and says how far: no hop */
	const int remote =
		far_cache || ((near_cache || s.mem_remote) && !l3 && s.mem_hops != HOPS_SAME_NODE);

	if (!(s.mem_op & PERF_MEM_OP_LOAD))
		return SD_MEMFROM_OTHER;
	if (s.mem_snoop & PERF_MEM_SNOOP_HITM)
		return remote ? SD_MEMFROM_REMOTE : SD_MEMFROM_LOCAL;
	if ((s.mem_snoopx & PERF_MEM_SNOOPX_PEER) ||
		((near_cache || far_cache) && !l3 && !(s.mem_snoop & PERF_MEM_SNOOP_HIT)))
		return SD_MEMFROM_PEER;
	return SD_MEMFROM_OTHER;
}

int sd_sampled_access_read(const struct perf_event_header *h, struct sd_sampled_access *out)
{
	uint64_t field[FIELDS];
	union perf_mem_data_src s;
	uint32_t who[2];

	*out = (struct sd_sampled_access){.pid = 0};
	if (h->size != sizeof *h + sizeof field)
		return -EINVAL;
	memcpy(field, h + 1, sizeof field);
	memcpy(who, &field[WHO], sizeof who);
	s.val = field[DATA_SRC];
	if (!(s.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE)))
		return 0;
	out->pid = (int)who[0];
	out->tid = (int)who[1];
	out->time = field[TIME];
	out->ip = field[IP];
	out->address = field[ADDR];
	out->store = (s.mem_op & PERF_MEM_OP_STORE) != 0;
	out->locked = (s.mem_lock & PERF_MEM_LOCK_LOCKED) != 0;
	out->from = sd_sampled_access_from(s.val);
	out->cycles = (double)field[WEIGHT];
	return 1;
}

int sd_sampled_event_read(const struct perf_event_header *h, struct sd_sampled_event *out)
{
	uint64_t field[PERIOD];
	uint32_t who[2];

	/* the same, with the period next to the time */
	if (h->size != sizeof *h + sizeof field)
		return -EINVAL;
	memcpy(field, h + 1, sizeof field);
	memcpy(who, &field[WHO], sizeof who);
	*out = (struct sd_sampled_event){.pid = (int)who[0],
		.tid = (int)who[1],
		.id = field[IDENTIFIER],
		.time = field[TIME],
		.ip = field[IP]};
	return 0;
}

static int is_one_of(uint64_t mask, uint64_t source)
{
	return source < 64 && (mask >> source & 1);
}

void sd_sampled_access_spe(const struct sd_arm_spe_access *from, uint64_t peers, uint64_t far_peers,
	struct sd_sampled_access *out)
{
	*out = (struct sd_sampled_access){.ip = from->ip,
		.address = from->address,
		.store = from->store,
		.locked = from->locked,
		.cycles = from->cycles};
	/* a store's source is not told, whatever the packet holds */
	if (!from->store && from->has_source &&
		(is_one_of(peers, from->source) || is_one_of(far_peers, from->source)))
		out->from = SD_MEMFROM_PEER;
}
