#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/page.h"
#include "view/view_parts.h"

/* 1, 2, 4, … and all that were granted: nobody has to say so. */
static int are_usual(const struct sd_plan *p, unsigned granted)
{
	unsigned expected = 1;

	for (size_t i = 0; i < p->n_point; i++, expected *= 2)
		if (p->point[i].simulated ||
			p->point[i].cores != (expected < granted ? expected : granted))
			return 0;
	return p->n_point > 0 && p->point[p->n_point - 1].cores == granted;
}

static void put_counts(FILE *f, const struct sd_record *r)
{
	const struct sd_plan *const p = &r->plan;

	/* of ranks, or a table's rows */
	if (p->n_point == 0 || p->point[0].shape.ranks || are_usual(p, r->host.granted))
		return;
	for (size_t i = 0; i < p->n_point; i++)
		fprintf(f, "%s%u", i ? "," : "--cores ", p->point[i].cores);
	fputc(' ', f);
}

/* "--prepare 'make clean' "; of none nothing. */
static int put_value(FILE *f, const char *option, const char *value)
{
	char *const word = value ? sd_page_word(value) : NULL;

	if (word)
		fprintf(f, "%s %s ", option, word);
	free(word);
	return value && !word ? -ENOMEM : 0;
}

char *sd_view_again(const struct sd_record *r, const char *command)
{
	const struct sd_program *const p = &r->program;
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	int rc = 0;

	if (!f)
		return NULL;
	if (!p->attached) {
		put_counts(f, r);
		if (p->scaling == SD_SCALING_WEAK)
			fputs("--weak ", f);
		if (p->no_env)
			fputs("--no-env ", f);
		for (size_t i = 0; i < p->env.n; i++)
			rc |= put_value(f, "--env", p->env.text[i]);
		rc |= put_value(f, "--prepare", p->prepare);
		rc |= put_value(f, "--rate", p->rate);
		rc |= put_value(f, "--region", p->region);
		rc |= put_value(f, "--latency", p->latency);
	}
	fputs(command, f);
	if (fclose(f) == 0 && !rc)
		return text;
	free(text);
	return NULL;
}
