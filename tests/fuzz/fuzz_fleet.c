/* A line of an exported fleet from anywhere: what is taken is written and read again to the same
 * bytes, and judged beside its like. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet_line.h"
#include "fleet/fleet_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *encode(const struct sd_fleet_node *node, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	if (!f || sd_fleet_line_encode(f, node) != 0 || fclose(f) != 0)
		abort();
	return text;
}

/* Five nodes of it, and what is said of them. */
static void judge(const char *text, size_t n)
{
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f;
	FILE *const out = fopen("/dev/null", "w");

	for (int i = 0; i < 5; i++) {
		struct sd_fleet_node node;

		if (sd_fleet_line_parse(text, n, "again", 1, &node, NULL) != 0)
			abort();
		snprintf(node.host, sizeof node.host, "n%d", i);
		for (size_t k = 0; i == 0 && k < SD_NODE_NUMBERS; k++)
			node.number[k].low = node.number[k].value = node.number[k].high *= 2;
		sd_fleet_add(&fleet, &node);
	}
	if (sd_fleet_judge(&fleet, 0.05, &f) == 0 && out) {
		sd_fleet_text(out, &fleet, &f, NULL);
		sd_fleet_html(out, &fleet, &f);
	}
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
	if (out)
		fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_fleet_node node, again;
	char *once, *twice;
	size_t n, m;

	if (sd_fleet_line_parse((const char *)data, size, "fuzz", 1, &node, NULL) != 0)
		return 0;
	once = encode(&node, &n);
	if (sd_fleet_line_parse(once, n, "again", 1, &again, NULL) != 0)
		abort();
	twice = encode(&again, &m);
	if (n != m || memcmp(once, twice, n) != 0)
		abort();
	judge(once, n);
	sd_fleet_node_free(&node);
	sd_fleet_node_free(&again);
	free(once);
	free(twice);
	return 0;
}
