/*
 * The origin paper's signatures as amounts: what happens in a program on one core and on eight, and
 * what each role of a CPU's map would count of it, with the eyes that the map says it has.
 */
#ifndef SD_TESTS_SIGNATURE_H
#define SD_TESTS_SIGNATURE_H

#include "support/counted_record.h"
#include "probe/event_map.h"

enum { SIGNATURE_CORES = 8 };

/* Amounts of one run; lines and accesses, cycles. */
struct amounts {
	double wall, user, cycles, instructions;
	double reads, writes; /* lines from and to memory; `owned` of the reads are to be written */
	double owned;
	double latency;   /* cycles that a read takes; 0: those of an idle bus */
	double saturated; /* cycles in which bandwidth limits */
	double stall;     /* cycles that wait for memory */
	double moved[3]
		    [2]; /* modified lines: by place (complex, socket, remote), by load and store */
	double load_walks, store_walks, walk_cycles;
	double locks;
	double idle[SD_IDLE_COUNT]; /* core-s */
};

struct signature {
	const char *name;
	enum sd_cause cause;
	enum sd_component component; /* that the counts of a CPU which sees it fill; COUNT: none */
	int weak, unsteady, differs; /* times scatter; output differs between runs */
	struct amounts one, many;
};

/* Moved lines that a count with these eyes sees. */
static inline double signature_moved(const struct amounts *a, unsigned sees)
{
	const unsigned places = sees & SD_SIGHT_PLACES ? sees & SD_SIGHT_PLACES : SD_SIGHT_PLACES;
	const unsigned accesses =
		sees & SD_SIGHT_ACCESSES ? sees & SD_SIGHT_ACCESSES : SD_SIGHT_ACCESSES;
	double sum = 0;

	for (unsigned p = 0; p < 3; p++)
		for (unsigned k = 0; k < 2; k++)
			if (places >> (SD_SIGHT_COMPLEX + p) & 1 &&
				accesses >> (SD_SIGHT_LOADS + k) & 1)
				sum += a->moved[p][k];
	return sum;
}

/* Bus clocks of 333 MHz at 3 GHz; a line is two of them. */
#define SIGNATURE_BUS 9.

/* 1 and the count; 0: a role that these signatures say nothing of. */
static inline int signature_count(
	const struct amounts *a, enum sd_role role, unsigned sees, double *out)
{
	const double moved = signature_moved(a, sees);
	const double walks = a->load_walks + a->store_walks;
	const double latency = a->latency > 0 ? a->latency : 270; /* 90 ns */

	switch (role) {
	case SD_ROLE_CYCLES:
	case SD_ROLE_REF_CYCLES:
		return *out = a->cycles, 1;
	case SD_ROLE_INSTRUCTIONS:
		return *out = a->instructions, 1;
	case SD_ROLE_BUS_CLOCKS:
		return *out = a->cycles / SIGNATURE_BUS, 1;
	case SD_ROLE_LLC_LINES_IN:
	case SD_ROLE_LLC_DATA_IN:
	case SD_ROLE_LLC_MISSES:
	case SD_ROLE_DRAM_READ_LINES:
	case SD_ROLE_OFFCORE_READS:
	case SD_ROLE_L1D_REQUESTS:
	case SD_ROLE_BUS_READ_LINES:
	case SD_ROLE_DRAM_READ_REQUESTS:
		return *out = a->reads, 1;
	case SD_ROLE_LLC_LOAD_MISSES: /* what prefetchers leave to loads */
		return *out = .1 * (a->reads - a->owned), 1;
	case SD_ROLE_BUS_RFO_LINES:
	case SD_ROLE_RFO:
		return *out = a->owned, 1;
	case SD_ROLE_DRAM_WRITE_LINES:
	case SD_ROLE_BUS_WRITEBACK_LINES:
	case SD_ROLE_L2_WRITEBACKS:
		return *out = a->writes, 1;
	case SD_ROLE_DRAM_LINES:
	case SD_ROLE_BUS_BURST:
	case SD_ROLE_BUS_BURST_ALL:
	case SD_ROLE_BUS_MEM:
	case SD_ROLE_BUS_ANY:
	case SD_ROLE_BUS_ANY_ALL:
		return *out = a->reads + a->writes, 1;
	case SD_ROLE_BUS_IFETCH_LINES:
	case SD_ROLE_BUS_PARTIAL:
	case SD_ROLE_BUS_IO:
		return *out = 0, 1;
	case SD_ROLE_BUS_BUSY:
		return *out = 2 * (a->reads + a->writes), 1;
	case SD_ROLE_BUS_OCCUPANCY:
		return *out = a->reads * latency / SIGNATURE_BUS, 1;
	case SD_ROLE_OFFCORE_OCCUPANCY:
	case SD_ROLE_L1D_OCCUPANCY:
	case SD_ROLE_DRAM_READ_OCCUPANCY:
		return *out = a->reads * latency, 1;
	case SD_ROLE_BANDWIDTH_CYCLES:
		return *out = a->saturated, 1;
	case SD_ROLE_STALL_MEMORY:
	case SD_ROLE_STALL_L1D:
	case SD_ROLE_STALL_L2:
	case SD_ROLE_STALL_L3:
		return *out = a->stall, 1;
	case SD_ROLE_DTLB_WALKS:
		return *out = walks, 1;
	case SD_ROLE_DTLB_WALK_CYCLES:
		return *out = a->walk_cycles, 1;
	case SD_ROLE_DTLB_LOAD_WALKS:
	case SD_ROLE_DTLB_LOAD_WALKS_RETIRED:
		return *out = a->load_walks, 1;
	case SD_ROLE_DTLB_STORE_WALKS:
		return *out = a->store_walks, 1;
	case SD_ROLE_DTLB_LOAD_WALK_CYCLES:
		return *out = walks > 0 ? a->walk_cycles * a->load_walks / walks : 0, 1;
	case SD_ROLE_DTLB_STORE_WALK_CYCLES:
		return *out = walks > 0 ? a->walk_cycles * a->store_walks / walks : 0, 1;
	case SD_ROLE_STLB_HITS:
		return *out = 0, 1;
	case SD_ROLE_LOCKS:
	case SD_ROLE_LOCKS_L2:
		return *out = a->locks, 1;
	case SD_ROLE_LOCK_L2_E:
	case SD_ROLE_LOCK_L2_M:
		return *out = a->locks / 2, 1;
	case SD_ROLE_REMOTE_ACCESSES:
		return *out = moved, 1;
	default:
		if (!(sees & SD_SIGHT_PLACES) || sees & SD_SIGHT_BIT(CLEAN))
			return 0;
		return *out = moved, 1;
	}
}

/* The roles of the family's map, as counting them would bring them. */
static inline void signature_roles(const struct sd_eventmaps *maps, const struct sd_event_map *map,
	const struct amounts *a, struct sd_run *run)
{
	for (unsigned r = 0; r < SD_ROLE_COUNT; r++) {
		const struct sd_map_role *const role =
			sd_event_map_set_role(maps, map, (enum sd_role)r, NULL);
		const unsigned sees = role && role->n ? sd_event_map_sees(map, role) : 0;
		double v;

		if (!role || role->n == 0 || sd_role_is_sampled((enum sd_role)r) ||
			!signature_count(a, (enum sd_role)r,
				sees ? sees : sd_role_sees((enum sd_role)r), &v))
			continue;
		count(run, map->family, (enum sd_role)r, v);
		run->role[run->n_role - 1].sees = sees;
	}
}

#endif
