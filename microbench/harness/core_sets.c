#include "harness/core_sets.h"

#include <errno.h>
#include <stdlib.h>

/* A PU with what decides its turn: filled per placement, then sorted. */
struct turn {
	unsigned key[6];
	unsigned os;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	for (size_t i = 0; i < sizeof x->key / sizeof *x->key; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return (x->os > y->os) - (x->os < y->os);
}

/* How many PUs of the same SMT rank and domain come before this one: its round when spreading. */
static unsigned round_of(const struct sd_topology *t, size_t at)
{
	const struct sd_pu *p = &t->pu[at];
	unsigned n = 0;

	for (size_t i = 0; i < at; i++)
		n += t->pu[i].smt_rank == p->smt_rank && t->pu[i].package == p->package &&
		     t->pu[i].numa == p->numa && t->pu[i].llc == p->llc;
	return n;
}

int sd_core_sets_place(const struct sd_topology *t, enum sd_core_sets_place place, unsigned n,
	struct sd_cpulist *out)
{
	struct turn *turn;
	int rc = 0;

	*out = (struct sd_cpulist){0};
	if (n == 0 || n > t->n_pu)
		return -EINVAL;
	turn = calloc(t->n_pu, sizeof *turn);
	if (!turn)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_pu; i++) {
		const struct sd_pu *p = &t->pu[i];
		const unsigned slow = t->n_kind > p->kind ? t->n_kind - p->kind : 0;

		turn[i] = place == SD_CORE_SETS_COMPACT
				  ? (struct turn){{p->smt_rank, slow, p->package, p->numa, p->llc,
							  p->core},
					    p->os}
				  : (struct turn){{p->smt_rank, slow, round_of(t, i), p->package,
							  p->numa, p->llc},
					    p->os};
	}
	qsort(turn, t->n_pu, sizeof *turn, by_turn);
	for (unsigned i = 0; rc == 0 && i < n; i++)
		rc = sd_cpulist_add(out, turn[i].os);
	free(turn);
	if (rc)
		sd_cpulist_free(out);
	return rc;
}

static size_t add_count(unsigned *count, size_t n, size_t max, unsigned value)
{
	if (n < max && (n == 0 || value > count[n - 1]))
		count[n++] = value;
	return n;
}

size_t sd_core_sets_counts(
	const struct sd_kernel_env *env, unsigned low, unsigned *count, size_t max)
{
	const struct sd_topology *t = env->topology;
	const unsigned top = t->granted < t->n_pu ? t->granted : (unsigned)t->n_pu;
	size_t n = 0;

	for (size_t i = 0; i < env->n_cores; i++)
		if (env->cores[i] <= t->n_pu && env->cores[i] >= low)
			n = add_count(count, n, max, env->cores[i]);
	if (env->n_cores > 0)
		return n;
	for (unsigned c = low; !env->quick && c < top; c = c < 8 ? c + 1 : 2 * c)
		n = add_count(count, n, max - 1, c);
	if (env->quick && low < top)
		n = add_count(count, n, max - 1, low);
	return top >= low ? add_count(count, n, max, top) : n;
}
