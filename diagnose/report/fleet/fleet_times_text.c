#include <string.h>
#include <time.h>

#include "fleet/fleet_report.h"
#include "page/page.h"

#define NAMED 20

/* ---- two calibrations of many nodes ---------------------------------------------------------- */

static void put_change(struct sd_page *p, const struct sd_fleet_change *c)
{
	sd_page_put(p, c->changed ? SD_TONE_BOLD : SD_TONE_PLAIN,
		"  %-16s %+6.1f %%  (%+.1f to %+.1f %%, %zu nodes)%s\n",
		sd_node_numbers_name(c->number), 100 * (c->ratio.value - 1),
		100 * (c->ratio.low - 1), 100 * (c->ratio.high - 1), c->nodes,
		c->changed ? "  changed" : "");
}

int sd_fleet_changes_text(
	FILE *f, const struct sd_fleet_changes *c, const struct sd_report_style *style)
{
	size_t changed = 0;
	struct sd_page p;

	sd_page_begin(&p, f, style);
	for (size_t i = 0; i < c->n; i++)
		changed += (size_t)c->change[i].changed;
	sd_page_wrap_tone(&p, SD_TONE_BOLD, "", 0,
		"%zu of %zu numbers changed, over %zu nodes that have both (%zu before, %zu "
		"after)",
		changed, c->n, c->paired, c->before, c->after);
	for (size_t i = 0; i < c->facts.n; i++)
		sd_page_wrap(&p, "  ", 4, "%s", c->facts.text[i]);
	for (size_t i = 0; i < c->n; i++) {
		if (i == 0 || strcmp(c->change[i].group, c->change[i - 1].group) != 0) {
			sd_page_put(&p, SD_TONE_PLAIN, "\n");
			sd_page_wrap(&p, "", 0, "%s", c->change[i].group);
		}
		put_change(&p, &c->change[i]);
	}
	for (size_t i = 0; i < c->n_odd && i < NAMED; i++) {
		if (i == 0)
			sd_page_put(&p, SD_TONE_BOLD, "\nOtherwise than their like\n");
		sd_page_wrap(&p, "  ", 4, "%s: %s %+.1f %%, its like %+.1f %%", c->odd[i].host,
			sd_node_numbers_name(c->odd[i].number), 100 * (c->odd[i].ratio - 1),
			100 * (c->odd[i].usual - 1));
	}
	if (c->n_odd > NAMED)
		sd_page_put(&p, SD_TONE_PLAIN, "  and %zu more\n", c->n_odd - NAMED);
	return sd_page_end(&p);
}

/* ---- a node over time ------------------------------------------------------------------------ */

/* Numbers that an administrator looks at; the others are in the store. */
static const char *const columns[] = {
	"bandwidth", "triad", "read", "latency.dram", "transfer", "clock"};
#define COLUMNS (sizeof columns / sizeof *columns)

static size_t number_of(const char *name)
{
	size_t i = 0;

	while (i < SD_NODE_NUMBERS - 1 && strcmp(sd_node_numbers_name(i), name) != 0)
		i++;
	return i;
}

static void put_facts_changed(
	struct sd_page *p, const struct sd_fleet_node *before, const struct sd_fleet_node *node)
{
	for (int k = 0; k < SD_NODE_FACT_COUNT; k++)
		if (strcmp(before->facts->text[k], node->facts->text[k]) != 0)
			sd_page_wrap(p, "    ", 6, "%s: %s, before %s", sd_node_fact_label[k],
				node->facts->text[k][0] ? node->facts->text[k] : "not known",
				before->facts->text[k][0] ? before->facts->text[k] : "not known");
	if (strcmp(before->group, node->group) != 0)
		sd_page_wrap(p, "    ", 6, "machine: %s", node->group);
}

static void put_moment(struct sd_page *p, const struct sd_fleet_node *node)
{
	const time_t at = (time_t)node->start;
	struct tm tm;
	char when[32] = "";

	if (gmtime_r(&at, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	sd_page_put(p, SD_TONE_PLAIN, "%-16s", when);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct sd_interval v = node->number[number_of(columns[i])];
		char text[32] = "-";

		if (sd_status_bounded(v))
			snprintf(text, sizeof text, "%.4g", v.value);
		sd_page_cell(p, SD_TONE_PLAIN, text, 13, 1);
	}
	sd_page_put(p, SD_TONE_PLAIN, node->quick ? "  quick\n" : "\n");
}

int sd_fleet_history_text(
	FILE *f, const struct sd_fleet_node *node, size_t n, const struct sd_report_style *style)
{
	struct sd_page p;

	sd_page_begin(&p, f, style);
	if (n)
		sd_page_wrap_tone(
			&p, SD_TONE_BOLD, "", 0, "%s: %s", node[n - 1].host, node[n - 1].group);
	sd_page_put(&p, SD_TONE_DIM, "%-16s", "UTC");
	for (size_t i = 0; i < COLUMNS; i++)
		sd_page_cell(&p, SD_TONE_DIM, columns[i], 13, 1);
	sd_page_put(&p, SD_TONE_PLAIN, "\n%-16s", "");
	for (size_t i = 0; i < COLUMNS; i++)
		sd_page_cell(&p, SD_TONE_DIM, sd_node_numbers_unit(number_of(columns[i])), 13, 1);
	sd_page_put(&p, SD_TONE_PLAIN, "\n");
	for (size_t i = 0; i < n; i++) {
		put_moment(&p, &node[i]);
		if (i)
			put_facts_changed(&p, &node[i - 1], &node[i]);
	}
	return sd_page_end(&p);
}
