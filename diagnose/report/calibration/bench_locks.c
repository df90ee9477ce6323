#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

/* The section lengths that the report shows; --format csv has all. */
static const struct {
	const char *words, *name;
	int cost; /* what an uncontended lock costs is measured with these */
} loads[] = {
	{"inside=0ns outside=0ns", "nothing inside or outside", 1},
	{"inside=100ns outside=400ns", "100 ns inside, 400 ns outside", 0},
};

static void put_columns(
	struct sd_table *t, size_t load, const unsigned *count, size_t n, unsigned most)
{
	sd_table_column(t, "", "%s", "");
	if (loads[load].cost)
		sd_table_column(t, "alone", "ns");
	for (size_t i = 0; i < n; i++)
		sd_table_column(t, i == 0 ? "threads" : "", "%u", count[i]);
	if (most > 1)
		sd_table_column(t, "min/max", "%u", most);
}

static void put_lock(struct sd_table *t, const struct sd_profile *p, const char *lock, size_t load,
	int state, const unsigned *count, size_t n)
{
	const unsigned most = count[n - 1];

	sd_table_line(t, "%s", lock);
	if (loads[load].cost)
		sd_table_value(t,
			sd_bench_row_of(p, "locks", 1, state, "lock=%s quantity=cost %s", lock,
				loads[load].words),
			SD_SCALE_PLAIN);
	for (size_t i = 0; i < n; i++)
		sd_table_value(t,
			sd_bench_row_of(p, "locks", count[i], state,
				"lock=%s quantity=throughput %s", lock, loads[load].words),
			SD_SCALE_MEGA);
	if (most > 1)
		sd_table_value(t,
			sd_bench_row_of(p, "locks", most, state, "lock=%s quantity=min/max %s",
				lock, loads[load].words),
			SD_SCALE_PLAIN);
}

void sd_bench_section_locks(struct sd_page *g, const struct sd_profile *p, int all)
{
	char lock[SD_BENCH_WORDS][SD_BENCH_WORD];
	unsigned count[SD_BENCH_COUNTS];
	const size_t n = sd_profile_counts(p, "locks", count, SD_BENCH_COUNTS),
		     n_lock = sd_bench_words(p, "locks", "lock", lock, SD_BENCH_WORDS);
	size_t shown = 0;

	for (unsigned s = 0; n > 0 && s < sd_bench_states(p); s++)
		for (size_t load = 0; load < sizeof loads / sizeof *loads; load++) {
			struct sd_table t;

			sd_table_begin(&t, g,
				"Locks: million acquisitions a second over threads, %s%s",
				loads[load].name, sd_bench_state_title(p, s));
			put_columns(&t, load, count, n, count[n - 1]);
			for (size_t i = 0; i < n_lock; i++)
				put_lock(&t, p, lock[i], load, sd_bench_state(p, s), count, n);
			shown += sd_table_end(&t);
		}
	if (shown > 0)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"min/max: the slowest thread's share of the fastest one's; 1 is fair");
	sd_bench_section_end(g, p, "locks", all);
}
