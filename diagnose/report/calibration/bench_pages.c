#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

static void put_row(struct sd_table *t, const char *name, const struct sd_bench_row *r)
{
	sd_table_line(t, "%s", name);
	sd_table_text(t, "%s", r ? r->unit : "");
	sd_table_value(t, r, SD_SCALE_PLAIN);
}

void sd_bench_section_pages(struct sd_page *g, const struct sd_profile *p, int all)
{
	char pages[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = sd_bench_words(p, "pages", "pages", pages, SD_BENCH_WORDS);
	size_t shown = 0;

	for (unsigned s = 0; s < sd_bench_states(p); s++) {
		const int state = sd_bench_state(p, s);
		struct sd_table t;

		sd_table_begin(&t, g, "Pages: one load of a line in each 4 KiB of 16 MiB%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "pages");
		sd_table_column(&t, "", "unit");
		sd_table_column(&t, "", "median");
		for (size_t i = 0; i < n; i++)
			put_row(&t, pages[i],
				sd_bench_row_of(p, "pages", 0, state, "pages=%s access=line-a-4KiB",
					pages[i]));
		put_row(&t, "huge, 64 KiB apart",
			sd_bench_row_of(p, "pages", 0, state, "quantity=extra/first-cache"));
		shown += sd_table_end(&t);
	}
	if (shown > 0)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"64 KiB apart: in loads of the first cache; 1 when a TLB entry holds a "
			"huge page whole, "
			"more when the hypervisor put it on small ones");
	sd_bench_section_end(g, p, "pages", all);
}
