#include "calibration/bench_report.h"

#include <string.h>

#include "calibration/bench_sections.h"

/* Kernels that have a section of their own, in the order of the report; the others are shown row by
 * row. A section may be of several kernels: it stands at the last of them. */
static const struct {
	const char *kernel;
	void (*put)(struct sd_page *g, const struct sd_profile *p, int all);
} sections[] = {
	{"ceiling", NULL},
	{"triad", NULL},
	{"copy", NULL},
	{"scale", NULL},
	{"add", NULL},
	{"read", NULL},
	{"write", NULL},
	{"bandwidth", sd_bench_section_bandwidth},
	{"bandwidth", sd_bench_section_domains},
	{"bandwidth", sd_bench_section_forms},
	{"latency", sd_bench_section_latency},
	{"loaded", sd_bench_section_loaded},
	{"transfer", sd_bench_section_pairs},
	{"sharing", NULL},
	{"locks", NULL},
	{"tlb", NULL},
	{"pages", NULL},
	{"openmp", NULL},
	{"frequency", NULL},
	{"timers", NULL},
	{"disk", NULL},
};
#define TABLES 13u /* from here on tables */
#define SECTIONS (sizeof sections / sizeof *sections)

static int has_section(const char *kernel)
{
	for (size_t i = 0; i < SECTIONS; i++)
		if (strcmp(sections[i].kernel, kernel) == 0)
			return 1;
	return 0;
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
	if (!all)
		sd_bench_section_summary(&g, p);
	for (size_t i = 0; i < SECTIONS; i++)
		if (sections[i].put)
			sections[i].put(&g, p, all);
		else if (i >= TABLES)
			sd_bench_section_tables(&g, p, sections[i].kernel, all);
	for (size_t i = 0; i < p->rows.n; i++)
		if (!has_section(p->rows.row[i].kernel) && is_first(&p->rows, i))
			sd_bench_section_rows(&g, p, p->rows.row[i].kernel, all);
	return sd_page_end(&g);
}

int sd_bench_brief(
	FILE *f, const struct sd_profile *p, const char *file, const struct sd_report_style *s)
{
	struct sd_page g;

	sd_page_begin(&g, f, s);
	sd_bench_section_trust(&g, p);
	sd_page_put(
		&g, SD_TONE_BOLD, "\nThis machine's ceilings, and what they mean for a program\n");
	sd_bench_section_first_screen(&g, p);
	sd_page_wrap(&g, "\n", 0,
		"Every number: scalediag calibrate --long --read %s; charts: --html FILE",
		file ? file : "FILE");
	return sd_page_end(&g);
}
