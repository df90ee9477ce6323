/* Times of a service's requests before it was looked at, meanwhile, and after. */
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "view/view_parts.h"

static void put_time(FILE *f, double s)
{
	if (s < 1e-3)
		fprintf(f, "%.3g µs", s * 1e6);
	else if (s < 1)
		fprintf(f, "%.3g ms", s * 1e3);
	else
		fprintf(f, "%.3g s", s);
}

/* The median over a point's runs. */
static struct sd_value median_of(const struct sd_record *r, size_t point)
{
	double *const all = calloc(r->n_run + 1, sizeof *all);
	struct sd_value out = SD_NOT(ABSENT);
	size_t n = 0;

	for (size_t i = 0; all && i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == point &&
			sd_has(r->run[i].metric[SD_METRIC_LATENCY_P99]))
			all[n++] = r->run[i].metric[SD_METRIC_LATENCY_P99].value;
	if (n)
		out = SD_OK(sd_statistics_median(all, n));
	free(all);
	return out;
}

static void put_counts(FILE *f, const struct sd_record *r)
{
	for (size_t p = 0; p < r->plan.n_point; p++) {
		const unsigned cores = r->plan.point[p].cores;
		const struct sd_value v = median_of(r, p);

		fputs(p ? ", " : " ", f);
		if (sd_has(v))
			put_time(f, v.value);
		else
			fputs("none ended", f);
		if (r->plan.n_point > 1)
			fprintf(f, " on %u%s", cores, p ? "" : cores == 1 ? " core" : " cores");
	}
}

int sd_view_latency(struct sd_view *v)
{
	const struct sd_program *const p = &v->r->program;
	size_t size = 0;
	FILE *f;

	if (!p->latency || !v->a->n_point)
		return 0;
	f = open_memstream(&v->latency, &size);
	if (!f)
		return -1;
	fprintf(f, "Latency: 99 %% of '%s' took at most", p->latency);
	if (sd_has(p->latency_before)) {
		fputc(' ', f);
		put_time(f, p->latency_before.value);
		fputs(" before,", f);
	}
	put_counts(f, v->r);
	if (sd_has(p->latency_after)) {
		fputs(", ", f);
		put_time(f, p->latency_after.value);
		fputs(" after its CPUs were put back", f);
	}
	fputc('.', f);
	return fclose(f) ? -1 : 0;
}
