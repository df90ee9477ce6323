/* clang-format off */
/*
 * Event maps: how each role is counted on one family of CPUs. One libconfig file a family in
 * configs/events:
 *
 *   family = "skx";                     the map's name
 *   title = "Intel Skylake-SP and -X";
 *   libpfm = [ "skx" ];                 libpfm4's PMUs of this family
 *   encode = "skx";                     the one its event strings are encoded for; else libpfm[0]
 *   cpus = ( { vendor = "GenuineIntel"; family = 6; models = "85"; steppings = "0-4"; } );
 *                                       or { implementer = 65; models = "3340"; } on ARM (decimal);
 *                                       RISC-V and POWER: see struct sd_cpuid
 *   core_pmu = "cpu_core";              the kernel's PMU of these cores, if the machine has others
 *   other_cores = ( { pmu = "cpu_atom"; family = "gracemont"; } );    those others, and their map
 *   counters = { programmable = 4; without_smt = 8; fixed = 3; };
 *   prefetchers = { msr = 0x1a4; off = 0xfL; source = "..."; };       bits that disable a core's
 *   architectural = true;               chosen only if no other map fits
 *   monolithic = true;                  no cache below the socket's is shared by cores
 *   fallback = "ix86arch";              the map to ask for roles this one does not mention
 *   source = "...";
 *   roles = {
 *       l2_writebacks = {
 *           events = ( { event = "L2_TRANS:L2_WB"; code = 0x40f0; } );
 *           quality = "exact"; scope = "core"; counters = [ 0, 1 ]; note = "...";
 *       };
 *       hitm_load = { ...; sees = ( "socket", "loads" ); };
 *       total_cycles = { none = "why there is none"; };      ends the search along the fallbacks
 *   };
 *
 * An event has `event` (a string libpfm4 must encode to `code`) or `name` (for display; `code` is
 * used as it is), and optionally `config1`, `config2`; `weight`, default 1 (a role is the weighted
 * sum of its events); `pmu` (a kernel PMU: uncore_imc means uncore_imc and every uncore_imc_N), and
 * `config` if that PMU expects something other than `code`; in sampling roles `period`, `packets`
 * ("spe"). A role may have `fixed` (the number of its fixed counter), `leader` (a role that must
 * lead its group), `peers` and `far_peers` (data sources in its packets that are another core's
 * cache, or one on another socket), `sees` (for sharing: the places and accesses it sees, and what
 * else it counts; enum sd_sight).
 */
/* clang-format on */
#ifndef SD_EVENT_MAP_H
#define SD_EVENT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "record/role.h"
#include "base/sink.h"
#include "base/texts.h"

struct sd_map_event {
	const char *event; /* for libpfm4; NULL: raw */
	const char *name;  /* for display; NULL: `event` is its name */
	const char *pmu;   /* of the kernel; NULL: the core's */
	uint64_t code;     /* what `event` must encode to, or the raw code */
	uint64_t config;   /* what the kernel's PMU expects; for cores the same as `code` */
	uint64_t config1, config2;
	uint64_t period; /* sampling period; 0: sampled at a frequency */
	int spe;         /* samples are packets of ARM SPE in the AUX buffer */
	double weight;
	unsigned line;
};

struct sd_map_role {
	int present;      /* the map mentions the role */
	const char *none; /* why there is no event; then n is 0 */
	struct sd_map_event *events;
	size_t n;
	enum sd_quality quality;
	enum sd_scope scope;
	uint32_t counters;         /* bit set of the programmable counters it can use; 0 = any */
	int fixed;                 /* its fixed counter; -1 = none */
	enum sd_role leader;       /* SD_ROLE_COUNT = none */
	uint64_t peers, far_peers; /* bit i: data source i of a packet is another core's cache, or
				      one on another socket */
	unsigned sees;             /* SD_SIGHT_BIT() bits; those of places and accesses: 0 = all */
	const char *also;          /* an event of the same meaning that others count, which imports
				      know by this name; or NULL */
	const char *note;          /* caveat, erratum; or NULL */
	unsigned line;
};

/* One row of `cpus`. */
struct sd_map_cpu {
	const char *vendor;                  /* "GenuineIntel"; NULL on ARM */
	unsigned family;                     /* ARM: the implementer */
	struct sd_cpulist models, steppings; /* steppings empty = any */
};

