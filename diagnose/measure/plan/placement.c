#include "plan/placement.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 7

/* A PU with its sort keys, most significant first. */
struct slot {
	const struct sd_pu *pu;
	unsigned key[KEYS];
	unsigned rank; /* spread: its turn within the domain that was ranked last */
};

static int compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	for (int i = 0; i < KEYS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

/*
 * The domains from the smallest to the largest. Which of LLC and NUMA node holds the other depends
 * on the machine: several LLCs in a node (AMD), or several nodes under one LLC (Intel's sub-NUMA
 * clusters).
 */
struct domains {
	unsigned inner, outer, package;
};

static struct domains domains(const struct sd_topology *t, const struct sd_pu *pu)
{
	if (t->n_llc < t->n_numa)
		return (struct domains){pu->numa, pu->llc, pu->package};
	return (struct domains){pu->llc, pu->numa, pu->package};
}

/* Fast core kinds have large numbers; they sort first. */
static unsigned slowness(const struct sd_pu *pu)
{
	return UINT_MAX - pu->kind;
}

static void order_compact(const struct sd_topology *t, struct slot *slot)
{
	for (size_t i = 0; i < t->n_pu; i++) {
		const struct sd_pu *pu = slot[i].pu;
		const struct domains d = domains(t, pu);
		const unsigned key[KEYS] = {
			pu->smt_rank, slowness(pu), d.package, d.outer, d.inner, pu->core, pu->os};

		memcpy(slot[i].key, key, sizeof key);
	}
	qsort(slot, t->n_pu, sizeof *slot, compare);
}

static void order_smt(const struct sd_topology *t, struct slot *slot)
{
	for (size_t i = 0; i < t->n_pu; i++) {
		const struct sd_pu *pu = slot[i].pu;
		const struct domains d = domains(t, pu);
		const unsigned key[KEYS] = {
			slowness(pu), d.package, d.outer, d.inner, pu->core, pu->smt_rank, pu->os};

		memcpy(slot[i].key, key, sizeof key);
	}
	qsort(slot, t->n_pu, sizeof *slot, compare);
}

/*
 * Round robin from the inside out: first the PUs of each smallest domain are numbered, then those
 * of the next larger domain by alternating between its children, and so on. Ranks restart for each
 * SMT rank and core kind.
 */
static void order_spread(const struct sd_topology *t, struct slot *slot)
{
	for (int level = 0; level <= 3; level++) {
		for (size_t i = 0; i < t->n_pu; i++) {
			const struct sd_pu *pu = slot[i].pu;
			const struct domains d = domains(t, pu);
			const unsigned up[] = {pu->core, d.inner, d.outer, d.package, 0};
			const unsigned key[KEYS] = {pu->smt_rank, slowness(pu), up[level + 1],
				slot[i].rank, up[level], pu->os};

			memcpy(slot[i].key, key, sizeof key);
		}
		qsort(slot, t->n_pu, sizeof *slot, compare);
		for (size_t i = 0; i < t->n_pu; i++) {
			const int same = i && memcmp(slot[i].key, slot[i - 1].key,
						      3 * sizeof *slot->key) == 0;

			slot[i].rank = same ? slot[i - 1].rank + 1 : 0;
		}
	}
}

static void (*const order[])(const struct sd_topology *t, struct slot *slot) = {
	[SD_PLACEMENT_COMPACT] = order_compact,
	[SD_PLACEMENT_SPREAD] = order_spread,
	[SD_PLACEMENT_SMT] = order_smt,
};

int sd_placement_of(const struct sd_topology *t, enum sd_placement placement, unsigned n,
	struct sd_cpulist *out)
{
	struct slot *slot;
	int rc = 0;

	*out = (struct sd_cpulist){0};
	if (n == 0 || n > t->n_pu)
		return -EINVAL;
	slot = calloc(t->n_pu, sizeof *slot);
	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_pu; i++)
		slot[i].pu = &t->pu[i];
	order[placement](t, slot);
	for (unsigned i = 0; i < n && !rc; i++)
		rc = sd_cpulist_add(out, slot[i].pu->os);
	free(slot);
	if (rc)
		sd_cpulist_free(out);
	return rc;
}
