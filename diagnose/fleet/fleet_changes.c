#include "fleet/fleet_changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "base/statistics.h"

/* A node before and after; [0, n) by the group before. */
struct pairs {
	const struct sd_fleet_node **before, **after;
	double *ratio, *work;
	size_t n;
};

void sd_fleet_changes_free(struct sd_fleet_changes *c)
{
	free(c->change);
	free(c->odd);
	sd_texts_free(&c->facts);
	*c = (struct sd_fleet_changes){.n = 0};
}

static int by_host(const void *a, const void *b)
{
	return strcmp((*(const struct sd_fleet_node *const *)a)->host,
		(*(const struct sd_fleet_node *const *)b)->host);
}

static int pair_nodes(const struct sd_fleet *before, const struct sd_fleet *after, struct pairs *p)
{
	const struct sd_fleet_node **const sorted = calloc(after->n + 1, sizeof(void *));

	for (size_t i = 0; sorted && i < after->n; i++)
		sorted[i] = &after->node[i];
	if (sorted && after->n)
		qsort(sorted, after->n, sizeof(void *), by_host);
	for (size_t i = 0; sorted && after->n && i < before->n; i++) {
		const struct sd_fleet_node *const key = &before->node[i];
		const struct sd_fleet_node **const found =
			bsearch(&key, sorted, after->n, sizeof(void *), by_host);

		if (found) {
			p->before[p->n] = key;
			p->after[p->n++] = *found;
		}
	}
	free(sorted);
	return sorted ? 0 : -ENOMEM;
}

static int has(const struct pairs *p, size_t i, size_t number)
{
	return sd_status_bounded(p->before[i]->number[number]) &&
	       sd_status_bounded(p->after[i]->number[number]) &&
	       p->before[i]->number[number].low > 0 && p->after[i]->number[number].low > 0;
}

static int add_change(struct sd_fleet_changes *out, const struct sd_fleet_change *c)
{
	return SD_APPEND(out->change, out->n, c);
}

static int add_odd(struct sd_fleet_changes *out, const struct sd_fleet_odd *o)
{
	return SD_APPEND(out->odd, out->n_odd, o);
}

/* Nodes whose ratio, with the intervals of both its numbers, excludes the others' (fleet_judge.h).
 */
static int find_odd(const struct pairs *p, size_t from, size_t to, const struct sd_fleet_change *c,
	double tolerance, struct sd_fleet_changes *out)
{
	double bound;
	size_t n = 0;
	int rc = 0;

	for (size_t i = from; i < to; i++)
		if (has(p, i, c->number))
			p->work[n++] = fabs(p->ratio[i] - c->ratio.value);
	bound = fmax(
		tolerance * c->ratio.value, SD_FLEET_DEVIATIONS * sd_statistics_median(p->work, n));
	for (size_t i = from; rc == 0 && i < to; i++) {
		struct sd_interval a, b;

		if (!has(p, i, c->number))
			continue;
		a = p->before[i]->number[c->number];
		b = p->after[i]->number[c->number];
		if (b.high / a.low < c->ratio.value - bound ||
			b.low / a.high > c->ratio.value + bound)
			rc = add_odd(out, &(struct sd_fleet_odd){p->before[i]->host, c->number,
						  p->ratio[i], c->ratio.value});
	}
	return rc;
}

static int compare_number(const struct pairs *p, size_t from, size_t to, size_t number,
	double tolerance, struct sd_fleet_changes *out)
{
	struct sd_fleet_change c = {.group = p->before[from]->group, .number = number};
	int rc;

	for (size_t i = from; i < to; i++)
		if (has(p, i, number)) {
			p->ratio[i] = p->after[i]->number[number].value /
				      p->before[i]->number[number].value;
			p->work[c.nodes++] = p->ratio[i];
		}
	if (c.nodes < SD_FLEET_LEAST_NODES)
		return 0;
	c.ratio = sd_statistics_order_ratio(p->work, c.nodes);
	c.changed = c.ratio.high < 1 - tolerance || c.ratio.low > 1 + tolerance;
	rc = add_change(out, &c);
	return rc == 0 ? find_odd(p, from, to, &c, tolerance, out) : rc;
}

/* The change of a fact that most of the nodes have that it changed on. */
static int compare_fact(const struct pairs *p, enum sd_node_fact k, struct sd_texts *out)
{
	size_t most = 0, best = 0;

	for (size_t i = 0; i < p->n && most * 2 < p->n; i++) {
		size_t same = 0;

		if (strcmp(p->before[i]->facts->text[k], p->after[i]->facts->text[k]) == 0)
			continue;
		for (size_t j = i; j < p->n; j++)
			same += strcmp(p->before[i]->facts->text[k],
					p->before[j]->facts->text[k]) == 0 &&
				strcmp(p->after[i]->facts->text[k], p->after[j]->facts->text[k]) ==
					0;
		if (same > most) {
			most = same;
			best = i;
		}
	}
	if (!most)
		return 0;
	return sd_texts_add(out, "%s: %.200s before, %.200s after, on %zu of %zu nodes",
		sd_node_fact_label[k],
		p->before[best]->facts->text[k][0] ? p->before[best]->facts->text[k] : "not known",
		p->after[best]->facts->text[k][0] ? p->after[best]->facts->text[k] : "not known",
		most, p->n);
}

static int compare_all(const struct pairs *p, double tolerance, struct sd_fleet_changes *out)
{
	int rc = 0;

	for (size_t from = 0, to; rc == 0 && from < p->n; from = to) {
		for (to = from + 1;
			to < p->n && strcmp(p->before[to]->group, p->before[from]->group) == 0;)
			to++;
		for (size_t k = 0; rc == 0 && k < SD_NODE_NUMBERS; k++)
			rc = compare_number(p, from, to, k, tolerance, out);
	}
	for (int k = 0; rc == 0 && k < SD_NODE_FACT_COUNT; k++)
		rc = compare_fact(p, (enum sd_node_fact)k, &out->facts);
	return rc;
}

/* One for each node, and one more, as none is no size. */
static void *room(const struct sd_fleet *fleet, size_t size)
{
	return calloc(fleet->n + 1, size);
}

int sd_fleet_changes_find(struct sd_fleet *before, struct sd_fleet *after, double tolerance,
	struct sd_fleet_changes *out)
{
	struct pairs p = {.before = room(before, sizeof(void *)),
		.after = room(before, sizeof(void *)),
		.ratio = room(before, sizeof(double)),
		.work = room(before, sizeof(double))};
	int rc = p.before && p.after && p.ratio && p.work ? 0 : -ENOMEM;

	*out = (struct sd_fleet_changes){.n = 0};
	sd_fleet_sort(before);
	sd_fleet_sort(after);
	if (rc == 0)
		rc = pair_nodes(before, after, &p);
	if (rc == 0)
		rc = compare_all(&p, tolerance, out);
	out->paired = p.n;
	out->before = before->n;
	out->after = after->n;
	if (rc)
		sd_fleet_changes_free(out);
	free(p.before);
	free(p.after);
	free(p.ratio);
	free(p.work);
	return rc;
}
