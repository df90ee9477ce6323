#include "outlook.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* From where on doubling gains less than a tenth, as far as it was measured or can be said. */
static void put_paying(FILE *f, const struct sd_outlook *o)
{
	if (o->stops_high)
		fprintf(f, "From %u core%s on, twice the cores gain less than 10 %%", o->stops_high,
			plural(o->stops_high));
	else if (o->stops)
		fprintf(f, "From %u core%s on, twice the cores probably gain less than 10 %%",
			o->stops, plural(o->stops));
	else if (o->stops_low)
		fprintf(f,
			"Undecided whether from %u core%s on twice the cores gain less than 10 %%",
			o->stops_low, plural(o->stops_low));
	else
		fprintf(f, "Doubling %u core%s still gains 10 %% or more", o->stops_known,
			plural(o->stops_known));
	if (o->stops_high && o->stops_low && o->stops_low < o->stops_high)
		fprintf(f, " (perhaps from %u on)", o->stops_low);
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
			fprintf(f, "A run at %u cores would tell most.", o->next_run);
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	while (size > 0 && text[size - 1] == ' ')
		text[--size] = '\0';
	return text;
}
