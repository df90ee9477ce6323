/*
 * Roles: what the analysis asks of any source of counts, on any CPU. Each meaning has one name, so
 * that a formula is written once, over roles. The event map of a CPU family (configs/events)
 * defines each role's events.
 */
#ifndef SD_ROLE_H
#define SD_ROLE_H

/* identifier, name in maps and formulas, unit, meaning. "Lines" are cache lines; "served modified"
 * means that another cache held the only current copy (HITM). */
#define SD_ROLES(X)                                                                                \
	/* time and work */                                                                        \
	X(CYCLES, "cycles", "cycles", "core clocks while the thread runs")                         \
	X(CYCLES_PRECISE, "cycles_precise", "cycles",                                              \
		"the same, by an event with precise samples")                                      \
	X(REF_CYCLES, "ref_cycles", "cycles", "clocks at the constant TSC rate while it runs")     \
	X(BUS_CLOCKS, "bus_clocks", "cycles", "bus or crystal clocks while it runs")               \
	X(TOTAL_CYCLES, "total_cycles", "cycles", "core clocks, running or halted")                \
	X(INSTRUCTIONS, "instructions", "instructions", "instructions retired")                    \
	X(INSTRUCTIONS_SPEC, "instructions_spec", "instructions",                                  \
		"instructions executed speculatively")                                             \
	X(PAUSES, "pauses", "instructions", "spin-wait hints (PAUSE) retired")                     \
	/* lines into the caches */                                                                \
	X(LLC_LINES_IN, "llc_lines_in", "lines",                                                   \
		"lines brought to this core from beyond the last-level cache, prefetches "         \
		"included")                                                                        \
	X(LLC_DATA_IN, "llc_data_in", "lines", "those of them that are data")                      \
	X(LLC_LINES_IN_SOCKET, "llc_lines_in_socket", "lines", "lines filled into the whole LLC")  \
	X(HBM_LINES_IN, "hbm_lines_in", "lines", "lines brought in from on-package memory")        \
	X(L2_LINES_IN, "l2_lines_in", "lines", "lines filled into the L2")                         \
	X(L1D_LINES_IN, "l1d_lines_in", "lines", "lines filled into the L1D")                      \
	X(SYSTEM_FILLS, "system_fills", "lines",                                                   \
		"L1D lines filled from beyond the core's own caches")                              \
	X(CACHE_FILLS, "cache_fills", "lines",                                                     \
		"L1D lines filled from the own LLC or a cache beside it, whatever their state")    \
	X(OUTER_REFILLS, "outer_refills", "lines", "L1D lines filled from outside the cluster")    \
	/* misses and accesses */                                                                  \
	X(LLC_LOAD_MISSES, "llc_load_misses", "loads", "demand loads that missed the LLC")         \
	X(LLC_MISSES, "llc_misses", "requests", "requests of this core that missed the LLC")       \
	X(LLC_READS, "llc_reads", "requests", "reads that reached the LLC")                        \
	X(LLC_ACCESSES, "llc_accesses", "requests", "accesses to the LLC")                         \
	X(LLC_REFILLS, "llc_refills", "lines", "lines filled into the cluster's L3")               \
	X(LLC_ALLOCATIONS, "llc_allocations", "lines", "lines allocated in the L3 without a fill") \
	X(L2_MISSES, "l2_misses", "requests", "requests that missed the L2")                       \
	X(L2_LOAD_MISSES, "l2_load_misses", "loads", "retired loads that missed the L2")           \
	X(LONG_LATENCY_READS, "long_latency_reads", "requests",                                    \
		"reads that missed and waited long")                                               \
	X(L1D_ACCESSES, "l1d_accesses", "accesses", "loads and stores seen by the L1D")            \
	X(L1D_MISSES, "l1d_misses", "accesses", "demand loads and stores that missed the L1D")     \
	/* prefetch */                                                                             \
	X(L2_HWPF_LINES, "l2_hwpf_lines", "lines",                                                 \
		"lines the L2's hardware prefetchers brought in")                                  \
	X(L2_HWPF_LOADS, "l2_hwpf_loads", "lines", "reads of the L2 by its hardware prefetchers")  \
	X(L2_HWPF_USELESS, "l2_hwpf_useless", "lines", "prefetched lines evicted unused")          \
	X(L2_HWPF_LLC_MISSES, "l2_hwpf_llc_misses", "lines", "L2 prefetches that missed the LLC")  \
	X(L1D_HWPF_REQUESTS, "l1d_hwpf_requests", "requests",                                      \
		"requests of the L1D's hardware prefetchers")                                      \
	X(HWPF_FILLS, "hwpf_fills", "lines", "L1D lines filled by hardware prefetch")              \
	X(HWPF_DRAM_LINES, "hwpf_dram_lines", "lines", "those of them that came from memory")      \
	X(SWPF, "sw_prefetches", "instructions", "software prefetches")                            \
	X(SWPF_DRAM_LINES, "swpf_dram_lines", "lines",                                             \
		"L1D lines software prefetches brought from memory")                               \
	X(SWPF_HITS, "sw_prefetch_hits", "accesses",                                               \
		"accesses to a line that a prefetch already has under way, or prefetches in vain") \
	/* sharing: reads served modified */                                                       \
	X(HITM_LOAD, "hitm_load", "loads", "loads served modified by another core of the socket")  \
	X(HITM_LOAD_REMOTE, "hitm_load_remote", "loads",                                           \
		"loads served modified by another socket")                                         \
	X(HITM_TILE, "hitm_tile", "loads", "loads served modified by the other core of the tile")  \
	X(HITM_ANY, "hitm_any", "lines", "reads of any kind served modified within the socket")    \
	X(HITM_ANY_CLUSTER, "hitm_any_cluster", "lines", "the same, by another sub-NUMA cluster")  \
	X(HITM_ANY_REMOTE, "hitm_any_remote", "lines", "the same, by another socket")              \
	X(HITM_STORE, "hitm_store", "lines",                                                       \
		"reads for ownership served modified within the socket")                           \
	X(HITM_STORE_REMOTE, "hitm_store_remote", "lines", "the same, by another socket")          \
	X(HITM_SUPPLIED, "hitm_supplied", "lines",                                                 \
		"snoops this core or socket answered with a modified line")                        \
	X(HITM_BUS, "hitm_bus", "lines", "modified answers on the whole front side bus")           \
	X(HITM_BUS_SELF, "hitm_bus_self", "lines",                                                 \
		"modified answers to this agent's transactions")                                   \
	X(HITM_SOCKET, "hitm_socket", "lines", "modified answers to snoops within the socket")     \
	X(HIT_REMOTE_FORWARD, "hit_remote_forward", "loads",                                       \
		"loads served by another socket's clean line")                                     \
	X(SIBLING_L2_HITS, "sibling_l2_hits", "loads",                                             \
		"loads served by another core's L2, clean or modified")                            \
	X(SIBLING_SNOOPS, "sibling_snoops", "snoops", "snoops of this L1D by the core beside it")  \
	X(CORE_SNOOPS, "core_snoops", "snoops", "snoops sent to one core of the socket")           \
	X(REMOTE_ACCESSES, "remote_accesses", "accesses",                                          \
		"accesses to another socket or its memory")                                        \
	X(L1D_INVALIDATIONS, "l1d_invalidations", "lines", "lines invalidated in the L1D")         \
	X(L2_INVALIDATIONS, "l2_invalidations", "lines", "lines invalidated in the L2")            \
	X(MEMORY_ORDER_CLEARS, "memory_order_clears", "clears",                                    \
		"pipeline clears because another core wrote a line just read")                     \
	X(PIPELINE_RESYNCS, "pipeline_resyncs", "clears", "pipeline restarts of any cause")        \
	/* reads for ownership, write-backs, requests leaving the core */                          \
	X(RFO, "rfo", "lines", "reads for ownership that left the core")                           \
	X(RFO_RESPONSES, "rfo_responses", "lines",                                                 \
		"reads for ownership answered from beyond the L2")                                 \
	X(L2_RFO, "l2_rfo", "requests", "reads for ownership that reached the L2")                 \
	X(L2_RFO_MISSES, "l2_rfo_misses", "requests", "those of them that missed it")              \
	X(UPGRADES, "upgrades", "lines", "lines made writable that were here already, shared")     \
	X(L1D_WRITEBACKS, "l1d_writebacks", "lines", "modified lines the L1D wrote back")          \
	X(L2_WRITEBACKS, "l2_writebacks", "lines", "modified lines the L2 wrote back")             \
	X(L2_LINES_OUT_NONSILENT, "l2_lines_out_nonsilent", "lines",                               \
		"lines the L2 evicted and sent on")                                                \
	X(OFFCORE_WRITEBACKS, "offcore_writebacks", "lines", "write-backs that left the core")     \
	X(DRAM_WRITE_ESTIMATE, "dram_write_estimate", "lines",                                     \
		"this core's writes to memory, estimated")                                         \
	X(STREAMING_WRITES, "streaming_writes", "lines", "non-temporal stores that left the core") \
	X(OFFCORE_READS, "offcore_reads", "requests",                                              \
		"data reads that left the core, prefetches included")                              \
	X(OFFCORE_REQUESTS, "offcore_requests", "requests",                                        \
		"requests of any kind that left the core")                                         \
	X(DEMAND_READS, "demand_reads", "requests", "demand data reads that left the core")        \
	X(DRAM_DEMAND_READS, "dram_demand_reads", "requests", "those of them that missed the LLC") \
	/* occupancy: divided by the requests, a latency */                                        \
	X(OFFCORE_OCCUPANCY, "offcore_occupancy", "request-cycles",                                \
		"offcore_reads in flight, summed over cycles")                                     \
	X(DEMAND_OCCUPANCY, "demand_occupancy", "request-cycles",                                  \
		"demand_reads in flight, summed over cycles")                                      \
	X(DRAM_DEMAND_OCCUPANCY, "dram_demand_occupancy", "request-cycles",                        \
		"dram_demand_reads in flight, summed over cycles")                                 \
	X(L1D_OCCUPANCY, "l1d_occupancy", "request-cycles",                                        \
		"l1d_requests in flight, summed over cycles")                                      \
	X(L1D_REQUESTS, "l1d_requests", "requests", "L1D misses as l1d_occupancy counts them")     \
	X(LLC_MISS_OCCUPANCY, "llc_miss_occupancy", "request-cycles",                              \
		"llc_miss_requests in flight, summed over cycles")                                 \
	X(LLC_MISS_REQUESTS, "llc_miss_requests", "requests",                                      \
		"LLC misses as llc_miss_occupancy counts them")                                    \
	X(BANDWIDTH_CYCLES, "bandwidth_cycles", "cycles",                                          \
		"cycles with so many reads outstanding that bandwidth limits")                     \
	X(L1D_FULL_CYCLES, "l1d_full_cycles", "cycles",                                            \
		"cycles in which a miss found no free fill buffer")                                \
	X(L2_FULL_CYCLES, "l2_full_cycles", "cycles",                                              \
		"cycles in which an L1D miss waited for L2 resources")                             \
	X(SQ_FULL_CYCLES, "sq_full_cycles", "cycles",                                              \
		"cycles in which the queue from L2 outwards was full")                             \
	/* address translation */                                                                  \
	X(DTLB_WALKS, "dtlb_walks", "walks", "page walks for data, loads and stores")              \
	X(DTLB_LOAD_WALKS, "dtlb_load_walks", "walks", "page walks loads caused")                  \
	X(DTLB_LOAD_WALKS_DONE, "dtlb_load_walks_done", "walks",                                   \
		"those of them that ran to their end")                                             \
	X(DTLB_LOAD_WALKS_RETIRED, "dtlb_load_walks_retired", "loads",                             \
		"retired loads that missed every TLB level")                                       \
	X(DTLB_STORE_WALKS, "dtlb_store_walks", "walks", "page walks stores caused")               \
	X(DTLB_WALK_CYCLES, "dtlb_walk_cycles", "cycles",                                          \
		"cycles in page walks for data, loads and stores")                                 \
	X(DTLB_LOAD_WALK_CYCLES, "dtlb_load_walk_cycles", "cycles",                                \
		"cycles in page walks for loads")                                                  \
	X(DTLB_STORE_WALK_CYCLES, "dtlb_store_walk_cycles", "cycles",                              \
		"cycles in page walks for stores")                                                 \
	X(DTLB_WALK_OCCUPANCY, "dtlb_walk_occupancy", "walk-cycles",                               \
		"page walks for loads in flight, summed over cycles")                              \
	X(DTLB_WALKS_FROM_DRAM, "dtlb_walks_from_dram", "loads",                                   \
		"page-table entries walks read from memory")                                       \
	X(L1_DTLB_MISSES, "l1_dtlb_misses", "accesses",                                            \
		"loads and stores that missed the first DTLB level")                               \
	X(L1_DTLB_LOAD_MISSES, "l1_dtlb_load_misses", "loads",                                     \
		"loads that missed the first DTLB level")                                          \
	X(L1_DTLB_STORE_MISSES, "l1_dtlb_store_misses", "stores",                                  \
		"stores that missed the first DTLB level")                                         \
	X(STLB_HITS, "stlb_hits", "accesses", "first-level DTLB misses that hit the second level") \
	X(STLB_REFILLS, "stlb_refills", "entries",                                                 \
		"second-level TLB refills, data and instructions")                                 \
	/* locks */                                                                                \
	X(LOCKS, "locks", "instructions", "locked or exclusive loads")                             \
	X(LOCKS_L2, "locks_l2", "requests", "locked accesses that reached the L2")                 \
	X(LOCK_CYCLES, "lock_cycles", "cycles", "cycles with a line locked in the cache")          \
	X(LOCK_BUS_CYCLES, "lock_bus_cycles", "cycles",                                            \
		"cycles with the bus locked: split or uncached locks")                             \
	X(LOCK_WAIT_CYCLES, "lock_wait_cycles", "cycles", "cycles a locked operation waited")      \
	X(LOCK_MISSES, "lock_misses", "misses", "L1D misses of locked operations")                 \
	X(LOCK_FAILURES, "lock_failures", "instructions", "exclusive stores that failed")          \
	X(SPLIT_LOCKS, "split_locks", "locks",                                                     \
		"locks over two lines or on uncached memory: they lock the bus")                   \
	X(LOCK_L2_M, "lock_l2_m", "requests", "locked L2 accesses that found the line modified")   \
	X(LOCK_L2_E, "lock_l2_e", "requests", "locked L2 accesses that found the line exclusive")  \
	X(LOCK_L2_S, "lock_l2_s", "requests", "locked L2 accesses that found the line shared")     \
	X(LOCK_L2_I, "lock_l2_i", "requests", "locked L2 accesses that found no line")             \
	/* the kernel: no event of a CPU, the software PMU counts them */                          \
	X(SYSTEM_CALLS, "system_calls", "calls", "system calls")                                   \
	X(HAND_OVERS, "hand_overs", "threads",                                                     \
		"waiting threads that another woke: locks, conditions, barriers handed over")      \
	/* line states that loads found in the L2 */                                               \
	X(L2_LOADS, "l2_loads", "requests", "reads of the L2, prefetches included")                \
	X(L2_LOADS_M, "l2_loads_m", "requests", "those that found the line modified")              \
	X(L2_LOADS_E, "l2_loads_e", "requests", "those that found the line exclusive")             \
	X(L2_LOADS_S, "l2_loads_s", "requests", "those that found the line shared")                \
	X(L2_LOADS_I, "l2_loads_i", "requests", "those that found no line")                        \
	/* the front side bus, and the outer bus of ARM cores */                                   \
	X(BUS_ANY, "bus_any", "transactions",                                                      \
		"all bus transactions: memory, I/O, deferred, partial")                            \
	X(BUS_ANY_ALL, "bus_any_all", "transactions", "the same, of every agent on the bus")       \
	X(BUS_MEM, "bus_mem", "transactions",                                                      \
		"memory transactions: whole lines, partial, invalidating")                         \
	X(BUS_BURST, "bus_burst", "lines",                                                         \
		"whole lines: reads, for ownership, write-backs, combined writes")                 \
	X(BUS_BURST_ALL, "bus_burst_all", "lines", "the same, of every agent on the bus")          \
	X(BUS_READ_LINES, "bus_read_lines", "lines", "whole lines read, data and instructions")    \
	X(BUS_IFETCH_LINES, "bus_ifetch_lines", "lines", "whole lines of instructions read")       \
	X(BUS_RFO_LINES, "bus_rfo_lines", "lines", "whole lines read for ownership")               \
	X(BUS_WRITEBACK_LINES, "bus_writeback_lines", "lines",                                     \
		"whole modified lines written back")                                               \
	X(BUS_PARTIAL, "bus_partial", "transactions", "transactions smaller than a line")          \
	X(BUS_IO, "bus_io", "transactions", "I/O transactions")                                    \
	X(BUS_DEFERRED, "bus_deferred", "transactions", "deferred transactions")                   \
	X(BUS_BUSY, "bus_busy", "bus cycles", "bus clocks with data on the bus, every agent")      \
	X(BUS_OCCUPANCY, "bus_occupancy", "request-cycles",                                        \
		"line reads in flight, summed over bus clocks")                                    \
	X(BUS_READ_BEATS, "bus_read_beats", "beats", "data beats read over the core's outer bus")  \
	X(BUS_WRITE_BEATS, "bus_write_beats", "beats",                                             \
		"data beats written over the core's outer bus")                                    \
	/* memory controllers and what lies between, per socket */                                 \
	X(DRAM_READ_LINES, "dram_read_lines", "lines", "lines read from memory")                   \
	X(DRAM_WRITE_LINES, "dram_write_lines", "lines", "lines written to memory")                \
	X(DRAM_LINES, "dram_lines", "lines", "lines read from or written to memory")               \
	X(DRAM_CLOCKS, "dram_clocks", "cycles", "clocks of the memory channels")                   \
	X(DRAM_READ_OCCUPANCY, "dram_read_occupancy", "request-cycles",                            \
		"dram_read_requests queued, summed over clocks")                                   \
	X(DRAM_READ_REQUESTS, "dram_read_requests", "requests",                                    \
		"reads put into the memory controllers' queues")                                   \
	X(HBM_READ_LINES, "hbm_read_lines", "lines", "lines read from on-package memory")          \
	X(HBM_WRITE_LINES, "hbm_write_lines", "lines", "lines written to on-package memory")       \
	X(PMM_LOADS, "pmm_loads", "loads", "loads served by the socket's persistent memory")       \
	X(PMM_LOADS_REMOTE, "pmm_loads_remote", "loads",                                           \
		"loads served by another socket's persistent memory")                              \
	X(SYSTEM_WRITES, "system_writes", "16 B",                                                  \
		"data written to the system, in units of 16 bytes")                                \
	X(HOME_READS, "home_reads", "requests", "reads that reached the home agents")              \
	X(LLC_VICTIMS_MODIFIED, "llc_victims_modified", "lines",                                   \
		"modified lines evicted from the LLC")                                             \
	X(LINK_FLITS, "link_flits", "flits", "data sent between sockets")                          \
	/* where slots and cycles went */                                                          \
	X(TD_SLOTS, "td_slots", "slots", "issue slots: width times cycles")                        \
	X(TD_ISSUED, "td_issued", "slots", "operations issued")                                    \
	X(TD_RETIRING, "td_retiring", "slots", "operations retired")                               \
	X(TD_RECOVERY, "td_recovery", "cycles", "cycles spent recovering from a wrong path")       \
	X(TD_FRONTEND, "td_frontend", "slots", "slots the front end left empty")                   \
	X(TD_BACKEND, "td_backend", "slots", "slots the back end could not take")                  \
	X(TD_BADSPEC, "td_badspec", "slots", "slots lost to wrong speculation")                    \
	X(TD_MISPREDICTS, "td_mispredicts", "branches",                                            \
		"mispredicted branches, of wrong paths too")                                       \
	X(TD_DROPPED, "td_dropped", "slots", "slots the front end filled with nothing to issue")   \
	X(TD_CLEARS, "td_clears", "clears", "pipeline clears, of wrong branches too")              \
	X(TD_MEMORY, "td_memory", "slots", "slots the back end lost waiting for memory")           \
	X(TD_SMT, "td_smt", "slots", "slots the other thread of the core took")                    \
	X(TD_STALL, "td_stall", "slots", "slots without an operation, whatever the cause")         \
	X(TD_NATIVE_RETIRING, "td_native_retiring", "slots",                                       \
		"retiring slots by the CPU's own split")                                           \
	X(TD_NATIVE_BADSPEC, "td_native_badspec", "slots",                                         \
		"wrongly speculated slots by the CPU's own split")                                 \
	X(TD_NATIVE_FRONTEND, "td_native_frontend", "slots",                                       \
		"front-end slots by the CPU's own split")                                          \
	X(TD_NATIVE_BACKEND, "td_native_backend", "slots",                                         \
		"back-end slots by the CPU's own split")                                           \
	X(TD_NATIVE_HEAVY, "td_native_heavy", "slots",                                             \
		"slots of heavy operations, of the retiring ones")                                 \
	X(TD_NATIVE_MISPREDICT, "td_native_mispredict", "slots",                                   \
		"mispredicted slots, of the wrongly speculated ones")                              \
	X(TD_NATIVE_FETCH, "td_native_fetch", "slots",                                             \
		"fetch latency slots, of the front-end ones")                                      \
	X(TD_NATIVE_MEMORY, "td_native_memory", "slots", "memory slots, of the back-end ones")     \
	X(STALL_TOTAL, "stall_total", "cycles",                                                    \
		"cycles in which nothing was dispatched or executed")                              \
	X(STALL_MEMORY, "stall_memory", "cycles", "those with a load or store outstanding")        \
	X(STALL_L1D, "stall_l1d", "cycles", "those with an L1D miss outstanding")                  \
	X(STALL_L2, "stall_l2", "cycles", "those with an L2 miss outstanding")                     \
	X(STALL_L3, "stall_l3", "cycles", "those with an L3 miss outstanding")                     \
	X(STALL_STORE, "stall_store", "cycles", "cycles stalled on a full store buffer")           \
	X(STALL_LOAD_QUEUE, "stall_load_queue", "cycles", "cycles stalled on a full load queue")   \
	X(STALL_LOAD_STORE, "stall_load_store", "cycles",                                          \
		"cycles stalled on full load or store queues")                                     \
	X(STALL_RETIRE, "stall_retire", "cycles", "cycles stalled on a full retire queue")         \
	X(STALL_RESOURCE, "stall_resource", "cycles",                                              \
		"cycles stalled on any resource of the back end")                                  \
	X(STALL_ALLOC, "stall_alloc", "cycles", "cycles in which nothing was allocated")           \
	X(STALL_NOT_COMPLETE, "stall_not_complete", "cycles",                                      \
		"cycles in which the oldest operation was not done")                               \
	X(STALL_FRONTEND, "stall_frontend", "cycles",                                              \
		"cycles without an operation from the front end")                                  \
	X(STALL_RS_EMPTY, "stall_rs_empty", "cycles",                                              \
		"cycles in which no operation waited for execution")                               \
	X(STALL_BACKEND, "stall_backend", "cycles", "cycles in which the back end took nothing")   \
	X(EXEC_CYCLES, "exec_cycles", "cycles",                                                    \
		"cycles in which the thread executed computations")                                \
	X(EXEC_ONE, "exec_one_port", "cycles", "cycles in which one operation was executed")       \
	X(EXEC_TWO, "exec_two_ports", "cycles", "cycles in which two operations were executed")    \
	/* computing */                                                                            \
	X(FP_OPS, "fp_ops", "flops", "floating-point operations")                                  \
	X(FP_OPS_WIDE, "fp_ops_wide", "flops",                                                     \
		"those of 16 an instruction, where they are counted apart")                        \
	X(FP_VECTOR, "fp_vector", "instructions",                                                  \
		"vector floating-point instructions or operations")                                \
	X(FP_SCALAR, "fp_scalar", "instructions",                                                  \
		"scalar floating-point instructions or operations")                                \
	X(VECTOR_ELEMENTS, "vector_elements", "elements", "vector elements computed")              \
	/* sampling */                                                                             \
	X(SAMPLE_LOAD, "sample_load", "samples", "loads sampled with address, latency and source") \
	X(SAMPLE_LOAD_LEADER, "sample_load_leader", "samples",                                     \
		"the event that must lead sample_load's group")                                    \
	X(SAMPLE_STORE, "sample_store", "samples", "stores sampled with address")                  \
	X(SAMPLE_ACCESS, "sample_access", "samples",                                               \
		"loads and stores sampled with address and source by a PMU of its own")            \
	X(SAMPLE_POPULATION, "sample_population", "operations",                                    \
		"operations the statistical sampler chose from")

