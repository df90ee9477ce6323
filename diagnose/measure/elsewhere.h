/*
 * Does the work happen in processes that somebody else starts (srun, docker, ssh and the like hand
 * it to a daemon)? Then the process tree is not the program, and what it waits for is no cause of
 * anything.
 */
#ifndef SD_ELSEWHERE_H
#define SD_ELSEWHERE_H

#include <signal.h>

#include "base/cpulist.h"
#include "record/run.h"

/*
 * A daemon that works for the program stops whenever the program does; a neighbour does not care.
 * To a neighbour a run and the pause after it are two moments like any others, and the first has
 * the more load of the two in half of the cases at most. All runs of the largest count are looked
 * at, whatever they show: looking at the busy ones alone would find the pauses after them idle
 * wherever bursts are rare. So many in a row come about by chance in one case of 32 at most; and
 * what others did more than in the pauses must be far more than what the program did itself.
 */
#define SD_ELSEWHERE_PAUSES 5u

/* Zeroed at first; of one program. */
struct sd_elsewhere {
	unsigned pauses; /* so far; in all of them others did less than in the run before */
	int neighbour;   /* once it was not so: others are others */
	/* s, sums over the runs that a pause was looked at for; of CPU time but the first */
	double wall, own, others;
	double more; /* of others, than they would have had at the pace of the pauses */
};

/*
 * Might others work for this run? They used far more of its CPUs than its tree did, which used
 * little, and, as far as was seen, its threads did not mostly wait for a timer or the disk.
 */
int sd_elsewhere_asks(const struct sd_run *run, const struct sd_cpulist *cpus);

/*
 * Takes in a run of the largest count, and for one that asks what its CPUs were busy with in the
 * pause after it, in cores; < 0: not known, which tells nothing.
 */
void sd_elsewhere_add(struct sd_elsewhere *e, const struct sd_run *run,
	const struct sd_cpulist *cpus, double busy);

int sd_elsewhere_is(const struct sd_elsewhere *e);    /* the work is elsewhere */
int sd_elsewhere_maybe(const struct sd_elsewhere *e); /* too few runs to tell, and all look so */

/*
 * Watches the CPUs while the program does not run, for as long as a run took, 2 s at most; `stop`,
 * if any, ends it early. Cores that were busy with processes, < 0 not known. `root`: the prefix of
 * /proc, "" for the machine's.
 */
double sd_elsewhere_watch(const struct sd_cpulist *cpus, double seconds,
	const volatile sig_atomic_t *stop, const char *root);

#endif
