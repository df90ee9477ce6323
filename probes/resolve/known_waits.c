#include "resolve/known_waits.h"

#define FAR 100 /* a wait this many times longer or shorter matches none */

static struct sd_known_wait known(const struct sd_moment *m)
{
	return (struct sd_known_wait){m->node, m->lock, m->activity};
}

static int like(struct sd_moment *m, const struct sd_known_wait *wait)
{
	if (!wait)
		return 0;
	m->node = wait->node;
	m->lock = wait->lock;
	m->activity = wait->activity;
	return 1;
}

void sd_known_waits_add(struct sd_known_waits *k, const struct sd_moment *m, uint64_t length)
{
	const unsigned at = k->n++ % SD_KNOWN_WAITS;

	k->wait[at].length = length;
	k->wait[at].what = known(m);
}

/* Its place; SD_KNOWN_WAITS_STACKS: it has none. */
static unsigned place_of(const struct sd_known_waits *k, uint32_t stack)
{
	for (unsigned i = 0; i < SD_KNOWN_WAITS_STACKS && i < k->n_stack && stack; i++)
		if (k->stack[i].id == stack)
			return i;
	return SD_KNOWN_WAITS_STACKS;
}

void sd_known_waits_learn(struct sd_known_waits *k, uint32_t stack, const struct sd_moment *m)
{
	unsigned at = place_of(k, stack);

	if (!stack)
		return;
	if (at == SD_KNOWN_WAITS_STACKS)
		at = k->n_stack++ % SD_KNOWN_WAITS_STACKS;
	k->stack[at].id = stack;
	k->stack[at].what = known(m);
}

int sd_known_waits_like_last(const struct sd_known_waits *k, struct sd_moment *m)
{
	return like(m, k->n ? &k->wait[(k->n - 1) % SD_KNOWN_WAITS].what : NULL);
}

int sd_known_waits_like_length(const struct sd_known_waits *k, struct sd_moment *m, uint64_t length)
{
	const struct sd_known_wait *near = NULL;
	double least = FAR;

	for (unsigned i = 0; i < SD_KNOWN_WAITS && i < k->n; i++) {
		const double a = (double)k->wait[i].length / (double)length;
		const double ratio = a < 1 ? 1 / a : a;

		if (ratio < least) {
			least = ratio;
			near = &k->wait[i].what;
		}
	}
	return like(m, near);
}

int sd_known_waits_like_stack(const struct sd_known_waits *k, struct sd_moment *m, uint32_t stack)
{
	const unsigned at = place_of(k, stack);

	return like(m, at < SD_KNOWN_WAITS_STACKS ? &k->stack[at].what : NULL);
}
