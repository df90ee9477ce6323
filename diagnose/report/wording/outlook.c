#include "wording/outlook.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/sanitize.h"

/* Share of a pipeline's time in one thread: above it the others wait for that one. */
#define LONGEST .5

/* A limit below this share of the cores is told at once. */
#define ALLOWED .8

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Is every other count surely slower than the smallest? */
static int all_slower(const struct sd_analysis *a)
{
	for (size_t i = 1; i < a->n_point; i++)
		if (!sd_status_bounded(a->point[i].speedup) || a->point[i].speedup.high >= 1)
			return 0;
	return a->n_point > 1;
}

/* Whether twice the cores gain a tenth, as far as it was measured or can be said. */
static void put_paying(FILE *f, const struct sd_analysis *a)
{
	const struct sd_outlook *const o = &a->outlook;

	if (all_slower(a))
		fprintf(f, "Use %u core%s: more make it slower", a->point[0].cores,
			plural(a->point[0].cores));
	else if (o->stops_high)
		fprintf(f, "Use at most %u core%s: twice as many are less than 10 %% faster",
			o->stops_high, plural(o->stops_high));
	else if (o->stops)
		fprintf(f,
			"More than %u core%s: probably not worth it, %u seem less than 10 %% faster",
			o->stops, plural(o->stops), 2 * o->stops);
	else if (o->stops_low)
		fprintf(f, "Whether more than %u core%s pay is open: %u may be 10 %% faster or not",
			o->stops_low, plural(o->stops_low), 2 * o->stops_low);
	else
		fprintf(f, "Still worth adding cores at %u, the largest count measured",
			2 * o->stops_known);
	if (o->stops_high && o->stops_low && o->stops_low < o->stops_high)
		fprintf(f, " (perhaps no more than %u)", o->stops_low);
	fputs(". ", f);
}

static void put_counts(FILE *f, const struct sd_outlook *o)
{
	const char *between = "";
	int beyond = 0;

	for (size_t i = 0; i < o->n_count; i++) {
		const struct sd_predicted *p = &o->count[i];

		fputs(between, f);
		between = "; ";
		if (p->refused)
			fputs(p->refused, f);
		else
			fprintf(f, "%u cores %.2g-%.2gx", p->cores, p->speedup.low,
				p->speedup.high);
		beyond |= p->beyond;
	}
	if (beyond)
		fputs(", if the machine had more of the same CPUs", f);
	fputs(". ", f);
}

static void put_forecast(FILE *f, const struct sd_outlook *o)
{
	fprintf(f, "Forecast beyond %u core%s: ", o->last, plural(o->last));
	if (o->stops_high == o->last && o->n_count)
		fputs("no gain expected; ", f);
	put_counts(f, o);
}

/* No pipeline is faster than its slowest stage. */
static void put_stage(FILE *f, const struct sd_busiest_threads *t)
{
	char *const name = t->n_row && t->row[0].stages ? sd_sanitize(t->row[0].name) : NULL;

	if (name && t->row[0].share > LONGEST)
		fprintf(f, "Of the pipeline, stage %u of %u (%s) takes %.0f %% of the time. ",
			t->row[0].stage, t->row[0].stages, name, 100 * t->row[0].share);
	free(name);
}

/* No machine lifts this bound; one that is near the core count bounds nothing yet. */
static void put_algorithm(FILE *f, const struct sd_span_limits *l)
{
	const struct sd_interval limit = l->limit[SD_SPAN_AT_16];
	const double greedy = l->n_point ? l->point[0].greedy[SD_SPAN_AT_16].value : 0;
	const unsigned cores = sd_span_cores[SD_SPAN_AT_16];

	if (l->n_point && l->state == SD_SPAN_TOLD && sd_status_bounded(limit) &&
		limit.high < ALLOWED * cores)
		fprintf(f,
			"The algorithm allows at most %.1fx on %u cores (task span), whatever the "
			"machine; a greedy schedule reaches %.1fx. ",
			limit.value, cores, greedy);
}

char *sd_outlook(const struct sd_analysis *a)
{
	const struct sd_outlook *o = &a->outlook;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_stage(f, &a->threads);
	put_algorithm(f, &a->regions.span);
	if (a->n_point > 1 && o->last) {
		if (o->stops_known && !(o->stops_high == o->last && o->n_count))
			put_paying(f, a);
		if (o->refused)
			fprintf(f, "No forecast beyond %u core%s: %s. ", o->last, plural(o->last),
				o->refused);
		else
			put_forecast(f, o);
		if (o->next_run)
			fprintf(f, "Measuring %u cores as well would narrow this most.",
				o->next_run);
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	while (size > 0 && text[size - 1] == ' ')
		text[--size] = '\0';
	return text;
}
