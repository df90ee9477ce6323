/*
 * Counts of the model of a whole machine (core_model.h of the software PMU): transitions that
 * happen in any machine. The files of configs/machines say which events of a family of CPUs count
 * which of them. A cluster is the cores of one LLC; "far" is another cluster, "peer" another core
 * of the same one.
 */
#ifndef SD_MODELLED_COUNT_H
#define SD_MODELLED_COUNT_H

/* identifier, name in configs/machines, meaning; sums over the threads but for the clock */
#define SD_MODELLED_COUNTS(X)                                                             \
	X(CYCLES, "cycles", "clocks while a thread runs")                                 \
	X(CLOCK, "clock", "clocks of the run, of one core")                               \
	X(INSTRUCTIONS, "instructions", "instructions")                                   \
	X(LOADS, "loads", "loads")                                                        \
	X(STORES, "stores", "stores")                                                     \
	X(LOCKED, "locked", "locked loads")                                               \
	X(L1_FILLS, "l1_fills", "lines into an L1")                                       \
	X(L2_FILLS, "l2_fills", "lines into a private L2")                                \
	/* lines that a core's private caches get, by who asked and who had them */       \
	X(LOAD_LLC, "load_llc", "for a load, from the own LLC")                           \
	X(LOAD_PEER, "load_peer", "for a load, modified in a peer's cache")               \
	X(LOAD_FAR, "load_far", "for a load, modified in another cluster")                \
	X(LOAD_MEMORY, "load_memory", "for a load, from memory")                          \
	X(STORE_LLC, "store_llc", "to be written, from the own LLC")                      \
	X(STORE_PEER, "store_peer", "to be written, modified in a peer's cache")          \
	X(STORE_FAR, "store_far", "to be written, modified in another cluster")           \
	X(STORE_MEMORY, "store_memory", "to be written, from memory")                     \
	X(PREFETCH_LLC, "prefetch_llc", "for a prefetcher, from the own LLC")             \
	X(PREFETCH_PEER, "prefetch_peer", "for a prefetcher, modified in a peer's cache") \
	X(PREFETCH_FAR, "prefetch_far", "for a prefetcher, modified in another cluster")  \
	X(PREFETCH_MEMORY, "prefetch_memory", "for a prefetcher, from memory")            \
	X(OWN_LLC, "own_llc", "for a prefetcher of a stream of stores, from the own LLC") \
	X(OWN_PEER, "own_peer", "the same, modified in a peer's cache")                   \
	X(OWN_FAR, "own_far", "the same, modified in another cluster")                    \
	X(OWN_MEMORY, "own_memory", "the same, from memory")                              \
	X(UPGRADES, "upgrades", "shared lines made writable, no far copy")                \
	X(UPGRADES_FAR, "upgrades_far", "shared lines made writable, far copies taken")   \
	X(SUPPLIED_FAR, "supplied_far", "modified lines given to another cluster")        \
	X(SNOOPED, "snooped", "requests of a peer that found the line in this L1 or L2")  \
	X(WRITEBACKS, "writebacks", "modified lines to memory")                           \
	X(STREAMED, "streamed", "lines written past the caches")                          \
	/* what a look into the LLC found, by who asked */                                \
	X(LOAD_FOUND_M, "load_found_m", "a load: modified")                               \
	X(LOAD_FOUND_E, "load_found_e", "a load: exclusive")                              \
	X(LOAD_FOUND_S, "load_found_s", "a load: shared with another cluster")            \
	X(LOAD_FOUND_I, "load_found_i", "a load: nothing")                                \
	X(STORE_FOUND_M, "store_found_m", "a store: modified")                            \
	X(STORE_FOUND_E, "store_found_e", "a store: exclusive")                           \
	X(STORE_FOUND_S, "store_found_s", "a store: shared with another cluster")         \
	X(STORE_FOUND_I, "store_found_i", "a store: nothing")                             \
	X(LOCK_FOUND_M, "lock_found_m", "a locked access: modified")                      \
	X(LOCK_FOUND_E, "lock_found_e", "a locked access: exclusive, or once it came")    \
	X(LOCK_FOUND_S, "lock_found_s", "a locked access: shared with another cluster")   \
	X(LOCK_FOUND_I, "lock_found_i", "a locked access: nothing")                       \
	/* loads that wait for a line from beyond the LLC */                              \
	X(LOAD_MISSES, "load_misses", "each of them, also for a line that is under way")  \
	X(LOAD_LINE_MISSES, "load_line_misses", "those that request the line")            \
	X(LOAD_OCCUPANCY, "load_occupancy",                                               \
		"cycles that lines from beyond the LLC are under way "                    \
		"for loads, summed")                                                      \
	X(PREFETCH_OCCUPANCY, "prefetch_occupancy", "the same for prefetchers")           \
	X(STALLS, "stalls", "cycles that a thread stood still for its data")              \
	X(STALLS_BEYOND, "stalls_beyond", "those for lines from beyond the LLC")          \
	/* of STALLS, by what the thread stood still for */                               \
	X(WAIT_TRANSFER, "wait_transfer", "a line that another core has, or shares")      \
	X(WAIT_MEMORY, "wait_memory", "a line from memory, once the bus was free")        \
	X(WAIT_BUS, "wait_bus", "a line from memory, until the bus was free")             \
	/* translation */                                                                 \
	X(DTLB_LOADS, "dtlb_loads", "loads that missed the first DTLB level")             \
	X(DTLB_STORES, "dtlb_stores", "stores that missed it")                            \
	X(WALKS_LOADS, "walks_loads", "page walks for loads")                             \
	X(WALKS_STORES, "walks_stores", "page walks for stores")                          \
	X(WALK_CYCLES, "walk_cycles", "cycles in page walks")

enum sd_modelled_count {
#define X(id, name, meaning) SD_MODELLED_##id,
	SD_MODELLED_COUNTS(X)
#undef X
		SD_MODELLED_COUNT
};

#endif
