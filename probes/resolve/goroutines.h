/*
 * Where the goroutines of a Go program wait, looked up while it runs.
 *
 * A thread without a goroutine to run waits for what the one it left last waits for (mcall in
 * runtime/asm_amd64.s). Up to Go 1.24 the frame pointer leads there from the scheduler's stack; Go
 * 1.25 clears it ("as caller may execute on another M"), but the goroutine's address still stands
 * above the return address into mcall, and the runtime keeps of each goroutine that does not run
 * where it left off (runtime/runtime2.go as of Go 1.23, 64 bits):
 *   struct g      offset 0 and 8 its stack's ends, 56 sched
 *   struct gobuf  offset 0 sp, 8 pc, 16 the g itself, then ctxt, ret, lr, bp: the first of the last
 *                 three that leads into the stack is bp, whichever of the others a version has
 * sp is 0 while it runs. All goroutines are in the array runtime.allgptr of runtime.allglen. What
 * does not fit, first of all the g's own address in its gobuf, is no goroutine.
 */
#ifndef SD_GOROUTINES_H
#define SD_GOROUTINES_H

#include <stddef.h>
#include <stdint.h>

#define SD_GOROUTINES_DEPTH 24 /* callers kept of each */
#define SD_GOROUTINES_LOOK 64  /* looked at at once; of more, others the next time */

struct sd_goroutine_seen {
	uint64_t g, from, to; /* its address; ns, CLOCK_MONOTONIC: seen there, first and last */
	uint32_t at, n;       /* its callers, leaf first, in `pc` */
};

/* Zeroed is: not looked yet. */
struct sd_goroutines {
	const char *root; /* borrowed; as for the other readers of /proc */
	int pid;
	uint64_t device, inode; /* of the program that was searched; 0 none */
	uint64_t length, array; /* the variables, as the file has them; 0 it is not of Go */
	uint64_t bias, next;    /* where it was loaded; time of the next look, ns */
	int placed, sorted;
	size_t turn;                       /* of the goroutines, when they are many */
	uint32_t last[SD_GOROUTINES_LOOK]; /* what was seen of each of a look, + 1 */
	struct sd_goroutine_seen *seen;    /* owned */
	uint64_t *pc;                      /* owned */
	size_t n_seen, n_pc;
};

/* For the next run, which is of process `pid`: nothing was seen. What is known of the program's
 * file stays. */
void sd_goroutines_again(struct sd_goroutines *g, const char *root, int pid);

/* Looks at the goroutines that wait now, no more often than every 50 ms. Best effort. */
void sd_goroutines_look(struct sd_goroutines *g, uint64_t now);

/*
 * Where goroutine `address` of process `pid` waited at `time`, as it was seen next to that: how
 * many callers, leaf first; 0: it was not seen within a fifth of a second. *pc is borrowed. No more
 * looks after the first question.
 */
size_t sd_goroutines_find(
	struct sd_goroutines *g, int pid, uint64_t address, uint64_t time, const uint64_t **pc);

void sd_goroutines_free(struct sd_goroutines *g); /* accepts the zeroed value, leaves it */

#endif
