#include "guest/call_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEARCHED 64 /* calls that a longjmp() may leave at once */
#define NEAR 4      /* calls of the allocator's own on top of its caller */
#define PIECE 4096
#define LARGEST (32u << 10)   /* bytes of a frame that is looked through */
#define FARTHEST (256u << 10) /* bytes of stack that the callers' frames are looked for in */

int sim_callers_open(struct sim_callers *c)
{
	*c = (struct sim_callers){.room = 64};
	c->back = malloc(c->room * sizeof *c->back);
	return c->back ? 0 : -ENOMEM;
}

void sim_callers_close(struct sim_callers *c)
{
	free(c->back);
	*c = (struct sim_callers){0};
}

void sim_callers_call(struct sim_callers *c, uint64_t back)
{
	if (c->n == c->room && !c->beyond && c->room < SIM_CALLERS) {
		uint64_t *const p = realloc(c->back, 2 * c->room * sizeof *p);

		if (p) {
			c->back = p;
			c->room *= 2;
		}
	}
	if (c->n == c->room)
		c->beyond++;
	else
		c->back[c->n++] = back;
}

void sim_callers_return(struct sim_callers *c, uint64_t to)
{
	if (c->beyond) {
		c->beyond--;
		return;
	}
	for (size_t i = 0; i < SEARCHED && i < c->n; i++)
		if (c->back[c->n - 1 - i] == to) {
			c->n -= i + 1;
			return;
		}
}

size_t sim_callers_from(const struct sim_callers *c, uint64_t first, uint64_t *pc, size_t most)
{
	size_t at = c->beyond ? 0 : c->n, n = 0;

	for (size_t i = 0; at > 0 && c->back[at - 1] != first; i++)
		at = i < NEAR ? at - 1 : 0;
	if (most == 0)
		return 0;
	if (at == 0)
		pc[n++] = first;
	for (; at > 0 && n < most; at--)
		pc[n++] = c->back[at - 1];
	return n;
}

/* Copies memory of this process, which the guest shares: an address that is none is an error and no
 * crash. No descriptor is kept for that, which the guest could close and open as a file of its own.
 * Returns the bytes up to the first page that is not there, or -1. */
static ssize_t copy(void *to, size_t size, uint64_t from)
{
	const struct iovec here = {.iov_base = to, .iov_len = size},
			   there = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

size_t sim_callers_true(uint64_t base, uint64_t stack, const uint64_t *pc, size_t n)
{
	uint64_t word[PIECE / sizeof(uint64_t)];
	size_t found = 1;

	for (uint64_t at = stack & ~7ull; found < n && at - stack < FARTHEST; at += PIECE) {
		const ssize_t got = copy(word, sizeof word, base + at);

		for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *word && found < n; i++)
			found += word[i] == pc[found];
		if (got < (ssize_t)sizeof word)
			break;
	}
	return found < n ? found : n;
}

/* Number + 1 of the innermost of these calls that returns to `to`; 0: none does. */
static size_t call_to(const struct sim_callers *c, uint64_t to)
{
	size_t i = c->beyond || !c->back ? 0 : c->n;

	while (i > 0 && c->back[i - 1] != to)
		i--;
	return i;
}

uint64_t sim_callers_frame(
	const struct sim_callers *c, uint64_t base, uint64_t address, uint64_t inside)
{
	uint64_t word[PIECE / sizeof(uint64_t)];

	for (uint64_t at = address & ~7ull; at - address < LARGEST || at < address; at += PIECE) {
		const ssize_t got = copy(word, sizeof word, base + at);

		for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *word; i++) {
			const size_t k = call_to(c, word[i]);

			if (k)
				return k < c->n ? c->back[k] - 1 : inside;
		}
		if (got < (ssize_t)sizeof word)
			break;
	}
	return 0;
}
