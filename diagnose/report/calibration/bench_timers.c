#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"

static const char *const columns[] = {"cost", "resolution"};

static void put_timer(struct sd_table *t, const struct sd_profile *p, const char *timer,
	const char *clock, int state)
{
	const struct sd_bench_row *any =
		sd_bench_row_of(p, "timers", 0, state, "timer=%s clock=%s", timer, clock);
	char source[SD_BENCH_WORD] = "";

	if (!any)
		return;
	sd_bench_row_key(any, "source", source, sizeof source);
	sd_table_line(t, "%s", timer);
	sd_table_text(t, "%s", clock);
	sd_table_text(t, "%s", source);
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		sd_table_value(t,
			sd_bench_row_of(p, "timers", 0, state, "timer=%s clock=%s quantity=%s",
				timer, clock, columns[c]),
			SD_SCALE_TIME);
}

static void put_rate(struct sd_page *g, const struct sd_profile *p, const char *timer, int state)
{
	const struct sd_bench_row *r =
		sd_bench_row_of(p, "timers", 0, state, "timer=%s quantity=rate", timer);
	char rate[SD_TABLE_TEXT];

	if (!r || !sd_bench_has(r))
		return;
	sd_bench_cell(r, SD_SCALE_RATE, rate, sizeof rate);
	sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2, "%s counts at %s", timer, rate);
}

void sd_bench_section_timers(struct sd_page *g, const struct sd_profile *p, int all)
{
	char timer[SD_BENCH_WORDS][SD_BENCH_WORD], clock[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n_timer = sd_bench_words(p, "timers", "timer", timer, SD_BENCH_WORDS),
		     n_clock = sd_bench_words(p, "timers", "clock", clock, SD_BENCH_WORDS);

	for (unsigned s = 0; s < sd_bench_states(p); s++) {
		struct sd_table t;

		sd_table_begin(&t, g, "Timers: what a call costs, and the smallest step it shows%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "call");
		sd_table_column(&t, "", "clock");
		sd_table_column(&t, "", "source");
		for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
			sd_table_column(&t, "", "%s", columns[c]);
		for (size_t i = 0; i < n_timer; i++)
			for (size_t k = 0; k < n_clock; k++)
				put_timer(&t, p, timer[i], clock[k], sd_bench_state(p, s));
		sd_table_end(&t);
		for (size_t i = 0; i < n_timer; i++)
			put_rate(g, p, timer[i], sd_bench_state(p, s));
	}
	sd_bench_section_end(g, p, "timers", all);
}
