/*
 * Identifies the levels of the memory hierarchy on a latency curve, and decides whether a chase is
 * credible.
 */
#ifndef SD_LEVELS_H
#define SD_LEVELS_H

#include <stddef.h>

#include "loops/reuse.h"
#include "base/status.h"

enum sd_level_name { SD_LEVEL_L1, SD_LEVEL_L2, SD_LEVEL_LLC, SD_LEVEL_DRAM, SD_LEVEL_COUNT };
extern const char *const sd_level_name[SD_LEVEL_COUNT];

struct sd_levels {
	struct sd_value ns[SD_LEVEL_COUNT];    /* latency; absent: no such plateau was found */
	struct sd_value bytes[SD_LEVEL_COUNT]; /* the largest size on the plateau */
	size_t first[SD_LEVEL_COUNT], last[SD_LEVEL_COUNT]; /* points of the curve */
	/* Size at which reused lines take half way between a cache's time and memory's: what the
	 * LLC really holds; low and high are the neighbouring points. Noisy if no more than the
	 * claimed L2: then it is not the size of any cache and must not be used. */
	struct sd_interval effective_llc;
};

/* Facts that tell the levels apart beside the curve; absent where they are not known. */
struct sd_level_claims {
	struct sd_value l1, l2, llc; /* bytes, as the machine claims (hwloc, CPUID) */
	struct sd_value memory;      /* ns of a line that was flushed: memory's time, whatever the
					machine claims about its caches */
};

/* One point of the curve. */
struct sd_level_point {
	double bytes, ns;
	double ratio; /* sd_reuse_ratio() of the memory during the chase; NaN unknown */
};

/*
 * Finds the plateaus of a curve of n points (sizes rising) and names them by where they lie, never
 * by how many were found, so that a level keeps its name when a disturbed curve lacks another. The
 * first is L1, unless it begins where the claimed L1 ends. Those that lie where memory answers
 * (from some size on all ratios are about 1), or take as long as a flushed line, are DRAM, and the
 * last of them is what the name stands for. Others whose middle the claimed L2 holds are L2;
 * without that claim, those that end far below the effective LLC. The rest that begins within the
 * effective LLC, and is no part of L2's time, is LLC. The longest of a name keeps it; what is left
 * has none. n <= SD_LEVELS_POINTS.
 */
#define SD_LEVELS_POINTS 128u
void sd_levels_find(const struct sd_level_point *point, size_t n,
	const struct sd_level_claims *claims, struct sd_levels *out);

/* Is this the last level's time: no longer the second level's, and not yet memory's, ns? */
int sd_levels_is_llc(double ns, struct sd_value l2, struct sd_value memory);

/*
 * Is this chase credible? 0; -ERANGE with the reason in why: a prefetcher hid the latency, because
 * too many steps are predictable, or lines in memory arrived faster than memory answers.
 */
int sd_levels_believe(size_t lines, double foreseeable, double ns, const struct sd_reuse *reuse,
	char *why, size_t why_bytes);

#endif
