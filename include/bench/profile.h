/*
 * The calibration of a machine: what the microbenchmarks measured, and on which machine.
 */
#ifndef SD_PROFILE_H
#define SD_PROFILE_H

#include <stddef.h>

#include "bench/kernel.h"
#include "base/status.h"
#include "base/texts.h"
#include "machine/node_facts.h"
#include "machine/topology.h"

#define SD_PROFILE_SCHEMA 1
#define SD_PROFILE_KIND "scalediag-profile"

/* The machine that a profile is of. Text from outside has its control characters replaced. */
struct sd_profile_key {
	char host[256];
	char cpu[128];
	char kernel[128];
	char topology[17]; /* hexadecimal digest of the PUs, what they share, and the cache sizes
			    */
	char machine[17];  /* the same of the whole machine, whichever of its CPUs are granted:
			      model, CPUs online, cache sizes; "": of an older profile */
};

/* How quiet the machine was while it was measured. */
struct sd_quiet {
	struct sd_value
		steal; /* CPU time stolen by the hypervisor, as a fraction of all CPUs' time */
	struct sd_value psi_cpu; /* fraction of the time some task waited for a CPU */
	size_t spread;           /* rows whose interquartile range is above 3 % of their median */
	size_t noisy;            /* rows made of disturbed samples */
	size_t dropped;          /* samples dropped, of all rows */
};

struct sd_profile {
	char tool_version[32];
	struct sd_profile_key key;
	double start;   /* s since the epoch */
	double seconds; /* it took */
	int quick;
	unsigned calibrations; /* that it is made of (profile_merge.h); 1 */
	unsigned blocks;       /* in each of which everything was begun; 0: not known */
	unsigned granted;
	struct sd_node_facts facts;  /* how the machine was set up */
	struct sd_value memory_peak; /* B/s, of the memory modules (memory_modules.h) */
	struct sd_value visible_llc; /* bytes */
	struct sd_quiet quiet;
	struct sd_machine_states states; /* line[] in s; 0 is the nearest */
	struct sd_bench_rows rows;
	struct sd_texts names; /* owns the strings that rows of a file point to */
};

void sd_profile_free(struct sd_profile *p); /* accepts the zeroed value */

/* The key of this machine (uname and the topology). */
void sd_profile_key_of(struct sd_profile_key *key, const struct sd_topology *t);

/*
 * Is a profile with this key valid here? NULL if it is, else what differs: "host", "CPU model",
 * "topology", "kernel"; SD_PROFILE_OTHER_CPUS: it is of this machine, with others of its CPUs
 * granted.
 */
#define SD_PROFILE_OTHER_CPUS "set of granted CPUs"
const char *sd_profile_differs(
	const struct sd_profile_key *profile, const struct sd_profile_key *here);

/* Counts rows into quiet->spread, noisy, dropped. */
void sd_profile_count(struct sd_profile *p);

/* Was the machine quiet: no steal, little waiting, at most a tenth of the rows spread or noisy? */
int sd_profile_was_quiet(const struct sd_profile *p);

/* The value of `key` in a row's variant ("op=triad stores=nt"), copied to out; 0 or -ENOENT. */
int sd_bench_row_key(const struct sd_bench_row *row, const char *key, char *out, size_t size);

/* Has the row's variant this key, with this value (NULL: any)? */
int sd_bench_row_is(const struct sd_bench_row *row, const char *key, const char *value);

/* The state of the machine that was seen most: whose curves are drawn. */
unsigned sd_profile_main_state(const struct sd_profile *p);

/*
 * The row's median with its interval; absent when the row has no number. For one calibration these
 * are the quartiles of its samples, which lie close together in time and do not show what a second
 * one would. For several, it is the range that one more hits 19 times in 20: exp(+-t s sqrt(1 +
 * 1/n)) times the median, s the deviation of ln(median) among the n (Hahn and Meeker, Statistical
 * Intervals, 4.8).
 */
struct sd_interval sd_bench_row_value(const struct sd_bench_row *row);

/*
 * Numbers that `run` reads off a profile. `line`, the round trip measured beside the program (s),
 * selects the state. A line that matches no state, or an absent one where the profile has several,
 * gives an absent answer, never another state's.
 */
/* The state with this round trip (s), which the functions below answer for; -1: none. */
int sd_profile_state(const struct sd_profile *p, struct sd_value line);
/* The best bandwidth of `cores` cores, GB/s (1e9); absent when that count was not measured. */
struct sd_interval sd_profile_bandwidth(
	const struct sd_profile *p, unsigned cores, struct sd_value line);
/* Latency of a level, "L1", "L2", "LLC" or "DRAM", in ns, on base pages (which most programs use).
 */
struct sd_interval sd_profile_latency(
	const struct sd_profile *p, const char *level, struct sd_value line);
/* Page walk: what a miss of the last data TLB level adds to a load, in ns, on base pages. The same
 * in all states, since the walk's own lines are near. */
struct sd_interval sd_profile_walk(const struct sd_profile *p);

#endif