enum sd_role {
#define X(id, name, unit, meaning) SD_ROLE_##id,
	SD_ROLES(X)
#undef X
		SD_ROLE_COUNT
};

/* Does a count measure the role itself, a proxy (the map's note says which), or a modelled machine?
 */
#define SD_QUALITIES(X)   \
	X(EXACT, "exact") \
	X(PROXY, "proxy") \
	X(SIMULATED, "simulated")

enum sd_quality {
#define X(id, name) SD_QUALITY_##id,
	SD_QUALITIES(X)
#undef X
		SD_QUALITY_COUNT
};

/* Whose activity is counted: a hardware thread's; a core's, including SMT siblings; a socket's
 * (node's, bus's), opened once there. */
#define SD_SCOPES(X)        \
	X(THREAD, "thread") \
	X(CORE, "core")     \
	X(SOCKET, "socket")

enum sd_scope {
#define X(id, name) SD_SCOPE_##id,
	SD_SCOPES(X)
#undef X
		SD_SCOPE_COUNT
};

/*
 * Sights of a count of sharing: places a line may come from and accesses that may request it. If a
 * role names no place, it sees all places; likewise for accesses. "Overcounts" are what else it
 * counts. A complex is a set of cores sharing a cache within the socket (AMD's core complex, the
 * module or tile of Atoms and Phis, two cores on one L2 of Core 2); without complexes there is only
 * the socket.
 */
