#include "fleet/fleet_judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "base/statistics.h"

void sd_fleet_findings_free(struct sd_fleet_findings *f)
{
	free(f->finding);
	free(f->group);
	free(f->judged);
	*f = (struct sd_fleet_findings){.n = 0};
}

static int by_node(const void *a, const void *b)
{
	const struct sd_fleet_finding *const x = a, *const y = b;

	if (x->node != y->node)
		return (x->node > y->node) - (x->node < y->node);
	if (x->number != y->number)
		return (x->number > y->number) - (x->number < y->number);
	return (x->pair > y->pair) - (x->pair < y->pair);
}

static int add(struct sd_fleet_findings *out, const struct sd_fleet_finding *f)
{
	return SD_APPEND(out->finding, out->n, f);
}

static int is_out(struct sd_interval v, double median, double bound)
{
	return v.high < median - bound || v.low > median + bound;
}

/* The same number of nodes that are alike; `who` says whose each is. */
struct samples {
	struct sd_fleet_finding *who;
	struct sd_interval *value;
	double *work;
	size_t n;
};

static int judge_samples(const struct samples *s, double tolerance, struct sd_fleet_middle *middle,
	struct sd_fleet_findings *out)
{
	double bound;
	int rc = 0;

	*middle = (struct sd_fleet_middle){.median = NAN, .alike = s->n};
	if (s->n < SD_FLEET_LEAST_NODES)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		s->work[i] = s->value[i].value;
	middle->median = sd_statistics_median(s->work, s->n);
	for (size_t i = 0; i < s->n; i++)
		s->work[i] = fabs(s->value[i].value - middle->median);
	bound = fmax(tolerance * fabs(middle->median),
		SD_FLEET_DEVIATIONS * sd_statistics_median(s->work, s->n));
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		out->n_judged += !out->judged[s->who[i].node];
		out->judged[s->who[i].node] = 1;
		s->who[i].median = middle->median;
		s->who[i].alike = s->n;
		if (is_out(s->value[i], middle->median, bound))
			rc = add(out, &s->who[i]);
	}
	return rc;
}

static int judge_number(const struct sd_fleet *fleet, struct sd_fleet_group *g, size_t number,
	double tolerance, struct samples *s, struct sd_fleet_findings *out)
{
	s->n = 0;
	for (size_t i = g->first; i < g->end; i++)
		if (sd_status_bounded(fleet->node[i].number[number])) {
			s->who[s->n] = (struct sd_fleet_finding){.node = i, .number = number};
			s->value[s->n++] = fleet->node[i].number[number];
		}
	return judge_samples(s, tolerance, &g->middle[number], out);
}

/* ---- pairs of CPUs --------------------------------------------------------------------------- */

struct whose {
	const struct sd_fleet_pair *pair;
	size_t node, index;
};

