/*
 * The machine as the program sees it: the CPUs it may use and what they share.
 */
#ifndef SD_TOPOLOGY_H
#define SD_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/sink.h"
#include "base/status.h"

/* One processing unit (hardware thread). The ids below are logical, dense from 0, and comparable
 * only for equality. */
struct sd_pu {
	unsigned os;       /* the kernel's CPU number */
	unsigned core;     /* physical core */
	unsigned smt_rank; /* 0 for the first usable PU of its core, 1 for its
			    sibling, … */
	unsigned llc;      /* last-level cache domain */
	unsigned numa;     /* nearest NUMA node */
	unsigned package;  /* socket */
	unsigned kind;     /* core kind, 0 the slowest (hwloc cpukinds order); all 0 if uniform or
			      unknown */
};

struct sd_topology {
	struct sd_pu *pu; /* owned; the PUs that are online and in this process's affinity and
			     cpuset, `os` rising */
	size_t n_pu;
	unsigned n_core, n_llc, n_numa, n_package, n_kind; /* counted over pu[] */
	unsigned n_online;                                 /* of the whole machine */
	int undescribed; /* unknown which CPUs share a core, cache or node (no /sys): each counts as
			    a core of its own */
	struct sd_value quota; /* CPUs granted by the tightest cgroup quota on the way to the root;
				  absent = none set; denied, unsupported = it could not be
				  read */
	unsigned granted; /* min(n_pu, quota rounded down but at least 1): the most cores a plan may
			     use */
	struct sd_value llc_bytes, l2_bytes,
		l1d_bytes; /* of one instance (the largest), as the machine claims */
	unsigned llc_ways, l2_ways, l1d_ways; /* of the largest instance; 0 unknown */
	unsigned line_bytes;                  /* coherence line; 64 when unknown */
	char cpu_model[128];                  /* control characters replaced; "" unknown */
	char cpu_vendor[32];
	char hypervisor[32]; /* "" on bare metal or unknown */
};

/* The source to read; all NULL means this machine. */
struct sd_topology_source {
	const char *synthetic; /* hwloc synthetic description, for tests and --dry-run on other
				  machines */
	const char *xml;       /* hwloc XML export of another machine */
	const char *root;      /* prefix of /proc and /sys, for fake trees; NULL is "" */
	const char *allowed;   /* CPU list to use instead of this process's affinity; NULL asks the
				  kernel */
};

/*
 * Fills *out. 0, or -errno with one message said and *out empty. A failure of hwloc is an error; a
 * missing cgroup tree, cache size or model name is data. A synthetic or XML machine is used whole,
 * less what `allowed` leaves out, and has a quota only if `root` names a tree for it. Granted CPUs:
 * min(affinity, cgroup v1/v2 quota, online) (METHODS 2.1).
 */
int sd_topology_load(struct sd_topology *out, const struct sd_topology_source *source,
	const struct sd_sink *sink);
void sd_topology_free(struct sd_topology *t); /* accepts the zeroed value */

#endif
