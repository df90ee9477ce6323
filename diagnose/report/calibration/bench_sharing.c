#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

/* The kernel's words, and how they are called here. */
static const struct {
	const char *words, *name;
} lines[] = {
	{"op=increment layout=one-line", "counter++, on one line"},
	{"op=increment layout=neighbour-lines", "on neighbouring lines"},
	{"op=increment layout=padded", "padded"},
	{"op=increment layout=one-line/padded", "one line / padded"},
	{"op=atomic-add layout=one-line", "atomic add, on one line"},
	{"op=atomic-add layout=neighbour-lines", "on neighbouring lines"},
	{"op=atomic-add layout=padded", "padded"},
	{"op=atomic-add layout=one-line/padded", "one line / padded"},
};

static void put_line(struct sd_table *t, const struct sd_profile *p, size_t line, int state,
	const unsigned *count, size_t n)
{
	const struct sd_bench_row *any =
		sd_bench_row_of(p, "sharing", 0, state, "%s", lines[line].words);

	sd_table_line(t, "%s", lines[line].name);
	sd_table_text(t, "%s", any ? any->unit : "");
	for (size_t i = 0; i < n; i++)
		sd_table_value(t,
			sd_bench_row_of(p, "sharing", count[i], state, "%s", lines[line].words),
			SD_SCALE_PLAIN);
}

void sd_bench_section_sharing(struct sd_page *g, const struct sd_profile *p, int all)
{
	unsigned count[SD_BENCH_COUNTS];
	const size_t n = sd_profile_counts(p, "sharing", count, SD_BENCH_COUNTS);

	for (unsigned s = 0; n > 0 && s < sd_bench_states(p); s++) {
		struct sd_table t;

		sd_table_begin(&t, g, "False sharing: an increment of the thread's own counter%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "counters");
		sd_table_column(&t, "", "unit");
		for (size_t i = 0; i < n; i++) {
			char cores[24];

			sd_bench_cores(count[i], cores, sizeof cores);
			sd_table_column(&t, "", "%s", cores);
		}
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			put_line(&t, p, i, sd_bench_state(p, s), count, n);
		sd_table_end(&t);
	}
	sd_bench_section_end(g, p, "sharing", all);
}