static int by_cpus(const void *a, const void *b)
{
	const struct whose *const x = a, *const y = b;
	const int order = strcmp(x->pair->cpus, y->pair->cpus);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* all[from..to) are of one pair. A node has each pair once: of a damaged one, the first counts. */
static int judge_pair(const struct whose *all, size_t from, size_t to, double tolerance,
	struct samples *s, struct sd_fleet_findings *out)
{
	struct sd_fleet_middle middle;

	s->n = 0;
	for (size_t i = from; i < to; i++) {
		if (s->n && s->who[s->n - 1].node == all[i].node)
			continue;
		s->who[s->n] = (struct sd_fleet_finding){.node = all[i].node,
			.number = SD_FLEET_TRANSFER_PAIR,
			.pair = all[i].index};
		s->value[s->n++] = all[i].pair->round_trip;
	}
	return judge_samples(s, tolerance, &middle, out);
}

static int judge_pairs(const struct sd_fleet *fleet, const struct sd_fleet_group *g,
	double tolerance, struct samples *s, struct sd_fleet_findings *out)
{
	struct whose *all;
	size_t n = 0;
	int rc = 0;

	for (size_t i = g->first; i < g->end; i++)
		n += fleet->node[i].n_pair;
	if (!n)
		return 0;
	all = malloc(n * sizeof *all);
	if (!all)
		return -ENOMEM;
	n = 0;
	for (size_t i = g->first; i < g->end; i++)
		for (size_t k = 0; k < fleet->node[i].n_pair; k++)
			all[n++] = (struct whose){&fleet->node[i].pair[k], i, k};
	qsort(all, n, sizeof *all, by_cpus);
	for (size_t from = 0, to; rc == 0 && from < n; from = to) {
		for (to = from + 1;
			to < n && strcmp(all[to].pair->cpus, all[from].pair->cpus) == 0;)
			to++;
		rc = judge_pair(all, from, to, tolerance, s, out);
	}
	free(all);
	return rc;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int find_groups(const struct sd_fleet *fleet, struct sd_fleet_findings *out)
{
	out->group = calloc(fleet->n + 1, sizeof *out->group);
	if (!out->group)
		return -ENOMEM;
	for (size_t first = 0, end; first < fleet->n; first = end) {
		struct sd_fleet_group *const g = &out->group[out->n_group++];

		for (end = first + 1; end < fleet->n && strcmp(fleet->node[end].group,
								fleet->node[first].group) == 0;)
			end++;
		g->first = first;
		g->end = end;
	}
	return 0;
}

int sd_fleet_judge(struct sd_fleet *fleet, double tolerance, struct sd_fleet_findings *out)
{
	struct samples s = {.who = calloc(fleet->n + 1, sizeof *s.who),
		.value = calloc(fleet->n + 1, sizeof *s.value),
		.work = calloc(fleet->n + 1, sizeof *s.work)};
	int rc;

	*out = (struct sd_fleet_findings){.judged = calloc(fleet->n + 1, 1)};
	sd_fleet_sort(fleet);
	rc = s.who && s.value && s.work && out->judged ? find_groups(fleet, out) : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < out->n_group; i++) {
		for (size_t k = 0; rc == 0 && k < SD_NODE_NUMBERS; k++)
			rc = judge_number(fleet, &out->group[i], k, tolerance, &s, out);
		if (rc == 0)
			rc = judge_pairs(fleet, &out->group[i], tolerance, &s, out);
	}
	if (rc)
		sd_fleet_findings_free(out);
	else if (out->n)
		qsort(out->finding, out->n, sizeof *out->finding, by_node);
	free(s.who);
	free(s.value);
	free(s.work);
	return rc;
}

const struct sd_fleet_group *sd_fleet_findings_group(const struct sd_fleet_findings *f, size_t node)
{
	size_t low = 0, high = f->n_group;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (f->group[middle].first <= node)
			low = middle;
		else
			high = middle;
	}
	return &f->group[low];
}

/* ---- one finding ----------------------------------------------------------------------------- */

const char *sd_fleet_finding_name(const struct sd_fleet_finding *f)
{
	return f->number == SD_FLEET_TRANSFER_PAIR ? "transfer" : sd_node_numbers_name(f->number);
}

const char *sd_fleet_finding_unit(const struct sd_fleet_finding *f)
{
	return f->number == SD_FLEET_TRANSFER_PAIR ? "ns" : sd_node_numbers_unit(f->number);
}

struct sd_interval sd_fleet_finding_value(
	const struct sd_fleet *fleet, const struct sd_fleet_finding *f)
{
	const struct sd_fleet_node *const node = &fleet->node[f->node];

	return f->number == SD_FLEET_TRANSFER_PAIR ? node->pair[f->pair].round_trip
						   : node->number[f->number];
}

int sd_fleet_finding_worse(const struct sd_fleet *fleet, const struct sd_fleet_finding *f)
{
	const int high = sd_fleet_finding_value(fleet, f).value > f->median;

	return strcmp(sd_fleet_finding_unit(f), "ns") == 0 ? high : !high;
}
