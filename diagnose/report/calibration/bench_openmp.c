#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

static const struct {
	const char *words, *name;
	enum sd_scale scale;
} constructs[] = {
	{"construct=barrier quantity=time", "barrier", SD_SCALE_MICRO},
	{"construct=parallel-for quantity=time", "parallel for", SD_SCALE_MICRO},
	{"construct=reduction quantity=time", "reduction", SD_SCALE_MICRO},
	{"construct=barrier quantity=sleeps", "sleeps a barrier", SD_SCALE_PLAIN},
};

static void put_constructs(struct sd_table *t, const struct sd_profile *p, int state,
	unsigned cores, char wait[][SD_BENCH_WORD], size_t n_wait)
{
	for (size_t c = 0; c < sizeof constructs / sizeof *constructs; c++) {
		char text[24];

		sd_bench_cores(cores, text, sizeof text);
		sd_table_line(t, "%s, %s", constructs[c].name, text);
		for (size_t w = 0; w < n_wait; w++)
			sd_table_value(t,
				sd_bench_row_of(p, "openmp", cores, state, "wait=%s %s", wait[w],
					constructs[c].words),
				constructs[c].scale);
	}
}

void sd_bench_section_openmp(struct sd_page *g, const struct sd_profile *p, int all)
{
	char wait[SD_BENCH_WORDS][SD_BENCH_WORD];
	unsigned count[SD_BENCH_COUNTS];
	const size_t n = sd_profile_counts(p, "openmp", count, SD_BENCH_COUNTS),
		     n_wait = sd_bench_words(p, "openmp", "wait", wait, SD_BENCH_WORDS);

	for (unsigned s = 0; n > 0 && s < sd_bench_states(p); s++) {
		struct sd_table t;

		sd_table_begin(&t, g, "OpenMP: us a construct, by how threads wait%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "%s", "");
		for (size_t w = 0; w < n_wait; w++)
			sd_table_column(&t, "", "%s", wait[w]);
		for (size_t i = 0; i < n; i++)
			put_constructs(&t, p, sd_bench_state(p, s), count[i], wait, n_wait);
		sd_table_end(&t);
	}
	sd_bench_section_end(g, p, "openmp", all);
}
