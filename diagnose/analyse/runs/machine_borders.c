#include "runs/machine_borders.h"

#include <errno.h>
#include <stdlib.h>

static const struct sd_pu *pu_of(const struct sd_machine_layout *l, unsigned os)
{
	size_t low = 0, high = l->n_pu;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->pu[middle].os < os)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n_pu && l->pu[low].os == os ? &l->pu[low] : NULL;
}

/* The resources that an unused CPU shares with the used ones. */
struct shared {
	int package, numa, llc, kind, smt;
	int all; /* with one and the same of them */
};

static struct shared compare(const struct sd_pu *pu, const struct sd_pu *const *used, size_t n)
{
	struct shared s = {0};

	for (size_t i = 0; i < n && !s.all; i++) {
		const struct sd_pu *u = used[i];
		const int package = u->package == pu->package, numa = u->numa == pu->numa,
			  llc = u->llc == pu->llc, kind = u->kind == pu->kind,
			  smt = u->smt_rank == pu->smt_rank;

		s.package |= package;
		s.numa |= numa;
		s.llc |= llc;
		s.kind |= kind;
		s.smt |= smt;
		s.all = package && numa && llc && kind && smt;
	}
	return s;
}

/* In reverse order of placement. */
static const char *name_of(const struct shared *s)
{
	if (!s->kind)
		return "another kind of core";
	if (!s->smt)
		return "SMT siblings";
	if (!s->package)
		return "another socket";
	if (!s->numa)
		return "another NUMA node";
	return "another last-level cache";
}

/* How late placement uses it: other kinds last, before them siblings, before them other domains. */
static int lateness(const struct shared *s)
{
	return 2 * !s->kind + !s->smt;
}

/* One used CPU of each sort; marks used CPUs in used_at[]. */
static size_t sorts(const struct sd_machine_layout *l, const struct sd_cpulist *cpus,
	const struct sd_pu **sort, char *used_at)
{
	size_t n = 0;

	for (size_t i = 0; i < cpus->n; i++) {
		const struct sd_pu *u = pu_of(l, cpus->cpu[i]);

		if (!u)
			continue;
		used_at[u - l->pu] = 1;
		if (!compare(u, sort, n).all)
			sort[n++] = u;
	}
	return n;
}

int sd_machine_borders_make(
	const struct sd_record *r, const struct sd_chosen *last, struct sd_reach *out)
{
	const struct sd_machine_layout *l = &r->layout;
	const struct sd_cpulist *cpus = &r->plan.point[last->plan].cpus;
	const struct sd_pu **sort = calloc(cpus->n + 1, sizeof(struct sd_pu *));
	char *used_at = calloc(l->n_pu + 1, 1);
	int rc = sort && used_at ? 0 : -ENOMEM, first = 4, domains = 0;
	size_t n, same = 0;

	*out = (struct sd_reach){.known = l->n_pu > 0 && cpus->n > 0};
	if (rc || !out->known)
		goto out;
	n = sorts(l, cpus, sort, used_at);
	for (size_t i = 0; i < l->n_pu; i++) {
		struct shared s;

		if (used_at[i])
			continue;
		s = compare(&l->pu[i], sort, n);
		same += (size_t)s.all;
		if (s.all)
			continue;
		if (lateness(&s) < first) {
			first = lateness(&s);
			out->border = name_of(&s);
		}
		domains |= s.kind && s.smt;
	}
	/* spread takes a CPU of each domain before a second one of any */
	if (r->program.placement == SD_PLACEMENT_SPREAD && domains)
		same = 0;
	out->same = last->n + (unsigned)same;
out:
	free(sort);
	free(used_at);
	return rc;
}

/* Bits of the kinds and of the SMT ranks of a point. */
static void manner(const struct sd_record *r, const struct sd_chosen *p, unsigned long *kinds,
	unsigned long *ranks)
{
	const struct sd_cpulist *cpus = &r->plan.point[p->plan].cpus;

	*kinds = *ranks = 0;
	for (size_t i = 0; i < cpus->n; i++) {
		const struct sd_pu *u = pu_of(&r->layout, cpus->cpu[i]);

		if (!u)
			continue;
		*kinds |= 1ul << (u->kind < 63 ? u->kind : 63);
		*ranks |= 1ul << (u->smt_rank < 63 ? u->smt_rank : 63);
	}
}

int sd_machine_borders_alike(
	const struct sd_record *r, const struct sd_chosen *a, const struct sd_chosen *b)
{
	unsigned long kinds[2], ranks[2];

	manner(r, a, &kinds[0], &ranks[0]);
	manner(r, b, &kinds[1], &ranks[1]);
	return !kinds[0] || !kinds[1] || (kinds[0] == kinds[1] && ranks[0] == ranks[1]);
}
