#include "threads/thread_waits.h"

#include <stdlib.h>
#include <string.h>

void sim_waits_close(struct sim_waits *w)
{
	free(w->one);
	free(w->call);
	*w = (struct sim_waits){0};
}

/* Room for one more element; 0: there is no memory. */
static int grow(void *array, size_t n, size_t *room, size_t size)
{
	void **const at = array;
	const size_t more = *room ? 2 * *room : 64;
	void *p;

	if (n < *room)
		return 1;
	p = realloc(*at, more * size);
	if (!p)
		return 0;
	*at = p;
	*room = more;
	return 1;
}

static struct sim_waits_call *add_call(
	struct sim_waits *w, unsigned thread, uint64_t address, uint64_t clock)
{
	if (!grow(&w->call, w->n_call, &w->room_call, sizeof *w->call))
		return NULL;
	w->call[w->n_call] =
		(struct sim_waits_call){.thread = thread, .address = address, .clock = clock};
	return &w->call[w->n_call++];
}

static void drop_call(struct sim_waits *w, size_t i)
{
	memmove(&w->call[i], &w->call[i + 1], (--w->n_call - i) * sizeof *w->call);
}

void sim_waits_wake(struct sim_waits *w, unsigned thread, uint64_t address, uint64_t clock)
{
	(void)add_call(w, thread, address, clock);
}

/* Some may have come before the call returned. */
void sim_waits_woke(struct sim_waits *w, unsigned thread, uint64_t n)
{
	for (size_t i = 0; i < w->n_call; i++) {
		struct sim_waits_call *const c = &w->call[i];

		if (c->over || c->thread != thread)
			continue;
		c->over = 1;
		c->left += (int64_t)n;
		if (c->left > 0)
			w->coming += (uint64_t)c->left;
		else
			drop_call(w, i);
		return;
	}
}

#define PRIVATE                                                                                    \
	128u /* FUTEX_PRIVATE_FLAG: all waits of the C library have it but that for a thread's end \
	      */

static int waits_for_end(const struct sim_thread *t, int tid)
{
	return t->state == SIM_AWAY && t->futex.address && t->futex.value == (uint32_t)tid &&
	       !(t->futex.operation & PRIVATE);
}

int sim_waits_ended(
	struct sim_waits *w, struct sim_thread *const *all, size_t n, int tid, uint64_t clock)
{
	int any = 0;

	for (size_t i = 0; i < n; i++) {
		struct sim_waits_call *const c =
			waits_for_end(all[i], tid) ? add_call(w, 0, all[i]->futex.address, clock)
						   : NULL;

		if (!c)
			continue;
		c->over = 1;
		c->left = 1;
		w->coming++;
		any = 1;
	}
	return any;
}

int sim_waits_came(struct sim_waits *w, uint64_t address, uint64_t *clock)
{
	for (size_t i = 0; i < w->n_call; i++) {
		struct sim_waits_call *const c = &w->call[i];

		if (c->address != address || (c->over && c->left <= 0))
			continue;
		*clock = c->clock;
		c->left--;
		if (c->over) {
			w->coming--;
			if (!c->left)
				drop_call(w, i);
		}
		return 1;
	}
	return 0;
}

void sim_waits_forget(struct sim_waits *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_call; i++)
		if (!w->call[i].over)
			w->call[n++] = w->call[i];
	w->n_call = n;
	w->coming = 0;
}

void sim_waits_keep(struct sim_waits *w, const struct sim_thread *t, uint64_t from, uint64_t to)
{
	w->lost |= w->n == SIM_WAITS_MOST || !grow(&w->one, w->n, &w->room, sizeof *w->one);
	if (!w->lost)
		w->one[w->n++] = (struct sim_waits_one){t->index, t->futex, from, to};
}
