/*
 * Work and span of a region with tasks, kept while it runs as Cilkview does (He, Leiserson,
 * Leiserson, SPAA 2010): each task carries the length of the longest chain of work from the
 * region's begin to where it is. A task begins with its maker's chain; whoever waits for tasks goes
 * on with the longest of theirs. Nothing is traced. Lengths are ns of CPU time. Included by the
 * library preloaded into OpenMP programs, and by its test, which cannot link that.
 */
#ifndef SD_OMP_SPAN_H
#define SD_OMP_SPAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Ends of chains that somebody waits for: of a task's children, or of a task group. */
struct sd_omp_joint {
	uint64_t longest;
	uint32_t users; /* the task, and its children that have not ended */
	struct sd_omp_joint *around;
};

/* A region's. Chains since the region's begin only grow, and threads are at no more than two
 * barriers at once: those of two phases in turn. */
struct sd_omp_region_span {
	uint64_t chain[2], loop[2];
	uint32_t dependent, unspanned; /* something that could not be followed */
};

/* A task, or a thread's own part of a region, as it runs. */
struct sd_omp_chain {
	uint64_t length;
	struct sd_omp_joint *children; /* NULL: it has made none; owned, shared with them */
	struct sd_omp_joint *group;
	unsigned phase; /* barriers before it was made */
	bool final;     /* it waits for each task it makes */
	/* of a thread's own part: */
	bool alone;              /* its work since the last barrier is one thread's to do */
	uint64_t loop, in_phase; /* longest loops so far; ns since the last barrier */
	unsigned unknown_groups; /* open ones inside of `group` for which there was no memory */
};

/* A task's begin, as its maker knows it: copied into its data. */
struct sd_omp_made {
	uint64_t length;
	struct sd_omp_joint *siblings, *group;
	unsigned phase;
	bool final, followed;
};

/* The chain goes on by ns of work. */
static inline void sd_omp_span_work(struct sd_omp_chain *c, uint64_t ns)
{
	c->length += ns;
	c->in_phase += ns;
}

static inline void sd_omp_span_be_at_least(uint64_t *longest, uint64_t length)
{
	uint64_t was = __atomic_load_n(longest, __ATOMIC_RELAXED);

	while (was < length && !__atomic_compare_exchange_n(longest, &was, length, 1,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline uint64_t sd_omp_span_length_at(const uint64_t *longest)
{
	return __atomic_load_n(longest, __ATOMIC_RELAXED);
}

static inline struct sd_omp_joint *sd_omp_span_make_joint(
	struct sd_omp_region_span *r, struct sd_omp_joint *around)
{
	struct sd_omp_joint *const j = malloc(sizeof *j);

	if (j)
		*j = (struct sd_omp_joint){.users = 1, .around = around};
	else
		__atomic_store_n(&r->unspanned, 1, __ATOMIC_RELAXED);
	return j;
}

static inline void sd_omp_span_leave_joint(struct sd_omp_joint *j)
{
	if (j && __atomic_sub_fetch(&j->users, 1, __ATOMIC_ACQ_REL) == 0)
		free(j);
}

/* A task is made at the chain's end; `final`: and makes none that outlive it. !followed: no memory.
 */
static inline struct sd_omp_made sd_omp_span_make(
	struct sd_omp_region_span *r, struct sd_omp_chain *by, bool final)
{
	struct sd_omp_made made = {.length = by->length,
		.group = by->group,
		.phase = by->phase,
		.final = final || by->final};

	by->alone = true;
	if (!by->children)
		by->children = sd_omp_span_make_joint(r, NULL);
	made.followed = by->children != NULL;
	if (made.followed)
		__atomic_fetch_add(&by->children->users, 1, __ATOMIC_RELAXED);
	made.siblings = by->children;
	return made;
}

static inline void sd_omp_span_begin(struct sd_omp_chain *c, const struct sd_omp_made *made)
{
	*c = (struct sd_omp_chain){.length = made->length,
		.group = made->group,
		.phase = made->phase,
		.final = made->final};
}

/* The task ends; what it took from its maker goes back. */
static inline void sd_omp_span_end(
	struct sd_omp_region_span *r, struct sd_omp_chain *c, const struct sd_omp_made *made)
{
	sd_omp_span_be_at_least(&r->chain[made->phase & 1], c->length);
	if (made->group)
		sd_omp_span_be_at_least(&made->group->longest, c->length);
	if (made->siblings)
		sd_omp_span_be_at_least(&made->siblings->longest, c->length);
	sd_omp_span_leave_joint(made->siblings);
	sd_omp_span_leave_joint(c->children);
}

static inline void sd_omp_span_go_on_from(struct sd_omp_chain *c, uint64_t length)
{
	if (c->length < length)
		c->length = length;
}

/* All tasks that the chain's task made have ended, and it goes on. */
static inline void sd_omp_span_wait(struct sd_omp_chain *c)
{
	if (c->children)
		sd_omp_span_go_on_from(c, sd_omp_span_length_at(&c->children->longest));
}

static inline void sd_omp_span_group(struct sd_omp_region_span *r, struct sd_omp_chain *c)
{
	struct sd_omp_joint *const j = sd_omp_span_make_joint(r, c->group);

	c->alone = true;
	if (j)
		c->group = j;
	else
		c->unknown_groups++;
}

/* The group has no other users: all tasks in it have ended. */
static inline void sd_omp_span_group_end(struct sd_omp_chain *c)
{
	struct sd_omp_joint *const j = c->group;

	if (c->unknown_groups || !j) {
		c->unknown_groups -= c->unknown_groups > 0;
		return;
	}
	sd_omp_span_go_on_from(c, sd_omp_span_length_at(&j->longest));
	c->group = j->around;
	sd_omp_span_leave_joint(j);
}

/* A thread's own part comes to a barrier, or to its end. Its work is a loop's part, unless one
 * thread alone did it, or made tasks. */
static inline void sd_omp_span_arrive(struct sd_omp_region_span *r, struct sd_omp_chain *c)
{
	if (!c->alone) {
		c->length -= c->in_phase;
		c->loop += c->in_phase;
	}
	sd_omp_span_be_at_least(&r->chain[c->phase & 1], c->length);
	sd_omp_span_be_at_least(&r->loop[c->phase & 1], c->loop);
}

static inline void sd_omp_span_leave(const struct sd_omp_region_span *r, struct sd_omp_chain *c)
{
	const uint64_t loop = sd_omp_span_length_at(&r->loop[c->phase & 1]);

	sd_omp_span_go_on_from(c, sd_omp_span_length_at(&r->chain[c->phase & 1]));
	c->loop = c->loop > loop ? c->loop : loop;
	c->in_phase = 0;
	c->alone = false;
	c->phase++;
}

/* A thread's own part has ended. */
static inline void sd_omp_span_close(struct sd_omp_region_span *r, struct sd_omp_chain *c)
{
	sd_omp_span_arrive(r, c);
	sd_omp_span_leave_joint(c->children);
	c->children = NULL;
}

/* The longest chain, when all threads have ended; and the longest of loops. */
static inline uint64_t sd_omp_span_longest(const struct sd_omp_region_span *r)
{
	return r->chain[0] > r->chain[1] ? r->chain[0] : r->chain[1];
}

static inline uint64_t sd_omp_span_loops(const struct sd_omp_region_span *r)
{
	return r->loop[0] > r->loop[1] ? r->loop[0] : r->loop[1];
}

#endif
