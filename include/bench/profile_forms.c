#include "bench/profile_forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/profile_pick.h"

static int is_bandwidth(const struct sd_bench_row *r)
{
	return strcmp(r->unit, "GB/s") == 0 && strcmp(r->kernel, "ceiling") != 0;
}

/* "2MiB" as a number; names of pages are made by this tool. */
static double bytes_of(const char *pages)
{
	char *unit;
	const double n = strtod(pages, &unit);

	return n * (*unit == 'M' ? 1024 * 1024 : *unit == 'K' ? 1024 : 1);
}

/* The largest pages are the usual ones, the smallest the others. */
static void find_pages(const struct sd_profile *p, struct sd_form_words *w)
{
	char word[sizeof w->usual];

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (!is_bandwidth(r) || sd_bench_row_key(r, "team", word, sizeof word) ||
			sd_bench_row_key(r, "pages", word, sizeof word))
			continue;
		if (!w->usual[0] || bytes_of(word) > bytes_of(w->usual))
			memcpy(w->usual, word, sizeof word);
		if (!w->other[0] || bytes_of(word) < bytes_of(w->other))
			memcpy(w->other, word, sizeof word);
	}
}

struct sd_form_words sd_form_words(const struct sd_profile *p, enum sd_form form)
{
	struct sd_form_words w = {.key = "pages"};

	if (form == SD_FORM_TEAM)
		return (struct sd_form_words){"team", "threads", "processes"};
	if (form == SD_FORM_PLACE)
		return (struct sd_form_words){"place", "compact", "spread"};
	find_pages(p, &w);
	if (strcmp(w.usual, w.other) == 0)
		w.other[0] = '\0';
	return w;
}

/* The fastest row of the loop with these words beside the usual ones of every other form. */
static const struct sd_bench_row *fastest(const struct sd_profile *p, const struct sd_loop *loop,
	enum sd_form form, const char *form_word, const char *isa)
{
	const char *word[SD_FORM_COUNT];
	struct sd_form_words w[SD_FORM_COUNT];
	char words[160];
	const struct sd_pick_query q = {.kernel = loop->op,
		.words = words,
		.unit = "GB/s",
		.cores = loop->cores,
		.state = loop->state,
		.pick = SD_PICK_MOST};
	const struct sd_bench_row *r;

	for (int f = 0; f < SD_FORM_COUNT; f++) {
		w[f] = sd_form_words(p, (enum sd_form)f);
		word[f] = f == (int)form ? form_word : w[f].usual;
	}
	snprintf(words, sizeof words, "team=%s pages=%s place=%s stores=%s bytes=counted%s%s",
		word[SD_FORM_TEAM], word[SD_FORM_PAGES], word[SD_FORM_PLACE], loop->stores,
		isa ? " isa=" : "", isa ? isa : "");
	r = sd_profile_pick(p, &q);
	return r && sd_bench_row_has(r) ? r : NULL;
}

static struct sd_bench_row ratio_of(
	const struct sd_bench_row *usual, const struct sd_bench_row *other)
{
	struct sd_bench_row r = {.kernel = other->kernel,
		.cores = other->cores,
		.unit = "ratio",
		.parameter_unit = "",
		.state = other->state,
		.n = usual->n < other->n ? usual->n : other->n,
		.median = other->median / usual->median,
		.q1 = other->q1 / usual->q3,
		.q3 = other->q3 / usual->q1,
		.low = other->low / usual->high,
		.high = other->high / usual->low,
		.status = usual->status == SD_STATUS_NOISY ? usual->status : other->status};

	memcpy(r.variant, other->variant, sizeof r.variant);
	return r;
}

int sd_form_pair(const struct sd_profile *p, const struct sd_loop *loop, enum sd_form form,
	struct sd_form_pair *out)
{
	const struct sd_form_words w = sd_form_words(p, form);
	char isa[16] = "";

	*out = (struct sd_form_pair){
		.other = w.other[0] ? fastest(p, loop, form, w.other, NULL) : NULL};
	if (!out->other)
		return 0;
	if (sd_bench_row_key(out->other, "isa", isa, sizeof isa) == 0)
		out->usual = fastest(p, loop, form, w.usual, isa);
	if (!out->usual)
		out->usual = fastest(p, loop, form, w.usual, NULL);
	if (!out->usual || !(out->usual->low > 0))
		return 0;
	out->ratio = ratio_of(out->usual, out->other);
	return 1;
}

/* Was anything tried on a team, so that a form could have been? */
static const struct sd_bench_row *tried(
	const struct sd_profile *p, const char *words, int with_number)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (is_bandwidth(r) && sd_bench_row_words(r, words) &&
			sd_bench_row_has(r) == with_number)
			return r;
	}
	return NULL;
}

const char *sd_form_why(const struct sd_profile *p, enum sd_form form)
{
	const struct sd_form_words w = sd_form_words(p, form);
	const struct sd_bench_row *missing = NULL;
	char usual[32], other[32];

	snprintf(usual, sizeof usual, "%s=%s", w.key, w.usual);
	snprintf(other, sizeof other, "%s=%s", w.key, w.other);
	if (w.other[0])
		missing = tried(p, other, 0);
	if (!missing && !tried(p, usual, 1))
		missing = tried(p, usual, 0);
	if (w.other[0] && tried(p, other, 1) && tried(p, usual, 1))
		return "no loop was seen in both of them in one state of the machine";
	if (missing && missing->why[0])
		return missing->why;
	/* what is spread is left out where it would be the cores that are side by side */
	if (form == SD_FORM_PLACE)
		return "they are the same cores here, at every count that was measured";
	return p->quick ? "a quick calibration measures one of them only"
			: "one of them was not tried";
}
