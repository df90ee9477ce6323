/*
 * The call stack of a guest thread, tracked by the calls and returns at the ends of its blocks:
 * QEMU 7.2 shows a plugin no registers, so the stack cannot be unwound.
 */
#ifndef SIM_CALLERS_H
#define SIM_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#define SIM_CALLERS 8192 /* depth; deeper calls are only counted */

struct sim_callers {
	uint64_t *back; /* owned; return addresses, innermost last; NULL: not followed */
	size_t n, room;
	uint64_t beyond;
};

int sim_callers_open(struct sim_callers *c); /* 0 or -ENOMEM */
void sim_callers_close(struct sim_callers *c);

/* A call that will return to `back`; a return to `to`. Frames left by longjmp() or the like are
 * dropped once a caller further out is returned to. */
void sim_callers_call(struct sim_callers *c, uint64_t back);
void sim_callers_return(struct sim_callers *c, uint64_t to);

/*
 * The return addresses from `first`, known to be one, outwards: at most `most` into pc; returns how
 * many. Only `first` if the tracked calls do not contain it.
 */
size_t sim_callers_from(const struct sim_callers *c, uint64_t first, uint64_t *pc, size_t most);

/*
 * How many of pc[0..n) are found in ascending order in memory from `stack` upwards, as return
 * addresses of nested calls must be; pc[0] is taken for granted. This detects programs that switch
 * stacks themselves: their tracked calls are not all of this stack. `base` is added to addresses.
 */
size_t sim_callers_true(uint64_t base, uint64_t stack, const uint64_t *pc, size_t n);

/*
 * An address in the code of the function whose frame contains `address`: the frame ends at the next
 * return address of a tracked call above it. `inside`: the thread's current address. 0 unknown.
 */
uint64_t sim_callers_frame(
	const struct sim_callers *c, uint64_t base, uint64_t address, uint64_t inside);

#endif
