/*
 * Counts of the software PMU, thread by thread.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lines/lines_words.h"

#define MOST_THREADS 16
#define N(table) (sizeof(table) / sizeof *(table))

struct column {
	const char *title;
	size_t offset; /* of the thread's count */
};

#define COUNT(title, member)                                  \
	{                                                     \
		title, offsetof(struct sd_sim_thread, member) \
	}
static const struct column caches[] = {COUNT("instr.", instructions), COUNT("loads", loads),
	COUNT("stores", stores), COUNT("L1 miss", l1_misses), COUNT("L2 miss", l2_misses),
	COUNT("LLC miss", llc_misses), COUNT("wr. back", write_backs)};
static const struct column coherence[] = {COUNT("HITM load", hitm_load),
	COUNT("HITM st.", hitm_store), COUNT("RFO", rfo), COUNT("upgrades", upgrades),
	COUNT("invalid.", invalidations), COUNT("DTLB miss", dtlb_misses),
	COUNT("walks", stlb_misses)};
#undef COUNT

static double count_of(const struct sd_sim_thread *t, const struct column *c)
{
	double v;

	memcpy(&v, (const char *)t + c->offset, sizeof v);
	return v;
}

/* Four digits of it. */
static const char *shorten(double v, char out[24])
{
	static const char *const unit[] = {"", " k", " M", " G", " T"};
	size_t u = 0;

	if (v < 99999.5) {
		snprintf(out, 24, "%.0f", v);
		return out;
	}
	for (; v >= 999.95 && u + 1 < N(unit); u++)
		v /= 1000;
	snprintf(out, 24, "%.4g%s", v, unit[u]);
	return out;
}

static void put_row(struct sd_page *p, const char *head, const struct column *c, size_t n,
	const struct sd_simulated *s, size_t from, size_t to)
{
	char text[24];

	sd_page_put(p, SD_TONE_PLAIN, "  %6s", head);
	for (size_t k = 0; k < n; k++) {
		double sum = 0;

		for (size_t i = from; i < to; i++)
			sum += count_of(&s->thread[i], &c[k]);
		sd_page_put(p, SD_TONE_PLAIN, " %9s", shorten(sum, text));
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_table(
	struct sd_page *p, const struct column *c, size_t n, const struct sd_simulated *s)
{
	char head[24];

	sd_page_put(p, SD_TONE_DIM, "  %6s", "thread");
	for (size_t k = 0; k < n; k++)
		sd_page_put(p, SD_TONE_DIM, " %9s", c[k].title);
	sd_page_put(p, SD_TONE_DIM, "\n");
	for (size_t i = 0; i < s->n_thread && i < MOST_THREADS; i++) {
		snprintf(head, sizeof head, "%zu", i);
		put_row(p, head, c, n, s, i, i + 1);
	}
	if (s->n_thread > MOST_THREADS)
		put_row(p, "others", c, n, s, MOST_THREADS, s->n_thread);
	if (s->n_thread > 1)
		put_row(p, "all", c, n, s, 0, s->n_thread);
}

/* How much of what was moved was of use: the paper's cacheline consumption. */
static void put_use(struct sd_page *p, const struct sd_simulated *s)
{
	double lines = 0, used = 0, once = 0;
	char a[40];

	for (size_t i = 0; i < s->n_thread; i++) {
		lines += s->thread[i].l1_misses;
		used += s->thread[i].bytes_used;
		once += s->thread[i].lines_unused;
	}
	if (lines <= 0)
		return;
	sd_page_wrap(p, "  ", 4,
		"of each of the %s lines brought into an L1, %.1f of %u bytes are used on average "
		"(%.0f %%); %.0f %% of the lines are used by one access alone",
		sd_lines_count(lines, a), fmin(used / lines, s->machine.line), s->machine.line,
		100 * fmin(1, used / lines / s->machine.line), 100 * fmin(1, once / lines));
}

/* Puts the waste that no number of cores changes. */
static void put_waste(struct sd_page *p, const struct sd_waste waste[SD_WASTE_COUNT])
{
	int any = 0;

	for (int i = 0; i < SD_WASTE_COUNT; i++) {
		if (!waste[i].found)
			continue;
		if (!any++)
			sd_page_put(p, SD_TONE_BOLD, "Waste at any number of cores\n");
		sd_page_wrap(p, "  ", 4, "%s: %s; up to %.0f %% of the modelled time",
			sd_waste_info[i].label, waste[i].text, 100 * waste[i].share);
	}
	if (any)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lines_counts(struct sd_page *p, const struct sd_contested_lines *l)
{
	const struct sd_simulated *const s = l->simulated;

	sd_page_put(p, SD_TONE_BOLD, "Counts\n");
	put_table(p, caches, N(caches), s);
	put_table(p, coherence, N(coherence), s);
	put_use(p, s);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_waste(p, l->waste);
}
