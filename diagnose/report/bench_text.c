#include "bench_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "bench_sections.h"

/* Kernels that have a section of their own; the others are shown row by row. */
static const char *const pictured[] = {"ceiling", "bandwidth", "triad", "copy", "scale", "add",
	"read", "write", "latency", "loaded"};

static int is_pictured(const char *kernel)
{
	for (size_t i = 0; i < sizeof pictured / sizeof *pictured; i++)
		if (strcmp(pictured[i], kernel) == 0)
			return 1;
	return 0;
}

void sd_bench_number(double v, char *out, size_t size)
{
	const double a = fabs(v);

	if (a >= 1e9)
		snprintf(out, size, "%.3gG", v / 1e9);
	else if (a >= 1e6)
		snprintf(out, size, "%.3gM", v / 1e6);
	else if (a >= 1e4)
		snprintf(out, size, "%.3gk", v / 1e3);
	else
		snprintf(out, size, "%.*f", a >= 100 ? 0 : a >= 10 ? 1 : 2, v);
}

int sd_bench_has(const struct sd_bench_row *r)
{
	const enum sd_status s = sd_bench_row_value(r).status;

	return s == SD_STATUS_OK || s == SD_STATUS_NOISY;
}

/* Is row i the first of its kernel? */
static int is_first(const struct sd_bench_rows *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(rows->row[k].kernel, rows->row[i].kernel) == 0)
			return 0;
	return 1;
}

int sd_bench_text(FILE *f, const struct sd_profile *p, int all, const struct sd_report_style *s)
{
	struct sd_page g;

	sd_page_begin(&g, f, s);
	sd_bench_section_head(&g, p);
	sd_bench_section_bandwidth(&g, p, all);
	sd_bench_section_latency(&g, p, all);
	sd_bench_section_loaded(&g, p, all);
	for (size_t i = 0; i < p->rows.n; i++)
		if (is_first(&p->rows, i) && !is_pictured(p->rows.row[i].kernel)) {
			if (strcmp(p->rows.row[i].kernel, "transfer") == 0)
				sd_bench_section_pairs(&g, p);
			sd_bench_section_rows(&g, p, p->rows.row[i].kernel, all);
		}
	return sd_page_end(&g);
}
