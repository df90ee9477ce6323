#include "html/html_sections.h"

/* CPUs of a package, then of a node, then of a cache: boxes within boxes. Ids are dense from 0. */
static unsigned most(const struct sd_machine_layout *l, size_t offset)
{
	unsigned m = 0;

	for (size_t i = 0; i < l->n_pu; i++) {
		const unsigned id =
			*(const unsigned *)(const void *)((const char *)&l->pu[i] + offset);

		m = id > m ? id : m;
	}
	return m;
}

static int bound(const struct sd_record *r, unsigned cpu)
{
	const struct sd_cpulist *c = &r->plan.point[r->plan.n_point - 1].cpus;

	for (size_t i = 0; i < c->n; i++)
		if (c->cpu[i] == cpu)
			return 1;
	return 0;
}

static void put_core(FILE *f, const struct sd_record *r, const struct sd_pu *p)
{
	fprintf(f, "<span class=\"box cpu%s\" title=\"core %u, SMT rank %u, kind %u\">%u</span>",
		bound(r, p->os) ? " used" : "", p->core, p->smt_rank, p->kind, p->os);
}

static void put_cache(
	FILE *f, const struct sd_record *r, unsigned package, unsigned node, unsigned llc)
{
	const struct sd_machine_layout *l = &r->layout;
	int any = 0;

	for (size_t i = 0; i < l->n_pu; i++) {
		const struct sd_pu *p = &l->pu[i];

		if (p->package != package || p->numa != node || p->llc != llc)
			continue;
		if (!any++)
			fprintf(f, "<div class=\"box\">LLC %u<div class=\"row\">", llc);
		put_core(f, r, p);
	}
	fputs(any ? "</div></div>\n" : "", f);
}

static int holds(const struct sd_machine_layout *l, unsigned package, unsigned node)
{
	for (size_t i = 0; i < l->n_pu; i++)
		if (l->pu[i].package == package && l->pu[i].numa == node)
			return 1;
	return 0;
}

void sd_html_machine(FILE *f, const struct sd_record *r)
{
	const struct sd_machine_layout *l = &r->layout;
	const unsigned packages = most(l, offsetof(struct sd_pu, package));
	const unsigned nodes = most(l, offsetof(struct sd_pu, numa));
	const unsigned caches = most(l, offsetof(struct sd_pu, llc));

	/* as many boxes as a person can read; ids of a real machine are far fewer */
	if (!l->n_pu || packages > 63 || nodes > 255 || caches > 1023)
		return;
	fputs("<h2 id=\"machine\">The machine</h2><p class=\"soft\">Each number is a CPU; those of the largest core count are filled.</p><div class=\"machine\">\n",
		f);
	for (unsigned p = 0; p <= packages; p++) {
		fprintf(f, "<div class=\"box\">package %u<div class=\"row\">", p);
		for (unsigned n = 0; n <= nodes; n++) {
			if (!holds(l, p, n))
				continue;
			fprintf(f, "<div class=\"box\">node %u<div class=\"row\">", n);
			for (unsigned c = 0; c <= caches; c++)
				put_cache(f, r, p, n, c);
			fputs("</div></div>", f);
		}
		fputs("</div></div>\n", f);
	}
	fputs("</div>\n", f);
}
