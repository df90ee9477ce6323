#include "bpf/lock_shares.h"

/* Flags that tell kinds of locks apart; the others tell how one was waited for. */
#define KIND (SD_LOCK_CODE_SPIN | SD_LOCK_CODE_RT | SD_LOCK_CODE_PERCPU | SD_LOCK_CODE_MUTEX)

enum { UNLIKE, SAME_CALL, SAME_LOCK, SAME_LOCK_CALL, SAME_HOLDER, SAME };

/* How much it is like it, which sleeping waits may begin with spinning of. */
static int likeness(const struct sd_lock_key *a, const struct sd_lock_key *b)
{
	const int lock = a->lock == b->lock && (a->flags & KIND) == (b->flags & KIND);

	if (lock && a->call == b->call && a->held == b->held)
		return a->flags == b->flags ? SAME : SAME_HOLDER;
	if (lock)
		return a->call == b->call ? SAME_LOCK_CALL : SAME_LOCK;
	return a->flags == b->flags && a->call == b->call ? SAME_CALL : UNLIKE;
}

/* A wait of no length has a share like one of a ns. */
static double weight(const struct sd_lock_sum *s)
{
	return s->ns ? (double)s->ns : 1;
}

/* The greatest likeness of a sum with a stack, and their weight together. */
static int find_like(
	const struct sd_lock_keyed *of, size_t n, const struct sd_lock_key *key, double *all)
{
	int best = UNLIKE;

	*all = 0;
	for (size_t i = 0; i < n; i++) {
		const int l = of[i].key.waiter < 0 ? UNLIKE : likeness(&of[i].key, key);

		if (l > best) {
			best = l;
			*all = 0;
		}
		*all += l == best && l ? weight(&of[i].sum) : 0;
	}
	return best;
}

/* The part of `whole` that ends at `end` of 1, without what was given before. */
static uint64_t next_part(uint64_t whole, double end, uint64_t *before)
{
	const uint64_t until = end >= 1 ? whole : (uint64_t)((double)whole * end);
	const uint64_t part = until - *before;

	*before = until;
	return part;
}

static void share_out(struct sd_lock_keyed *of, size_t n, struct sd_lock_keyed *from)
{
	struct sd_lock_sum before = {0};
	struct sd_lock_keyed *most = NULL;
	double all, end = 0;
	const int like = find_like(of, n, &from->key, &all);

	for (size_t i = 0; i < n && like; i++) {
		if (of[i].key.waiter < 0 || likeness(&of[i].key, &from->key) != like)
			continue;
		end += weight(&of[i].sum);
		of[i].given.waits += next_part(from->sum.waits, end / all, &before.waits);
		of[i].given.ns += next_part(from->sum.ns, end / all, &before.ns);
		of[i].given.timed += next_part(from->sum.timed, end / all, &before.timed);
		if (!most || of[i].sum.ns > most->sum.ns)
			most = &of[i];
	}
	if (!most)
		return;
	if (from->sum.longest > most->given.longest)
		most->given.longest = from->sum.longest;
	from->sum = (struct sd_lock_sum){0};
}

void sd_lock_shares_give(struct sd_lock_keyed *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (of[i].key.waiter < 0)
			share_out(of, n, &of[i]);
	for (size_t i = 0; i < n; i++) {
		of[i].sum.waits += of[i].given.waits;
		of[i].sum.ns += of[i].given.ns;
		of[i].sum.timed += of[i].given.timed;
		if (of[i].given.longest > of[i].sum.longest)
			of[i].sum.longest = of[i].given.longest;
		of[i].given = (struct sd_lock_sum){0};
	}
}
