#include "write/encode_layout.h"
#include "write/encode_struct.h"

#include <errno.h>
#include <math.h>

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
	int rc;

	if (!l->n_pu && !l->pairs.n && !l->n_loaded)
		return 0;
	fputs("\"layout\":{\"cpus\":", f);
	rc = sd_encode_struct_list(f, &sd_fields_pu, l->pu, l->n_pu, sizeof *l->pu, ",");
	if (l->pairs.n)
		put_pairs(f, &l->pairs);
	if (l->n_loaded)
		put_loaded(f, l);
	fputs("},\n", f);
	return !rc && ferror(f) ? -EIO : rc;
}
