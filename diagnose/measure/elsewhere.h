/*
 * Is the work done by processes outside the tree (srun, docker, ssh and similar pass it to a
 * daemon)? Then the process tree is not the program, and its waits are no causes.
 */
#ifndef SD_ELSEWHERE_H
#define SD_ELSEWHERE_H

#include <signal.h>

#include "base/cpulist.h"
#include "record/run.h"

/*
 * A daemon that works for the program stops when the program does; a neighbour does not. For a
 * neighbour a run and the pause after it are two arbitrary moments, so the run has the higher load
 * in at most half of the cases (a sign test). All runs of the largest count are used, whatever they
 * show: choosing busy ones would find the pauses after them idle wherever bursts are rare. This
 * many in a row happen by chance at most once in 32 times. In addition, what others did beyond the
 * pauses must be far more than what the program did itself.
 */
#define SD_ELSEWHERE_PAUSES 5u

/* State for one program; initially zero. */
struct sd_elsewhere {
	unsigned pauses; /* so far; in each others did less than in the run before */
	int neighbour;   /* one contradicted that: the load is a neighbour's */
	/* s, sums over the runs with a watched pause; all but `wall` are CPU time */
	double wall, own, others;
	double more; /* CPU time of others beyond their pace in the pauses */
};

/*
 * Might others work for this run? They used far more of its CPUs than its tree, which used little
 * and, as far as was seen, did not mostly wait for a timer or the disk.
 */
int sd_elsewhere_asks(const struct sd_run *run, const struct sd_cpulist *cpus);

/*
 * Adds a run of the largest count and, if it asks, the load of its CPUs in the pause after it, in
 * cores; < 0: unknown, which proves nothing.
 */
void sd_elsewhere_add(struct sd_elsewhere *e, const struct sd_run *run,
	const struct sd_cpulist *cpus, double busy);

int sd_elsewhere_is(const struct sd_elsewhere *e);    /* the work is elsewhere */
int sd_elsewhere_maybe(const struct sd_elsewhere *e); /* too few runs to tell, but all suggest it */

/*
 * Watches the CPUs while the program is not running, for the duration of a run but at most 2 s;
 * `stop`, if given, ends it early. Returns the cores busy with processes, < 0 unknown. `root`: the
 * prefix of /proc, "" on this machine.
 */
double sd_elsewhere_watch(const struct sd_cpulist *cpus, double seconds,
	const volatile sig_atomic_t *stop, const char *root);

#endif
