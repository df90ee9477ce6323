#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "calibration/bench_points.h"

#define PLOT_COLUMNS 64u
#define PLOT_ROWS 8u
#define CURVES 2u

static void collect(struct sd_points *c, const struct sd_profile *p, const char *words)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, "tlb") == 0 && sd_bench_row_has(r) &&
			sd_bench_row_words(r, words)) {
			c->x[c->n] = r->parameter;
			c->y[c->n++] = r->median;
		}
	}
}

void sd_bench_plot_tlb(struct sd_page *g, const struct sd_profile *p, int state, size_t shown)
{
	static const char mark[CURVES] = {'o', '*'};
	char pages[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = sd_bench_words(p, "tlb", "pages", pages, SD_BENCH_WORDS);
	struct sd_points c[CURVES] = {{0}};
	struct sd_plot plot = {.x_label = "pages",
		.y_label = "loads of the first cache",
		.log_x = 1,
		.columns = PLOT_COLUMNS,
		.rows = PLOT_ROWS};

	(void)state, (void)shown;
	for (size_t i = 0; i < CURVES && i < n; i++) {
		char words[SD_BENCH_WORD + 32];

		snprintf(words, sizeof words, "pages=%.*s access=extra/first-cache",
			SD_BENCH_WORD - 1, pages[i]);
		if (sd_points_open(&c[i], p)) {
			collect(&c[i], p, words);
			sd_points_draw(&c[i], &plot, i, mark[i], pages[i]);
		}
	}
	if (n)
		sd_plot_draw(g, &plot);
	for (size_t i = 0; i < CURVES; i++)
		sd_points_free(&c[i]);
}
