#include "fields/field_rows.h"

#include <float.h>

/* Fields of a run's software PMU, and of the samples by its counters. */

static const struct sd_field sim_thread[] = {
	NUMBER(sd_sim_thread, tid, "tid", INT, 0, INT32_MAX),
	NUMBER(sd_sim_thread, core, "core", UNSIGNED, 0, SD_RECORD_CORES),
	COUNT(sd_sim_thread, instructions),
	COUNT(sd_sim_thread, loads),
	COUNT(sd_sim_thread, stores),
	COUNT(sd_sim_thread, l1_misses),
	COUNT(sd_sim_thread, l2_misses),
	COUNT(sd_sim_thread, llc_misses),
	COUNT(sd_sim_thread, lines_in),
	COUNT(sd_sim_thread, write_backs),
	COUNT(sd_sim_thread, hitm_load),
	COUNT(sd_sim_thread, hitm_store),
	COUNT(sd_sim_thread, rfo),
	COUNT(sd_sim_thread, invalidations),
	COUNT(sd_sim_thread, upgrades),
	COUNT(sd_sim_thread, dtlb_misses),
	COUNT(sd_sim_thread, stlb_misses),
	COUNT(sd_sim_thread, bytes_used),
	COUNT(sd_sim_thread, lines_unused),
	COUNT(sd_sim_thread, conflicts),
	NUMBER(sd_sim_thread, conversions, "conversions", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	COUNT(sd_sim_thread, pages),
	COUNT(sd_sim_thread, pages_2m),
	NUMBER(sd_sim_thread, contiguous, "contiguous", REAL, 0, 1),
	NUMBER(sd_sim_thread, shared_pages, "shared_pages", REAL, 0, 1),
	FIXED(sd_sim_thread, distance, "distances", sd_fields_reals),
};
static const struct sd_fields sim_thread_fields = TABLE(sim_thread);

static const struct sd_field sim_sharer[] = {
	NUMBER(sd_sim_sharer, thread, "thread", UNSIGNED, 0, SD_SIM_THREADS - 1,
		.of = SD_FIELD_OF_THREADS),
	{F(sd_sim_sharer, read, "read", BITS64)},
	{F(sd_sim_sharer, written, "written", BITS64)},
	COUNT(sd_sim_sharer, loads),
	COUNT(sd_sim_sharer, stores),
	COUNT(sd_sim_sharer, locked),
	COUNT(sd_sim_sharer, hitm),
};
static const struct sd_fields sim_sharer_fields = TABLE(sim_sharer);

static const struct sd_field sim_code[] = {
	NUMBER(sd_sim_code, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_sim_code, accesses),
	COUNT(sd_sim_code, hitm),
	BOOL(sd_sim_code, writes, "writes"),
	BOOL(sd_sim_code, locked, "locked"),
	{F(sd_sim_code, bytes, "bytes", BITS64), .need = SD_FIELD_NEWER},
};
static const struct sd_fields sim_code_fields = TABLE(sim_code);

static const struct sd_field line_member[] = {
	NUMBER(sd_line_member, name, "name", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_line_member, at, "at", COUNT64, 0, SD_OBJECT_BYTES),
	NUMBER(sd_line_member, bytes, "bytes", COUNT64, 0, SD_OBJECT_BYTES),
	NUMBER(sd_line_member, line, "line", UNSIGNED, 0, UINT32_MAX),
};
static const struct sd_fields line_member_fields = TABLE(line_member);

static const struct sd_field line_object[] = {
	NUMBER(sd_line_object, variable, "variable", UNSIGNED, 0, UINT32_MAX,
		.of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_line_object, type, "type", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_line_object, file, "file", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_line_object, line, "line", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_line_object, at_file, "at_file", UNSIGNED, 0, UINT32_MAX,
		.of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_line_object, at_line, "at_line", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_line_object, begins, "begins", INT64, -(double)SD_OBJECT_BYTES, 4096),
	NUMBER(sd_line_object, bytes, "bytes", COUNT64, 1, SD_OBJECT_BYTES),
	NUMBER(sd_line_object, elements, "elements", COUNT64, 0, SD_OBJECT_BYTES),
	BOOL(sd_line_object, composed, "composed"),
	BOOL(sd_line_object, cut, "cut"),
	NAME(sd_line_object, language, "language", sd_object_language_name),
	NAME(sd_line_object, storage, "storage", sd_object_storage_name),
	ARRAY(sd_line_object, member, "members", line_member_fields, SD_LINE_MEMBERS),
};
static const struct sd_fields line_object_fields = TABLE(line_object);

#define LINE                                                                                    \
	{F(sd_sim_contested, address, "address", BITS64)},                                      \
		NUMBER(sd_sim_contested, name, "name", UNSIGNED, 0, UINT32_MAX,                 \
			.of = SD_FIELD_OF_TEXTS),                                               \
		NUMBER(sd_sim_contested, site, "site", UNSIGNED, 0, UINT32_MAX,                 \
			.of = SD_FIELD_OF_NODES),                                               \
		NUMBER(sd_sim_contested, other, "other_site", UNSIGNED, 0, UINT32_MAX,          \
			.of = SD_FIELD_OF_NODES, .need = SD_FIELD_NEWER),                       \
		NAME(sd_sim_contested, sharing, "sharing", sd_sim_sharing_name),                \
		COUNT(sd_sim_contested, hitm_load), COUNT(sd_sim_contested, hitm_store),        \
		COUNT(sd_sim_contested, invalidations), COUNT(sd_sim_contested, upgrades),      \
		NUMBER(sd_sim_contested, share, "share", REAL, 0, 1),                           \
		NUMBER(sd_sim_contested, separated, "separated", VALUE, 0, DBL_MAX),            \
		ARRAY(sd_sim_contested, sharer, "sharers", sim_sharer_fields, SD_SIM_SHARERS),  \
		ARRAY(sd_sim_contested, code, "codes", sim_code_fields, SD_SIM_CODES),          \
		ARRAY(sd_sim_contested, object, "objects", line_object_fields, SD_LINE_OBJECTS, \
			.need = SD_FIELD_SPARSE)

static int check_falls(
	struct sd_field_in *c, const struct sd_json_path *at, double moves, const double *before)
{
	return !before || *before >= moves
		       ? 0
		       : sd_json_path_fault(c->s, at, "moved more often than the line before it");
}

static int check_line(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_sim_contested *const l = element, *const other = before;
	const double more = other ? other->hitm_load + other->hitm_store : 0;

	return check_falls(c, at, l->hitm_load + l->hitm_store, other ? &more : NULL);
}

static const struct sd_field sim_line[] = {LINE};
static const struct sd_fields sim_line_fields = TABLE(sim_line, .check = check_line);

static const struct sd_field sim_loop[] = {
	NUMBER(sd_sim_loop, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_sim_loop, entries),
	COUNT(sd_sim_loop, iterations),
	COUNT(sd_sim_loop, instructions),
	COUNT(sd_sim_loop, bytes_consumed),
	COUNT(sd_sim_loop, bytes_moved),
};
static const struct sd_fields sim_loop_fields = TABLE(sim_loop);

static const struct sd_field sim_block[] = {
	NUMBER(sd_sim_block, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_sim_block, runs),
	COUNT(sd_sim_block, instructions),
};
static const struct sd_fields sim_block_fields = TABLE(sim_block);

static const struct sd_field sim_race[] = {
	{F(sd_sim_race, address, "address", BITS64)},
	NUMBER(sd_sim_race, name, "name", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_sim_race, writer, "writer", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	NUMBER(sd_sim_race, other, "other", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	NUMBER(sd_sim_race, bytes, "bytes", UNSIGNED, 0, 65536),
};
static const struct sd_fields sim_race_fields = TABLE(sim_race);

static const struct sd_field sim_conflict[] = {
	NUMBER(sd_sim_conflict, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_sim_conflict, misses),
	NUMBER(sd_sim_conflict, stride, "stride", INT64, -SD_FIELD_WHOLE, SD_FIELD_WHOLE),
};
static const struct sd_fields sim_conflict_fields = TABLE(sim_conflict);

#define SEEN(s, m) .seen = offsetof(struct s, n_##m##_seen)
static const struct sd_field simulated[] = {
	BOOL(sd_simulated, partial, "partial"),
	TEXT(sd_simulated, why, "why"),
	NUMBER(sd_simulated, modelled, "modelled", VALUE, 0, 1, .need = SD_FIELD_NEWER),
	TEXT(sd_simulated, sampled, "sampled", .need = SD_FIELD_NEWER),
	NUMBER(sd_simulated, processes, "processes", SIZE, 0, SD_FIELD_WHOLE,
		.need = SD_FIELD_NEWER),
	TEXT(sd_simulated, blind, "blind", .need = SD_FIELD_NEWER),
	NUMBER(sd_simulated, from_s, "from_s", REAL, 0, DBL_MAX),
	NUMBER(sd_simulated, for_s, "for_s", REAL, 0, DBL_MAX),
	NUMBER(sd_simulated, whole, "whole", VALUE, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_simulated, beside, "beside", VALUE, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_simulated, cycles, "cycles", VALUE, 0, DBL_MAX),
	NUMBER(sd_simulated, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_simulated, n_contested_seen, "lines_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_simulated, n_race_seen, "races_seen", SIZE, 0, SD_FIELD_WHOLE),
	STRUCT(sd_simulated, machine, "machine", sd_fields_machine),
	ARRAY(sd_simulated, thread, "threads", sim_thread_fields, SD_SIM_THREADS,
		SEEN(sd_simulated, thread), .counts = SD_FIELD_OF_THREADS),
	ARRAY(sd_simulated, contested, "lines", sim_line_fields, SD_SIM_LINES,
		SEEN(sd_simulated, contested)),
	ARRAY(sd_simulated, loop, "loops", sim_loop_fields, SD_SIM_LOOPS),
	ARRAY(sd_simulated, block, "blocks", sim_block_fields, SD_SIM_BLOCKS,
		.need = SD_FIELD_NEWER),
	ARRAY(sd_simulated, race, "races", sim_race_fields, SD_SIM_RACES, SEEN(sd_simulated, race)),
	ARRAY(sd_simulated, conflict, "conflicts", sim_conflict_fields, SD_SIM_CONFLICTS),
};
const struct sd_fields sd_fields_simulated = TABLE(simulated);

static const struct sd_field mem_thread[] = {
	NUMBER(sd_mem_thread, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_mem_thread, tid, "tid", INT, 0, INT32_MAX),
	COUNT(sd_mem_thread, loads),
	COUNT(sd_mem_thread, stores),
	COUNT(sd_mem_thread, hitm),
};
static const struct sd_fields mem_thread_fields = TABLE(mem_thread);

static const struct sd_field mem_moves[] = {
	COUNT(sd_mem_line, local),
	COUNT(sd_mem_line, remote),
	COUNT(sd_mem_line, peer),
	NUMBER(sd_mem_line, cycles, "cycles", VALUE, 0, DBL_MAX),
};
static const struct sd_fields all_moves = TABLE(mem_moves);

/* Its line is its first member, so that the rows of a line are rows of it. */
_Static_assert(offsetof(struct sd_mem_line, line) == 0, "LINE has offsets in the line");
static int check_sampled_line(struct sd_field_in *c, const struct sd_json_path *at,
	const void *element, const void *before)
{
	const struct sd_mem_line *const l = element, *const other = before;

	return check_falls(c, at, l->line.hitm_load, other ? &other->line.hitm_load : NULL);
}

static const struct sd_field mem_line[] = {LINE, GROUP("moves", all_moves)};
static const struct sd_fields mem_line_fields = TABLE(mem_line, .check = check_sampled_line);

static const struct sd_field memory[] = {
	NAME(sd_memory_sampled, status, "status", sd_field_rows_status),
	TEXT(sd_memory_sampled, source, "source"),
	TEXT(sd_memory_sampled, why, "why"),
	NUMBER(sd_memory_sampled, line, "line", UNSIGNED, 1, 4096),
	COUNT(sd_memory_sampled, loads),
	COUNT(sd_memory_sampled, stores),
	COUNT(sd_memory_sampled, local),
	COUNT(sd_memory_sampled, remote),
	COUNT(sd_memory_sampled, peer),
	COUNT(sd_memory_sampled, unplaced),
	COUNT(sd_memory_sampled, lost),
	NUMBER(sd_memory_sampled, cpus_covered, "cpus_covered", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_memory_sampled, cpus_wanted, "cpus_wanted", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_memory_sampled, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_memory_sampled, n_contested_seen, "lines_seen", SIZE, 0, SD_FIELD_WHOLE),
	ARRAY(sd_memory_sampled, thread, "threads", mem_thread_fields, SD_SIM_THREADS,
		SEEN(sd_memory_sampled, thread), .counts = SD_FIELD_OF_THREADS),
	ARRAY(sd_memory_sampled, contested, "lines", mem_line_fields, SD_SIM_LINES,
		SEEN(sd_memory_sampled, contested)),
};
const struct sd_fields sd_fields_memory = TABLE(memory);

/* The same of samples of the clock; the rows of a line are again rows of the whole. */
_Static_assert(offsetof(struct sd_native_line, line) == 0, "LINE has offsets in the line");
static int check_native_line(struct sd_field_in *c, const struct sd_json_path *at,
	const void *element, const void *before)
{
	const struct sd_native_line *const l = element, *const other = before;

	return !other || other->contested >= l->contested
		       ? 0
		       : sd_json_path_fault(
				 c->s, at, "was contested longer than the one before it");
}

static const struct sd_field native_times[] = {
	COUNT(sd_native_line, seconds),
	COUNT(sd_native_line, contested),
	COUNT(sd_native_line, maybe),
	NUMBER(sd_native_line, read, "read", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	COUNT(sd_native_line, spun),
	NUMBER(sd_native_line, split, "split", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, writes, "writes", VALUE, 0, DBL_MAX),
	NUMBER(sd_native_line, proven, "proven", VALUE, 0, DBL_MAX),
	NUMBER(sd_native_line, proven_most, "proven_most", VALUE, 0, DBL_MAX,
		.need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, watched_s, "watched_s", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, hits, "hits", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, watched, "watched", UNSIGNED, 0, UINT32_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, writers, "writers", UNSIGNED, 0, UINT32_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, own_words, "own_words", UNSIGNED, 0, 8, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_line, shared_words, "shared_words", UNSIGNED, 0, 8,
		.need = SD_FIELD_NEWER),
	BOOL(sd_native_line, lock, "lock"),
	BOOL(sd_native_line, pair, "pair"),
	BOOL(sd_native_line, shared, "shared"),
};
static const struct sd_fields all_native_times = TABLE(native_times);

static const struct sd_field native_line[] = {LINE, GROUP("times", all_native_times)};
static const struct sd_fields native_line_fields = TABLE(native_line, .check = check_native_line);

static int check_native_loop(struct sd_field_in *c, const struct sd_json_path *at,
	const void *element, const void *before)
{
	const struct sd_native_loop *const l = element;
	const double parts = l->false_s + l->true_s + l->lock_s + l->split_s + l->maybe_s +
			     l->unknown_s + l->read_s;

	(void)before;
	return parts <= l->seconds * (1 + 1e-9) + 1e-9
		       ? 0
		       : sd_json_path_fault(c->s, at, "has parts of %.9g s, but ran %.9g s", parts,
				 l->seconds);
}

static const struct sd_field native_loop[] = {
	NUMBER(sd_native_loop, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_native_loop, seconds),
	NUMBER(sd_native_loop, false_s, "false", REAL, 0, DBL_MAX),
	NUMBER(sd_native_loop, true_s, "true", REAL, 0, DBL_MAX),
	NUMBER(sd_native_loop, lock_s, "lock", REAL, 0, DBL_MAX),
	NUMBER(sd_native_loop, split_s, "split", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_native_loop, maybe_s, "maybe", REAL, 0, DBL_MAX),
	NUMBER(sd_native_loop, unknown_s, "unknown", REAL, 0, DBL_MAX),
	NUMBER(sd_native_loop, read_s, "read", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	COUNT(sd_native_loop, spun),
	NUMBER(sd_native_loop, line, "line", UNSIGNED, 0, SD_NATIVE_LINES),
	COUNT(sd_native_loop, bytes),
	COUNT(sd_native_loop, pages),
	COUNT(sd_native_loop, lines),
};
static const struct sd_fields native_loop_fields = TABLE(native_loop, .check = check_native_loop);

static int check_native(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path loops = {.up = at, .key = "loops"};
	const struct sd_native_lines *const n = element;

	(void)before;
	for (size_t i = 0; i < n->n_loop; i++)
		if (n->loop[i].line > n->n_line)
			return sd_json_path_fault(
				c->s, &loops, "name line %u of %zu", n->loop[i].line, n->n_line);
	return 0;
}

static const struct sd_field native[] = {
	NAME(sd_native_lines, status, "status", sd_field_rows_status),
	TEXT(sd_native_lines, why, "why"),
	BOOL(sd_native_lines, heap_asked, "heap_asked", .need = SD_FIELD_NEWER),
	BOOL(sd_native_lines, heap_told, "heap_told", .need = SD_FIELD_NEWER),
	BOOL(sd_native_lines, heap_cut, "heap_cut", .need = SD_FIELD_NEWER),
	TEXT(sd_native_lines, heap_why, "heap_why", .need = SD_FIELD_NEWER),
	NUMBER(sd_native_lines, line_bytes, "line", UNSIGNED, 1, 4096),
	COUNT(sd_native_lines, samples),
	COUNT(sd_native_lines, resolved),
	COUNT(sd_native_lines, seconds),
	NUMBER(sd_native_lines, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_native_lines, n_line_seen, "lines_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_native_lines, n_loop_seen, "loops_seen", SIZE, 0, SD_FIELD_WHOLE),
	ARRAY(sd_native_lines, thread, "threads", mem_thread_fields, SD_SIM_THREADS,
		SEEN(sd_native_lines, thread), .counts = SD_FIELD_OF_THREADS),
	ARRAY(sd_native_lines, line, "lines", native_line_fields, SD_NATIVE_LINES,
		SEEN(sd_native_lines, line)),
	ARRAY(sd_native_lines, loop, "loops", native_loop_fields, SD_NATIVE_LOOPS,
		SEEN(sd_native_lines, loop)),
};
const struct sd_fields sd_fields_native = TABLE(native, .check = check_native);

static const struct sd_field event_period[] = {
	NAME(sd_event_period, role, "role", sd_field_rows_role),
	NUMBER(sd_event_period, period, "period", REAL, 1, DBL_MAX),
	NUMBER(sd_event_period, weight, "weight", REAL, -DBL_MAX, DBL_MAX),
	BOOL(sd_event_period, precise, "precise"),
	COUNT(sd_event_period, samples),
	COUNT(sd_event_period, count),
	NUMBER(sd_event_period, running, "running", REAL, 0, 1),
};
static const struct sd_fields event_period_fields = TABLE(event_period);

static const struct sd_field event_place[] = {
	NUMBER(sd_event_place, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	NAME(sd_event_place, role, "role", sd_field_rows_role),
	COUNT(sd_event_place, samples),
	NUMBER(sd_event_place, events, "events", REAL, -DBL_MAX, DBL_MAX),
};
static const struct sd_fields event_place_fields = TABLE(event_place);

static const struct sd_field events[] = {
	NAME(sd_event_sampled, status, "status", sd_field_rows_status),
	TEXT(sd_event_sampled, source, "source"),
	TEXT(sd_event_sampled, why, "why"),
	COUNT(sd_event_sampled, lost),
	NUMBER(sd_event_sampled, cpus_covered, "cpus_covered", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_event_sampled, cpus_wanted, "cpus_wanted", UNSIGNED, 0, SD_RECORD_CORES),
	ARRAY(sd_event_sampled, period, "periods", event_period_fields, SD_EVENT_PERIODS),
	ARRAY(sd_event_sampled, place, "places", event_place_fields, SD_EVENT_PLACES),
};
const struct sd_fields sd_fields_events = TABLE(events);
