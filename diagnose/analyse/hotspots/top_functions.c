#include "hotspots/top_functions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number with its weight: of a line, or of a function. */
struct pair {
	unsigned key;
	double weight;
};

static int by_key(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

static int by_weight(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	if (a->weight > b->weight || a->weight < b->weight)
		return a->weight > b->weight ? -1 : 1;
	return by_key(x, y);
}

/* The key with the largest sum of weights, if that exceeds `least`; else 0. */
static unsigned heaviest(struct pair *v, size_t n, double least)
{
	struct pair best = {0, least};
	double sum = 0;

	qsort(v, n, sizeof *v, by_key);
	for (size_t i = 0; i < n; i++) {
		sum = (i && v[i - 1].key == v[i].key ? sum : 0) + v[i].weight;
		if (v[i].key && sum > best.weight)
			best = (struct pair){v[i].key, sum};
	}
	return best.key;
}

static unsigned line_of(const struct sd_code_places *p, const struct sd_spot *s)
{
	return p->stacks->frame[s->frame].line;
}

static unsigned in_of(const struct sd_code_places *p, const struct sd_spot *s)
{
	(void)p;
	return s->in;
}

static unsigned from_of(const struct sd_code_places *p, const struct sd_spot *s)
{
	(void)p;
	return s->from;
}

/* The heaviest key of a function's spots. */
static unsigned pick(const struct sd_code_places *p, const double *weight, unsigned function,
	unsigned (*key)(const struct sd_code_places *p, const struct sd_spot *s), double least,
	struct pair *scratch)
{
	size_t n = 0;

	for (size_t i = 1; i < p->n_spot; i++)
		if (p->spot[i].function == function)
			scratch[n++] = (struct pair){key(p, &p->spot[i]), weight[i]};
	return heaviest(scratch, n, least);
}

/* Functions by ascending index with their weights, the positive ones first; how many, and their
 * sum. */
static size_t find_functions(
	const struct sd_code_places *p, const double *weight, struct pair *v, double *sum)
{
	size_t n = 0;

	*sum = weight[0] > 0 ? weight[0] : 0;
	for (size_t f = 0; f < p->n_function; f++)
		v[f] = (struct pair){(unsigned)f, 0};
	for (size_t i = 1; i < p->n_spot; i++)
		v[p->spot[i].function].weight += weight[i];
	for (size_t f = 1; f < p->n_function; f++)
		if (v[f].weight > 0) {
			*sum += v[f].weight;
			v[n++] = v[f];
		}
	qsort(v, n, sizeof *v, by_weight);
	return n;
}

int sd_top_functions(const struct sd_code_places *p, const double *weight, double all, double least,
	size_t most, struct sd_where **out, size_t *n)
{
	const size_t room = p->n_spot > p->n_function ? p->n_spot : p->n_function;
	struct pair *v = calloc(room + 1, sizeof *v), *scratch = calloc(room + 1, sizeof *scratch);
	size_t found;
	double sum;
	int rc = -ENOMEM;

	*n = 0;
	*out = calloc(most, sizeof **out);
	if (!v || !scratch || !*out)
		goto out;
	found = find_functions(p, weight, v, &sum);
	sum = all > 0 ? all : sum;
	rc = 0;
	for (size_t i = 0; rc == 0 && i < found && i < most && v[i].weight >= least * sum; i++) {
		const unsigned f = v[i].key;
		const double half = v[i].weight / 2;
		struct sd_where *w = &(*out)[(*n)++];

		w->share = v[i].weight < sum ? v[i].weight / sum : 1;
		w->line = pick(p, weight, f, line_of, 0, scratch);
		rc = sd_code_places_name(p, f, pick(p, weight, f, in_of, half, scratch),
			pick(p, weight, f, from_of, half, scratch), w);
	}
out:
	free(v);
	free(scratch);
	return rc;
}

int sd_top_module(const struct sd_code_places *p, const double *weight, const char *program,
	struct sd_where *out)
{
	struct pair *const v = calloc(p->n_spot + 1, sizeof *v);
	double sum = weight[0] > 0 ? weight[0] : 0, share = 0;
	const char *name = "";
	unsigned module;

	*out = (struct sd_where){0};
	if (!v)
		return -ENOMEM;
	for (size_t i = 1; i < p->n_spot; i++) {
		v[i] = (struct pair){p->function[p->spot[i].function].module, fmax(0, weight[i])};
		sum += v[i].weight;
	}
	module = heaviest(v, p->n_spot, sum / 2);
	for (size_t i = 0; i < p->n_spot; i++)
		share += v[i].key == module ? v[i].weight : 0;
	free(v);
	if (module && module < p->stacks->n_text && p->stacks->text[module])
		name = p->stacks->text[module];
	if (name[0] != '/' || (program && strcmp(basename(name), basename(program)) == 0))
		return 0;
	out->module = strdup(name);
	if (!out->module || asprintf(&out->function, "[%s]", basename(name)) < 0) {
		free(out->module);
		*out = (struct sd_where){0};
		return -ENOMEM;
	}
	out->share = share < sum ? share / sum : 1;
	return 0;
}
