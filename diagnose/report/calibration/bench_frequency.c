#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

static const struct {
	const char *quantity, *over, *head;
} columns[] = {
	{"time", "", "ns an add"},
	{"clock/alone", "clock, by that of", "one core alone"},
};

void sd_bench_section_frequency(struct sd_page *g, const struct sd_profile *p, int all)
{
	unsigned count[SD_BENCH_COUNTS];
	const size_t n = sd_profile_counts(p, "frequency", count, SD_BENCH_COUNTS);

	for (unsigned s = 0; n > 0 && s < sd_bench_states(p); s++) {
		struct sd_table t;

		sd_table_begin(&t, g, "Clock: a chain of additions, one core cycle each%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "busy");
		for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
			sd_table_column(&t, columns[c].over, "%s", columns[c].head);
		for (size_t i = 0; i < n; i++) {
			char cores[24];

			sd_bench_cores(count[i], cores, sizeof cores);
			sd_table_line(&t, "%s", cores);
			for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
				sd_table_value(&t,
					sd_bench_row_of(p, "frequency", count[i],
						sd_bench_state(p, s), "quantity=%s",
						columns[c].quantity),
					SD_SCALE_PLAIN);
		}
		sd_table_end(&t);
	}
	sd_bench_section_end(g, p, "frequency", all);
}
