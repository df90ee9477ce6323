#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#define REASONS_MAX 6u

struct reason {
	const struct sd_bench_row *first;
	size_t n;
};

static const char *why(const struct sd_bench_row *r)
{
	return r->why[0] ? r->why : sd_status_name(sd_bench_row_value(r).status);
}

static void put_reason(struct sd_page *g, const struct reason *r)
{
	if (r->n == 1)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 4, "not known: %s, %u core%s: %s",
			r->first->variant, r->first->cores, r->first->cores == 1 ? "" : "s",
			why(r->first));
	else
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 4, "not known: %zu numbers: %s", r->n,
			why(r->first));
}

static void put_missing(struct sd_page *g, const struct sd_profile *p, const char *kernel)
{
	struct reason reason[REASONS_MAX];
	size_t n = 0, others = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		size_t k = 0;

		if (strcmp(r->kernel, kernel) != 0 || sd_bench_row_has(r))
			continue;
		while (k < n && strcmp(why(reason[k].first), why(r)) != 0)
			k++;
		if (k < n)
			reason[k].n++;
		else if (n < REASONS_MAX)
			reason[n++] = (struct reason){r, 1};
		else
			others++;
	}
	for (size_t i = 0; i < n; i++)
		put_reason(g, &reason[i]);
	if (others > 0)
		sd_page_put(g, SD_TONE_DOUBT, "  and %zu more for other reasons: --format csv\n",
			others);
}

void sd_bench_section_end(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all)
{
	int tried = 0;

	for (size_t i = 0; !tried && i < p->rows.n; i++)
		tried = strcmp(p->rows.row[i].kernel, kernel) == 0;
	if (!tried)
		return;
	put_missing(g, p, kernel);
	if (all)
		sd_bench_section_rows(g, p, kernel, 1);
}
