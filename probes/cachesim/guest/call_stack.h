/*
 * The calls that a thread of the guest is in, from the calls and returns that its blocks end with:
 * QEMU 7.2 shows a plugin no registers, so its stack cannot be unwound.
 */
#ifndef SIM_CALLERS_H
#define SIM_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#define SIM_CALLERS 8192 /* calls deep; beyond, they are only counted */

struct sim_callers {
	uint64_t *back; /* owned; return addresses, innermost last; NULL: not followed */
	size_t n, room;
	uint64_t beyond;
};

int sim_callers_open(struct sim_callers *c); /* 0 or -ENOMEM */
void sim_callers_close(struct sim_callers *c);

/* A call that returns to `back`; a return that came to `to`. What was left by longjmp() or the like
 * goes when a caller further out is returned to. */
void sim_callers_call(struct sim_callers *c, uint64_t back);
void sim_callers_return(struct sim_callers *c, uint64_t to);

/*
 * The return addresses from `first` outwards, `first` itself being known to be one: *n of at most
 * `most`, into pc. Only `first` where the thread's calls do not say how it came there.
 */
size_t sim_callers_from(const struct sim_callers *c, uint64_t first, uint64_t *pc, size_t most);

/*
 * How many of pc[0..n) stand above each other in the memory from `stack` upwards, as return
 * addresses of nested calls must, pc[0] taken for granted: a program that switches stacks by itself
 * returns to where nobody of this stack called. `memory` is /proc/self/mem; `base` is added to
 * addresses.
 */
size_t sim_callers_true(int memory, uint64_t base, uint64_t stack, const uint64_t *pc, size_t n);

/*
 * An address in the code of the function whose frame holds `address`: the frame ends at the next
 * return address above that its caller is waiting at. `inside`: where the thread is. 0 unknown.
 */
uint64_t sim_callers_frame(
	const struct sim_callers *c, int memory, uint64_t base, uint64_t address, uint64_t inside);

#endif
