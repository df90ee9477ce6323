#include "calibration/bench_sections.h"

#include "calibration/bench_table.h"
#include "bench/profile_forms.h"

static const char *const title[SD_FORM_COUNT] = {
	[SD_FORM_TEAM] = "threads and processes",
	[SD_FORM_PAGES] = "huge pages and base pages",
	[SD_FORM_PLACE] = "cores side by side and spread",
};

static const struct {
	const char *op, *stores, *name;
} loops[] = {
	{"triad", "regular", "triad"},
	{"triad", "nt", "triad nt"},
	{"copy", "regular", "copy"},
	{"copy", "nt", "copy nt"},
	{"scale", "regular", "scale"},
	{"scale", "nt", "scale nt"},
	{"add", "regular", "add"},
	{"add", "nt", "add nt"},
	{"read", "none", "read"},
	{"write", "regular", "write"},
	{"write", "nt", "write nt"},
};
#define LOOPS (sizeof loops / sizeof *loops)

/* The counts of cores that any loop has rows of, rising; without `all` the most alone. */
static size_t find_counts(const struct sd_profile *p, int all, unsigned *count)
{
	unsigned one[SD_BENCH_COUNTS];
	size_t n = 0;

	for (size_t i = 0; i < LOOPS; i++) {
		const size_t m = sd_profile_counts(p, loops[i].op, one, SD_BENCH_COUNTS);

		for (size_t k = 0; m > n && k < m; k++)
			count[k] = one[k];
		n = m > n ? m : n;
	}
	if (!all && n > 1) {
		count[0] = count[n - 1];
		n = 1;
	}
	return n;
}

/* Which forms have a pair at these cores in this state. */
static unsigned forms_of(const struct sd_profile *p, unsigned cores, int state)
{
	unsigned forms = 0;
	struct sd_form_pair pair;

	for (size_t i = 0; i < LOOPS; i++) {
		const struct sd_loop loop = {loops[i].op, loops[i].stores, cores, state};

		for (int f = 0; f < SD_FORM_COUNT; f++)
			if (sd_form_pair(p, &loop, (enum sd_form)f, &pair))
				forms |= 1u << f;
	}
	return forms;
}

static void put_loop(struct sd_table *t, const struct sd_profile *p, const struct sd_loop *loop,
	const char *name, unsigned forms)
{
	sd_table_line(t, "%s", name);
	for (int f = 0; f < SD_FORM_COUNT; f++) {
		struct sd_form_pair pair;
		int has;

		if (!(forms & 1u << f))
			continue;
		has = sd_form_pair(p, loop, (enum sd_form)f, &pair);
		sd_table_value(t, has ? pair.usual : NULL, SD_SCALE_PLAIN);
		sd_table_value(t, has ? pair.other : NULL, SD_SCALE_PLAIN);
		sd_table_value(t, has ? &pair.ratio : NULL, SD_SCALE_PLAIN);
	}
}

/* The forms that it shows. */
static unsigned put_table(struct sd_page *g, const struct sd_profile *p, unsigned cores, unsigned s)
{
	const int state = sd_bench_state(p, s);
	const unsigned forms = forms_of(p, cores, state);
	struct sd_table t;
	char count[24];

	if (forms == 0)
		return 0;
	sd_bench_cores(cores, count, sizeof count);
	sd_table_begin(&t, g, "Memory bandwidth in two forms, GB/s, %s%s", count,
		sd_bench_state_title(p, s));
	sd_table_column(&t, "", "loop");
	for (int f = 0; f < SD_FORM_COUNT; f++) {
		const struct sd_form_words w = sd_form_words(p, (enum sd_form)f);

		if (!(forms & 1u << f))
			continue;
		sd_table_column(&t, "", "%s", w.usual);
		sd_table_column(&t, "", "%s", w.other);
		sd_table_column(&t, "", "ratio");
	}
	for (size_t i = 0; i < LOOPS; i++) {
		const struct sd_loop loop = {loops[i].op, loops[i].stores, cores, state};

		put_loop(&t, p, &loop, loops[i].name, forms);
	}
	sd_table_end(&t);
	return forms;
}

void sd_bench_section_forms(struct sd_page *g, const struct sd_profile *p, int all)
{
	unsigned count[SD_BENCH_COUNTS], forms = 0;
	const size_t n = find_counts(p, all, count);

	for (unsigned s = 0; s < sd_bench_states(p); s++)
		for (size_t i = 0; i < n; i++)
			forms |= put_table(g, p, count[i], s);
	if (forms)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"threads, the largest pages and cores side by side where nothing else is said; ratio: "
			"the second form by the first, in brackets how far the quartiles of both let it go");
	for (int f = 0; n > 0 && f < SD_FORM_COUNT; f++)
		if (!(forms & 1u << f))
			sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 4, "%s are not compared: %s",
				title[f], sd_form_why(p, (enum sd_form)f));
}
