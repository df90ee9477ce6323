/*
 * Metric tables (configs/metrics): what is computed from the counts of roles, each with its unit,
 * its threshold, its meaning and where it comes from. In the syntax of libconfig:
 *
 *   metrics = (
 *       {
 *           name = "bus-latency";
 *           formula = "bus_occupancy / (bus_read_lines - bus_ifetch_lines)";
 *           unit = "cycles";
 *           above = 200;                      worth a look from there on; or below = ...
 *           meaning = "...";
 *           source = "Levinthal, Core 2 non-scaling, section Bandwidth";
 *           families = [ "core2" ];           of event maps; left out: all without their own row
 *           component = "cpi-bandwidth";      see below
 *           where = 20011;                    sampled too, one of so many events of its roles
 *           part_of = "backend-bound";        a part of that metric, or of all "slots": a tree
 *           advice = "...";                   what to do beyond the threshold
 *       }
 *   );
 *
 * A formula is over roles, other metrics ('-' written as '_') and the terms of metric_eval.h. It
 * may be an array of formulas, in order of preference: the first whose counts are all there is
 * taken; known(a, b, ...) adds up what there is of its arguments. A threshold is a number or a
 * formula. A row with a component says how many cycles an
 * instruction this mechanism costs, or, of "spinning", which share of the cycles is spent waiting
 * in loops; "spinning" has besides a row that ends in "-instructions", the share of the
 * instructions.
 */
#ifndef SD_FORMULA_TABLES_H
#define SD_FORMULA_TABLES_H

#include "analysis/analysis.h"
#include "metrics/expression.h"
#include "record/role.h"
#include "base/sink.h"

#define SD_FORMULA_CHOICES 12

/* Values of a point and of the calibration that a formula may name besides roles and metrics. */
#define SD_TERMS(X)                                                               \
	X(CORES, "cores", "cores of the point")                                   \
	X(SOCKETS, "sockets", "sockets of the CPUs allowed")                      \
	X(WALL, "wall", "s, median")                                              \
	X(CPU_TIME, "cpu_time", "s, user and system")                             \
	X(USER_TIME, "user_time", "s")                                            \
	X(TSC_HZ, "tsc_hz", "1/s")                                                \
	X(FREQUENCY, "frequency", "1/s, cycles over the CPU time they ran in")    \
	X(LINE_BYTES, "line_bytes", "bytes")                                      \
	X(THREADS_PER_CORE, "threads_per_core", "hardware threads used per core") \
	X(COST_L2, "cost_l2", "s, a load from the L2")                            \
	X(COST_LLC, "cost_llc", "s, a load from the last-level cache")            \
	X(COST_DRAM, "cost_dram", "s, a load from memory")                        \
	X(COST_REMOTE, "cost_remote", "s, a load from another node's memory")     \
	X(COST_LINE, "cost_line", "s, a modified line from another core")         \
	X(COST_WALK, "cost_walk", "s, a miss of every DTLB level")                \
	X(CEILING, "ceiling", "bytes/s that this many cores can move")            \
	X(CEILING_CORE, "ceiling_core", "bytes/s that one core can move")

enum sd_term {
#define X(id, name, meaning) SD_TERM_##id,
	SD_TERMS(X)
#undef X
		SD_TERM_COUNT
};

/* Kinds of things that a variable of a formula refers to. */
enum sd_reference_kind { SD_REFERENCE_ROLE, SD_REFERENCE_TERM, SD_REFERENCE_METRIC };
struct sd_reference {
	enum sd_reference_kind kind;
	unsigned index; /* enum sd_role, enum sd_term, or the metric's number in `id` */
};

/* A compiled formula and its variables, in the order of its slots. */
struct sd_bound_expression {
	struct sd_expression expression;
	struct sd_reference *to; /* owned */
};

enum sd_threshold { SD_THRESHOLD_NONE, SD_THRESHOLD_ABOVE, SD_THRESHOLD_BELOW };

struct sd_formula {
	const char *name, *unit, *meaning, *source;
	const char *advice, *part_of; /* NULL: none */
	unsigned id;                  /* shared by all rows of the same name */
	const char **family; /* owned array; empty: every family without a row of its own */
	size_t n_family;
	struct sd_bound_expression value[SD_FORMULA_CHOICES];
	size_t n_value;
	enum sd_threshold threshold;
	struct sd_bound_expression limit;
	enum sd_component component; /* SD_COMPONENT_COUNT: none */
	unsigned where;              /* events from one sample to the next; 0: not sampled */
	const char *file;
	unsigned line;
};

struct sd_formula_tables {
	struct sd_formula *row; /* owned; in the order of the files */
	size_t n;
	const char **name; /* owned; by id */
	size_t n_name;
	struct sd_texts strings; /* owns what the pointers above point to */
};

/*
 * Adds the rows of one file; `file` is for messages. 0; -EINVAL after a message with file and line;
 * -ENOMEM. *f must be freed in every case.
 */
int sd_formula_tables_add(struct sd_formula_tables *f, const char *file, const char *text,
	size_t size, const struct sd_sink *sink);

/* Call after the last file: checks for undefined names and circular formulas. As above. */
int sd_formula_tables_finish(struct sd_formula_tables *f, const struct sd_sink *sink);

void sd_formula_tables_free(struct sd_formula_tables *f); /* accepts the zeroed value */

/* The row of a metric for a family; NULL: none. */
const struct sd_formula *sd_formula_tables_find(
	const struct sd_formula_tables *f, unsigned id, const char *family);

/* The row of that name and family, or NULL. */
const struct sd_formula *sd_formula_tables_named(
	const struct sd_formula_tables *f, const char *name, const char *family);

#endif
