#include "write/encode_layout.h"
#include "write/encode_field.h"

#include <errno.h>
#include <math.h>

static void put_pus(FILE *f, const struct sd_machine_layout *l)
{
	fputs("\"cpus\":[", f);
	for (size_t i = 0; i < l->n_pu; i++) {
		const struct sd_pu *p = &l->pu[i];

		fprintf(f, "%s[%u,%u,%u,%u,%u,%u,%u]", i ? "," : "", p->os, p->core, p->smt_rank,
			p->llc, p->numa, p->package, p->kind);
	}
	fputs("]", f);
}

/* Nine digits: more than any clock has. */
static void put_seconds(FILE *f, double v)
{
	if (isfinite(v) && v >= 0)
		fprintf(f, "%.9g", v);
	else
		fputs("null", f);
}

static void put_pairs(FILE *f, const struct sd_pairs *p)
{
	fputs(",\"pairs\":{\"cpus\":[", f);
	for (size_t i = 0; i < p->n; i++)
		fprintf(f, "%s%u", i ? "," : "", p->cpu[i]);
	fputs("],\"s\":[", f);
	for (size_t a = 1; a < p->n; a++)
		for (size_t b = 0; b < a; b++) {
			fputs(a > 1 ? "," : "", f);
			put_seconds(f, p->s[a * p->n + b]);
		}
	fputs("]}", f);
}

static void put_loaded(FILE *f, const struct sd_machine_layout *l)
{
	fputs(",\"loaded\":[", f);
	for (size_t i = 0; i < l->n_loaded; i++) {
		const struct sd_loaded *c = &l->loaded[i];

		/* one of three words, checked when read */
		fprintf(f, "%s{\"mix\":\"%s\",\"points\":[", i ? "," : "", c->mix);
		for (size_t k = 0; k < c->n; k++) {
			fprintf(f, "%s[%.9g,", k ? "," : "", c->bandwidth[k]);
			put_seconds(f, c->latency[k]);
			fputs("]", f);
		}
		fputs("]}", f);
	}
	fputs("]", f);
}

int sd_encode_layout(FILE *f, const struct sd_machine_layout *l)
{
	if (!l->n_pu && !l->pairs.n && !l->n_loaded)
		return 0;
	fputs("\"layout\":{", f);
	put_pus(f, l);
	if (l->pairs.n)
		put_pairs(f, &l->pairs);
	if (l->n_loaded)
		put_loaded(f, l);
	fputs("},\n", f);
	return ferror(f) ? -EIO : 0;
}
