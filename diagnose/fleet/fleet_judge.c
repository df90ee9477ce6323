#include "fleet/fleet_judge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

int sd_fleet_add(struct sd_fleet *fleet, const struct sd_profile *p)
{
	struct sd_fleet_node node = {.start = p->start}, *grown;

	snprintf(node.host, sizeof node.host, "%s", p->key.host);
	snprintf(node.group, sizeof node.group, "%s, %u CPUs, %s", p->key.cpu, p->granted,
		p->key.machine[0] ? p->key.machine : p->key.topology);
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		node.number[i] = sd_node_numbers_value(p, i);
	for (size_t i = 0; i < fleet->n; i++)
		if (strcmp(fleet->node[i].host, node.host) == 0 &&
			strcmp(fleet->node[i].group, node.group) == 0) {
			if (node.start > fleet->node[i].start)
				fleet->node[i] = node;
			return 0;
		}
	grown = realloc(fleet->node, (fleet->n + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	fleet->node = grown;
	grown[fleet->n++] = node;
	return 0;
}

void sd_fleet_free(struct sd_fleet *fleet)
{
	free(fleet->node);
	*fleet = (struct sd_fleet){0};
}

void sd_fleet_findings_free(struct sd_fleet_findings *f)
{
	free(f->finding);
	*f = (struct sd_fleet_findings){0};
}

static int by_group(const void *a, const void *b)
{
	const struct sd_fleet_node *const x = a, *const y = b;
	const int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->host, y->host);
}

static int by_node(const void *a, const void *b)
{
	const struct sd_fleet_finding *const x = a, *const y = b;

	return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
				  : (x->number > y->number) - (x->number < y->number);
}

static int add(struct sd_fleet_findings *out, const struct sd_fleet_finding *f)
{
	struct sd_fleet_finding *const grown = realloc(out->finding, (out->n + 1) * sizeof *grown);

	if (!grown)
		return -ENOMEM;
	out->finding = grown;
	grown[out->n++] = *f;
	return 0;
}

static int is_out(struct sd_interval v, double median, double bound)
{
	return v.high < median - bound || v.low > median + bound;
}

/* One number of the nodes from `first` to before `end`, which are alike. work[end - first]. */
static int judge_number(const struct sd_fleet *fleet, size_t first, size_t end, size_t number,
	double tolerance, double *work, unsigned char *judged, struct sd_fleet_findings *out)
{
	struct sd_fleet_finding f = {.number = number};
	double bound;
	int rc = 0;

	for (size_t i = first; i < end; i++)
		if (sd_status_bounded(fleet->node[i].number[number]))
			work[f.alike++] = fleet->node[i].number[number].value;
	if (f.alike < SD_FLEET_LEAST_NODES)
		return 0;
	f.median = sd_statistics_median(work, f.alike);
	for (size_t i = 0; i < f.alike; i++)
		work[i] = fabs(work[i] - f.median);
	bound = fmax(
		tolerance * f.median, SD_FLEET_DEVIATIONS * sd_statistics_median(work, f.alike));
	for (f.node = first; rc == 0 && f.node < end; f.node++) {
		const struct sd_interval v = fleet->node[f.node].number[number];

		if (!sd_status_bounded(v))
			continue;
		judged[f.node] = 1;
		if (is_out(v, f.median, bound))
			rc = add(out, &f);
	}
	return rc;
}

int sd_fleet_judge(struct sd_fleet *fleet, double tolerance, struct sd_fleet_findings *out)
{
	double *const work = calloc(fleet->n + 1, sizeof *work);
	unsigned char *const judged = calloc(fleet->n + 1, 1);
	int rc = work && judged ? 0 : -ENOMEM;

	*out = (struct sd_fleet_findings){0};
	if (fleet->n)
		qsort(fleet->node, fleet->n, sizeof *fleet->node, by_group);
	for (size_t first = 0, end; rc == 0 && first < fleet->n; first = end) {
		for (end = first; end < fleet->n &&
				  strcmp(fleet->node[end].group, fleet->node[first].group) == 0;)
			end++;
		for (size_t k = 0; rc == 0 && k < SD_NODE_NUMBERS; k++)
			rc = judge_number(fleet, first, end, k, tolerance, work, judged, out);
	}
	for (size_t i = 0; rc == 0 && i < fleet->n; i++)
		out->judged += judged[i];
	if (rc)
		sd_fleet_findings_free(out);
	else if (out->n)
		qsort(out->finding, out->n, sizeof *out->finding, by_node);
	free(work);
	free(judged);
	return rc;
}