/* Cores of another kind in the same machine, which have a kernel PMU of their own. */
struct sd_map_cores {
	const char *pmu, *family; /* the kernel's PMU; the map of its events */
	unsigned line;
};

/* The model-specific register with the bits that disable a core's hardware prefetchers when set. */
struct sd_map_prefetchers {
	uint32_t msr;       /* its address */
	uint64_t off;       /* the bits; 0 = not known for this family */
	const char *source; /* NULL only when `off` is 0 */
};

struct sd_event_map {
	char *file; /* for messages */
	const char *family, *title, *encode, *fallback,
		*source; /* fallback NULL: last of its chain */
	struct sd_texts libpfm;
	struct sd_map_cpu *cpus;
	size_t n_cpus;
	const char *core_pmu; /* NULL: the only one of the machine */
	struct sd_map_cores *other_cores;
	size_t n_other_cores;
	unsigned programmable, without_smt, fixed; /* counters; 0 = not known */
	struct sd_map_prefetchers prefetchers;
	int architectural;
	int monolithic; /* the cores of a socket share its last-level cache, and none below it:
			   there are no complexes (enum sd_sight) */
	unsigned fallback_line;
	struct sd_map_role roles[SD_ROLE_COUNT];
	struct sd_texts strings; /* owns what the pointers above point to */
};

/*
 * Parses one map. 0; -EINVAL after one message "FILE:LINE: ...", or -ENOMEM, with *map empty.
 * `file` is only for messages. Sizes, ranges, names and duplicates are checked;
 * sd_event_encode_check() checks that the events encode.
 */
int sd_event_map_parse(struct sd_event_map *map, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);
void sd_event_map_free(struct sd_event_map *map); /* accepts the zeroed value */

/* All maps of configs/events, ordered by file name. */
struct sd_eventmaps {
	struct sd_event_map *map;
	size_t n;
};

/*
 * Reads them from `dir` (as sd_configs_get). 0, or -errno with one message said: a broken file, a
 * family defined twice, a missing or circular fallback.
 */
int sd_event_map_set_load(struct sd_eventmaps *maps, const char *dir, const struct sd_sink *sink);
void sd_event_map_set_free(struct sd_eventmaps *maps);

/*
 * The first CPU of /proc/cpuinfo. ARM: vendor "", then implementer, part, revision. RISC-V:
 * "RISC-V", the low 12 bits of mvendorid and of marchid, 0. POWER: "POWER", the version in the PVR,
 * its major and its minor revision.
 */
struct sd_cpuid {
	char vendor[16];
	unsigned family, model, stepping;
	int known;
};

/* `root` is the prefix of /proc. known stays 0 if it cannot be read. */
void sd_cpu_model_read(struct sd_cpuid *id, const char *root);
void sd_cpu_model_parse(struct sd_cpuid *id, const char *cpuinfo);

/* Bits SD_SIGHT_BIT() of what a count of this role sees on that family: as the role says, and where
 * there are no complexes, the whole socket with "socket". */
unsigned sd_event_map_sees(const struct sd_event_map *map, const struct sd_map_role *role);

/* Finds a map by its family or one of its libpfm names, ignoring case; NULL: none. */
const struct sd_event_map *sd_event_map_set_find(const struct sd_eventmaps *maps, const char *name);

/*
 * Selects the map of a CPU: by the PMUs libpfm4 detected (`pmus`, may be empty), else by `id`, else
 * an architectural map in the same two ways, else "generic"; NULL if even that is missing.
 */
const struct sd_event_map *sd_event_map_set_select(
	const struct sd_eventmaps *maps, const struct sd_texts *pmus, const struct sd_cpuid *id);

/*
 * As sd_event_map_set_load(), for one CPU. Roles are read and checked only in the map that
 * sd_event_map_set_select() chooses, its fallback chain and its other cores; the rest of every map
 * is checked.
 */
int sd_event_map_set_load_for(struct sd_eventmaps *maps, const char *dir,
	const struct sd_texts *pmus, const struct sd_cpuid *id, const struct sd_sink *sink);

/*
 * The definition of a role, from the first map of the chain that mentions it; that map goes to
 * *from (may be NULL). NULL: no map mentions it.
 */
const struct sd_map_role *sd_event_map_set_role(const struct sd_eventmaps *maps,
	const struct sd_event_map *map, enum sd_role role, const struct sd_event_map **from);

#endif
