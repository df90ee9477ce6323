/* How long a report of 10,000 nodes with 100 calibrations each takes, and what it costs to add one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "fleet/fleet_report.h"
#include "store/fleet_store.h"

#define NODES 10000u
#define CALIBRATIONS 100u /* or as many as FLEET_CALIBRATIONS in the environment says */
#define GROUPS 20u
#define PAIRS 28u /* of eight CPUs, as a quick calibration takes */

/* Sets *node anew, but for its facts and pairs, which stay its own. */
static void fill(struct sd_fleet_node *node, unsigned i, unsigned k, struct sd_random *random)
{
	snprintf(node->host, sizeof node->host, "n%05u", i);
	snprintf(node->group, sizeof node->group, "cpu %u, 64 CPUs, 256 GiB", i % GROUPS);
	node->start = 1e9 + 86400.0 * k;
	for (size_t n = 0; n < SD_NODE_NUMBERS; n++) {
		const double v = 100 + 0.001 * (double)sd_random_below(random, 2001);

		node->number[n] = (struct sd_interval){v, v - 0.5, v + 0.5, SD_STATUS_OK};
	}
	for (size_t n = 0; n < PAIRS; n++)
		node->pair[n].round_trip = node->number[n % SD_NODE_NUMBERS];
}

static void fill_store(const char *path)
{
	struct sd_node_facts facts = {{{0}}};
	struct sd_fleet_pair pairs[PAIRS];
	struct sd_fleet_node node = {.facts = &facts, .pair = pairs, .n_pair = PAIRS};
	struct sd_fleet_store *store;
	struct sd_random random;
	const char *const wanted = getenv("FLEET_CALIBRATIONS");
	const unsigned calibrations = wanted ? (unsigned)atoi(wanted) : CALIBRATIONS;
	const double begin = sd_clock_s();

	sd_random_seed(&random, 1, 0);
	for (unsigned n = 0; n < PAIRS; n++)
		snprintf(pairs[n].cpus, sizeof pairs[n].cpus, "%u,%u", n / 8, 8 + n);
	if (sd_fleet_store_open(&store, path, 1, NULL) != 0)
		exit(1);
	for (unsigned k = 0; k < calibrations; k++) {
		snprintf(facts.text[SD_NODE_FACT_KERNEL], SD_NODE_FACT_SIZE, "6.%u", k / 10);
		sd_fleet_store_begin(store);
		for (unsigned i = 0; i < NODES; i++) {
			fill(&node, i, k, &random);
			if (sd_fleet_store_add(store, &node) != 0)
				exit(1);
		}
		if (sd_fleet_store_end(store, 1) != 0)
			exit(1);
	}
	sd_fleet_store_close(store);
	printf("adding %u x %u calibrations: %.1f us each\n", NODES, calibrations,
		1e6 * (sd_clock_s() - begin) / NODES / calibrations);
}

static double report(const char *path, int html, double until)
{
	const struct sd_fleet_selection which = {.until = until};
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f;
	struct sd_fleet_store *store;
	FILE *const out = fopen("/dev/null", "w");
	const double begin = sd_clock_s();

	if (!out || sd_fleet_store_open(&store, path, 0, NULL) != 0 ||
		sd_fleet_store_read(store, &which, &fleet) != 0 || fleet.n != NODES ||
		sd_fleet_judge(&fleet, 0.05, &f) != 0)
		exit(1);
	if (html)
		sd_fleet_html(out, &fleet, &f);
	else
		sd_fleet_text(out, &fleet, &f, NULL);
	fclose(out);
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
	sd_fleet_store_close(store);
	return sd_clock_s() - begin;
}

int main(void)
{
	const char *const tmp = getenv("TMPDIR");
	char folder[256], path[300];

	snprintf(folder, sizeof folder, "%.200s/bench-fleet-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/fleet.db", folder);
	fill_store(path);
	printf("report as text %.2f s, as a page %.2f s, of an earlier day %.2f s (to be below 3 "
	       "s)\n",
		report(path, 0, 0), report(path, 1, 0), report(path, 0, 1e9 + 86400.0 * 50));
	unlink(path);
	rmdir(folder);
	return 0;
}
