/* clang-format off */
/*
 * Finds where the goroutines of a Go program wait, while it runs.
 *
 * A thread with no goroutine to run is taken to wait for what the goroutine it last left waits for
 * (mcall in runtime/asm_amd64.s). Up to Go 1.24 the frame pointer leads there from the scheduler's
 * stack. Go 1.25 clears it ("as caller may execute on another M"), but the goroutine's address is
 * still on the stack above the return address into mcall, and the runtime saves where each
 * goroutine that is not running left off (runtime/runtime2.go as of Go 1.23, 64 bits):
 *   struct g      offset 0 and 8 its stack's ends, 56 sched
 *   struct gobuf  offset 0 sp, 8 pc, 16 the g itself, then ctxt, ret, lr, bp: bp is the first of
 *                 the last three that points into the stack, whichever of the others a version has
 * sp is 0 while it runs. The array runtime.allgptr, of length runtime.allglen, holds all
 * goroutines. Memory that does not match, above all without the g's own address in its gobuf, is
 * not a goroutine.
 */
/* clang-format on */
#ifndef SD_GOROUTINES_H
#define SD_GOROUTINES_H

#include <stddef.h>
#include <stdint.h>

#define SD_GOROUTINES_DEPTH 24 /* callers kept of each */
#define SD_GOROUTINES_LOOK 64  /* inspected in one look; with more, others next time */

struct sd_goroutine_seen {
	uint64_t g, from, to; /* its address; ns, CLOCK_MONOTONIC: first and last seen there */
	uint32_t at, n;       /* its callers, leaf first, in `pc` */
};

/* Zeroed is: not looked yet. */
struct sd_goroutines {
	const char *root; /* borrowed; prefix of /proc */
	int pid;
	uint64_t device, inode; /* of the searched program; 0 none */
	uint64_t length, array; /* file addresses of the variables; 0: not a Go program */
	uint64_t bias, next;    /* load bias; time of the next look, ns */
	int placed, sorted;
	size_t turn;                       /* next goroutine to inspect, if there are many */
	uint32_t last[SD_GOROUTINES_LOOK]; /* index + 1 in `seen` of each inspected one */
	struct sd_goroutine_seen *seen;    /* owned */
	uint64_t *pc;                      /* owned */
	size_t n_seen, n_pc;
};

/* Prepares for the next run, of process `pid`: forgets what was seen but keeps what is known of the
 * program's file. */
void sd_goroutines_again(struct sd_goroutines *g, const char *root, int pid);

/* Inspects the goroutines that are waiting, at most every 50 ms. Best effort. */
void sd_goroutines_look(struct sd_goroutines *g, uint64_t now);

/*
 * Finds the place at which goroutine `address` of process `pid` waited at `time`, by the
 * observation nearest in time. Returns the number of callers in *pc (borrowed, leaf first); 0: not
 * seen within 0.2 s. After the first call there must be no more looks.
 */
size_t sd_goroutines_find(
	struct sd_goroutines *g, int pid, uint64_t address, uint64_t time, const uint64_t **pc);

void sd_goroutines_free(struct sd_goroutines *g); /* accepts the zeroed value, leaves it */

#endif