/* clang-format off */
#define SD_SIGHTS(X)                                                                    \
	/* places */                                                                    \
	X(COMPLEX, "complex")       /* another core of the same complex */              \
	X(SOCKET, "socket")         /* the same socket, beyond the own complex */       \
	X(REMOTE, "remote")         /* another socket */                                \
	/* accesses */                                                                  \
	X(LOADS, "loads")                                                               \
	X(STORES, "stores")         /* by their reads for ownership */                  \
	/* overcounts */                                                                \
	X(CLEAN, "clean")           /* lines that nobody had modified are in it too */  \
	X(SIBLINGS, "siblings")     /* the core's SMT siblings are counted together */  \
	X(PREFETCHES, "prefetches") /* hardware prefetches are in it too */
/* clang-format on */

enum sd_sight {
#define X(id, name) SD_SIGHT_##id,
	SD_SIGHTS(X)
#undef X
		SD_SIGHT_COUNT
};

#define SD_SIGHT_BIT(id) (1u << SD_SIGHT_##id)
#define SD_SIGHT_PLACES (SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(REMOTE))
#define SD_SIGHT_ACCESSES (SD_SIGHT_BIT(LOADS) | SD_SIGHT_BIT(STORES))

const char *sd_sight_name(enum sd_sight s);

/* Bits SD_SIGHT_BIT() of what a count of this role sees by its meaning, where no map says it of the
 * CPU's event. 0: not a count of sharing or of one kind of access. */
unsigned sd_role_sees(enum sd_role r);

const char *sd_quality_name(enum sd_quality q);
const char *sd_scope_name(enum sd_scope s);

/* The name in maps and formulas, the unit, the meaning; never NULL for a role. */
const char *sd_role_name(enum sd_role r);
const char *sd_role_unit(enum sd_role r);
const char *sd_role_meaning(enum sd_role r);

/* Is it a sampling role, whose events are never counted? */
int sd_role_is_sampled(enum sd_role r);

/* 0 and *out, or -EINVAL for an unknown name. */
int sd_role_parse(const char *name, enum sd_role *out);

#endif
