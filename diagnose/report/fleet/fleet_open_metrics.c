#include "export/open_metrics.h"
#include "fleet/fleet_report.h"

/* A node's numbers; units differ, so the unit is a label. */
static void put_numbers(FILE *f, const struct sd_fleet *fleet)
{
	sd_open_metrics_family(f, "node_number", "", "What a node's calibration measured.");
	for (size_t i = 0; i < fleet->n; i++)
		for (size_t k = 0; k < SD_NODE_NUMBERS; k++) {
			const struct sd_fleet_node *const node = &fleet->node[i];
			const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
				{"node", node->host}, {"number", sd_node_numbers_name(k)},
				{"unit", sd_node_numbers_unit(k)}};

			if (sd_status_measured(node->number[k]))
				sd_open_metrics_sample(
					f, "node_number", "", label, node->number[k].value);
		}
}

/* How many of its numbers are out; of a node that was not judged there is none. */
static void put_judged(
	FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings)
{
	sd_open_metrics_family(
		f, "node_out", "", "How many of a node's numbers differ from those of its like.");
	for (size_t i = 0, at = 0; i < fleet->n; i++) {
		const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
			{"node", fleet->node[i].host}};
		size_t n = 0;

		for (; at < findings->n && findings->finding[at].node == i; at++)
			n++;
		if (findings->judged[i])
			sd_open_metrics_sample(f, "node_out", "", label, (double)n);
	}
}

int sd_fleet_open_metrics(
	FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings)
{
	sd_open_metrics_family(f, "node_measured", "seconds", "When, since 1970 in UTC.");
	for (size_t i = 0; i < fleet->n; i++) {
		const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
			{"node", fleet->node[i].host}};

		sd_open_metrics_sample(f, "node_measured", "seconds", label, fleet->node[i].start);
	}
	put_numbers(f, fleet);
	put_judged(f, fleet, findings);
	return sd_open_metrics_end(f);
}
