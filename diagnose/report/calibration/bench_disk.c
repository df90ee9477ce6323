#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

/* What the data passed through, in words. */
static const struct {
	const char *word, *name;
} paths[] = {
	{"direct", "past the page cache"},
	{"page-cache", "through the page cache"},
	{"memory", "a file system in memory: no disk"},
};

static void put_op(struct sd_table *t, const struct sd_profile *p, const char *op)
{
	const struct sd_bench_row *r =
		sd_bench_row_of(p, "disk", 0, SD_PICK_ANY_STATE, "op=%s", op);
	char block[SD_BENCH_WORD] = "";

	if (!r || !sd_bench_has(r))
		return;
	sd_bench_row_key(r, "block", block, sizeof block);
	sd_table_line(t, "%s", op);
	sd_table_text(t, "%s", block);
	sd_table_text(t, "%s", r->unit);
	sd_table_value(t, r, SD_SCALE_PLAIN);
}

static void put_path(struct sd_page *g, const struct sd_profile *p)
{
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const struct sd_bench_row *r =
			sd_bench_row_of(p, "disk", 0, SD_PICK_ANY_STATE, "path=%s", paths[i].word);

		if (r && sd_bench_has(r))
			sd_page_put(g, SD_TONE_DIM, "  %s\n", paths[i].name);
	}
}

void sd_bench_section_disk(struct sd_page *g, const struct sd_profile *p, int all)
{
	char op[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = sd_bench_words(p, "disk", "op", op, SD_BENCH_WORDS);
	struct sd_table t;

	sd_table_begin(&t, g, "Disk: sequential transfer, and how long data take to be safe");
	sd_table_column(&t, "", "%s", "");
	sd_table_column(&t, "", "block");
	sd_table_column(&t, "", "unit");
	sd_table_column(&t, "", "median");
	for (size_t i = 0; i < n; i++)
		put_op(&t, p, op[i]);
	if (sd_table_end(&t) > 0)
		put_path(g, p);
	else if (n > 0)
		sd_page_put(g, SD_TONE_BOLD, "\nDisk\n");
	sd_bench_section_end(g, p, "disk", all);
}
