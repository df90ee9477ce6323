#include "wording/outlook.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Whether twice the cores gain a tenth, as far as it was measured or can be said. */
static void put_paying(FILE *f, const struct sd_outlook *o)
{
	const unsigned stops = o->stops_high ? o->stops_high : o->stops ? o->stops : o->stops_low;
	const char *const verb = stops == 1 ? "does" : "do";

	if (o->stops_high)
		fprintf(f, "More than %u core%s %s not pay: %u are less than 10 %% faster", stops,
			plural(stops), verb, 2 * stops);
	else if (o->stops)
		fprintf(f,
			"More than %u core%s probably %s not pay: %u seem less than 10 %% faster",
			stops, plural(stops), verb, 2 * stops);
	else if (o->stops_low)
		fprintf(f,
			"Whether more than %u core%s pay%s, these runs do not show: %u may be 10 "
			"%% faster or not",
			stops, plural(stops), stops == 1 ? "s" : "", 2 * stops);
	else
		fprintf(f,
			"More cores pay as far as was measured: %u are at least 10 %% faster "
			"than %u",
			2 * o->stops_known, o->stops_known);
	if (o->stops_high && o->stops_low && o->stops_low < o->stops_high)
		fprintf(f, " (perhaps more than %u %s not pay either)", o->stops_low,
			o->stops_low == 1 ? "does" : "do");
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

char *sd_outlook(const struct sd_analysis *a)
{
	const struct sd_outlook *o = &a->outlook;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (a->n_point > 1 && o->last) {
		if (o->stops_known && !(o->stops_high == o->last && o->n_count))
			put_paying(f, o);
		fprintf(f, "Past %u core%s: ", o->last, plural(o->last));
		if (o->stops_high == o->last && o->n_count)
			fputs("no gain expected; ", f);
		if (o->refused)
			fprintf(f, "not predictable: %s. ", o->refused);
		else
			put_counts(f, o);
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
