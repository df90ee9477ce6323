#include "trace/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The list with room for one more element; NULL: no memory, and the list as it was. */
static void *roomy(void *list, size_t n, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (n < *room)
		return list;
	grown = reallocarray(list, more, size);
	if (grown)
		*room = more;
	return grown;
}

static int begin(unsigned **table)
{
	if (!*table)
		*table = calloc(SD_TIMELINE_HASH, sizeof **table);
	return *table ? 0 : -ENOMEM;
}

static unsigned hash(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return (unsigned)(v >> 40) % SD_TIMELINE_HASH;
}

int sd_timeline_born(struct sd_timeline *t, int pid, int tid, int ppid, unsigned *out)
{
	struct sd_timeline_thread *const grown =
		roomy(t->thread, t->n_thread, &t->room_thread, sizeof *grown);
	unsigned *head;

	if (!grown)
		return -ENOMEM;
	t->thread = grown;
	if (begin(&t->by_tid))
		return -ENOMEM;
	head = &t->by_tid[hash((uint64_t)(unsigned)tid)];
	*out = (unsigned)t->n_thread;
	t->thread[t->n_thread] =
		(struct sd_timeline_thread){.pid = pid, .tid = tid, .ppid = ppid, .next = *head};
	*head = (unsigned)++t->n_thread;
	return 0;
}

/* Newest first: a number that was given again is the new thread's. */
int sd_timeline_find(const struct sd_timeline *t, int tid, unsigned *out)
{
	if (!t->by_tid)
		return 0;
	for (unsigned i = t->by_tid[hash((uint64_t)(unsigned)tid)]; i; i = t->thread[i - 1].next)
		if (t->thread[i - 1].tid == tid) {
			*out = i - 1;
			return 1;
		}
	return 0;
}

/* The parent of a process whose thread is known. */
static int parent_of(const struct sd_timeline *t, int pid)
{
	unsigned first;

	return sd_timeline_find(t, pid, &first) ? t->thread[first].ppid : 0;
}

int sd_timeline_thread(struct sd_timeline *t, int pid, int tid, unsigned *out)
{
	return sd_timeline_find(t, tid, out)
		       ? 0
		       : sd_timeline_born(t, pid, tid, parent_of(t, pid), out);
}

int sd_timeline_place(struct sd_timeline *t, int pid, uint64_t address, unsigned node,
	enum sd_activity kind, unsigned *out, int *fresh)
{
	const unsigned key = address ? 0 : node;
	const unsigned chain = hash(address * 31 + key * 7 + (uint64_t)(unsigned)pid);
	struct sd_timeline_place *const grown =
		roomy(t->place, t->n_place, &t->room_place, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	t->place = grown;
	if (begin(&t->by_address))
		return -ENOMEM;
	*fresh = 0;
	for (unsigned i = t->by_address[chain]; i; i = t->place[i - 1].next) {
		const struct sd_timeline_place *const p = &t->place[i - 1];

		if (p->pid == pid && p->address == address && p->node == key) {
			*out = i - 1;
			return 0;
		}
	}
	*fresh = 1;
	*out = (unsigned)t->n_place;
	t->place[t->n_place] = (struct sd_timeline_place){.pid = pid,
		.address = address,
		.node = key,
		.kind = kind,
		.next = t->by_address[chain]};
	t->by_address[chain] = (unsigned)++t->n_place;
	return 0;
}

int sd_timeline_add(struct sd_timeline *t, const struct sd_moment *m)
{
	struct sd_moment *const grown = roomy(t->moment, t->n, &t->room, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	t->moment = grown;
	t->moment[t->n++] = *m;
	return 0;
}

int sd_timeline_shut(struct sd_timeline *t, uint64_t time)
{
	struct sd_gap *const grown = roomy(t->gap, t->n_gap, &t->room_gap, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	t->gap = grown;
	if (t->n_gap && t->gap[t->n_gap - 1].to >= time)
		t->gap[t->n_gap - 1].to = UINT64_MAX;
	else
		t->gap[t->n_gap++] = (struct sd_gap){time, UINT64_MAX};
	return 0;
}

void sd_timeline_open(struct sd_timeline *t, uint64_t time)
{
	if (t->n_gap && t->gap[t->n_gap - 1].to == UINT64_MAX)
		t->gap[t->n_gap - 1].to = time;
}

int sd_timeline_is_shut(const struct sd_timeline *t, uint64_t time)
{
	return t->n_gap && time > t->gap[t->n_gap - 1].from && time <= t->gap[t->n_gap - 1].to;
}

void sd_timeline_bound(struct sd_timeline *t)
{
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n_gap; i++) {
		struct sd_gap g = t->gap[i];

		g.from = g.from > t->start ? g.from : t->start;
		g.to = g.to < t->end ? g.to : t->end;
		if (g.from >= g.to)
			continue;
		sum += g.to - g.from;
		t->gap[n++] = g;
	}
	t->n_gap = n;
	t->unwatched = sum ? (double)sum / (double)(t->end - t->start) : 0;
}

void sd_timeline_free(struct sd_timeline *t)
{
	free(t->gap);
	free(t->part);
	free(t->moment);
	free(t->thread);
	free(t->place);
	free(t->by_tid);
	free(t->by_address);
	*t = (struct sd_timeline){0};
}
