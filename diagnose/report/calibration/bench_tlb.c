#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "calibration/bench_points.h"
#include "calibration/bench_table.h"

#define PLOT_COLUMNS 64u
#define PLOT_ROWS 8u
#define CURVES 2u

/* A core's TLB knows nothing of the machine's state: rows of any are picked. */
static const struct sd_bench_row *pick(
	const struct sd_profile *p, const char *pages, const char *level, const char *quantity)
{
	return sd_bench_row_of(p, "tlb", 0, SD_PICK_ANY_STATE, "pages=%s level=%s quantity=%s",
		pages, level, quantity);
}

static void put_levels(
	struct sd_page *g, const struct sd_profile *p, char pages[][SD_BENCH_WORD], size_t n_pages)
{
	char level[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n_level = sd_bench_words(p, "tlb", "level", level, SD_BENCH_WORDS);
	struct sd_table t;

	sd_table_begin(&t, g, "Data TLB: entries of each level, and ns that a miss of it adds");
	sd_table_column(&t, "", "pages");
	sd_table_column(&t, "", "level");
	sd_table_column(&t, "", "entries");
	sd_table_column(&t, "", "miss, ns");
	for (size_t i = 0; i < n_pages; i++)
		for (size_t k = 0; k < n_level; k++) {
			const struct sd_bench_row *reach = pick(p, pages[i], level[k], "reach");

			if (!reach || !sd_bench_has(reach))
				continue;
			sd_table_line(&t, "%s", pages[i]);
			sd_table_text(&t, "%s", level[k]);
			sd_table_value(&t, reach, SD_SCALE_WHOLE);
			sd_table_value(&t, pick(p, pages[i], level[k], "miss"), SD_SCALE_PLAIN);
		}
	if (sd_table_end(&t) == 0)
		sd_page_put(g, SD_TONE_BOLD, "\nData TLB\n");
}

static void collect(struct sd_points *c, const struct sd_profile *p, const char *words)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, "tlb") == 0 && sd_bench_has(r) &&
			sd_bench_row_words(r, words)) {
			c->x[c->n] = r->parameter;
			c->y[c->n++] = r->median;
		}
	}
}

static void put_plot(
	struct sd_page *g, const struct sd_profile *p, char pages[][SD_BENCH_WORD], size_t n_pages)
{
	static const char mark[CURVES] = {'o', '*'};
	struct sd_points c[CURVES] = {{0}};
	struct sd_plot plot = {.x_label = "pages",
		.y_label = "loads of the first cache",
		.log_x = 1,
		.columns = PLOT_COLUMNS,
		.rows = PLOT_ROWS};

	for (size_t i = 0; i < CURVES && i < n_pages; i++) {
		char words[SD_BENCH_WORD + 32];

		snprintf(words, sizeof words, "pages=%.*s access=extra/first-cache",
			SD_BENCH_WORD - 1, pages[i]);
		if (sd_points_open(&c[i], p)) {
			collect(&c[i], p, words);
			sd_points_draw(&c[i], &plot, i, mark[i], pages[i]);
		}
	}
	sd_plot_draw(g, &plot);
	for (size_t i = 0; i < CURVES; i++)
		sd_points_free(&c[i]);
}

void sd_bench_section_tlb(struct sd_page *g, const struct sd_profile *p, int all)
{
	char pages[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = sd_bench_words(p, "tlb", "pages", pages, SD_BENCH_WORDS);

	if (n == 0)
		return;
	put_levels(g, p, pages, n);
	put_plot(g, p, pages, n);
	sd_bench_section_end(g, p, "tlb", all);
}
