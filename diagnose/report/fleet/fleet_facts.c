#include "fleet/fleet_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fleet/fleet_report.h"
#include "page/page.h"
#include "render/render.h"

#define NAMED 20 /* nodes of a list; the rest are counted */

/* ---- nodes that are out ---------------------------------------------------------------------- */

static void put_number(
	struct sd_document *b, const struct sd_fleet *fleet, const struct sd_fleet_finding *f)
{
	const struct sd_interval v = sd_fleet_finding_value(fleet, f);
	const struct sd_fleet_node *const node = &fleet->node[f->node];
	const int is_pair = f->number == SD_FLEET_TRANSFER_PAIR;

	sd_document_say(b, sd_fleet_finding_worse(fleet, f) ? SD_BLOCK_DOUBT : SD_BLOCK_SENTENCE,
		"%s: %s%s%s %.4g %s (%.4g-%.4g), %+.1f %% from the median %.4g of %zu nodes",
		node->host, sd_fleet_finding_name(f), is_pair ? " between CPUs " : "",
		is_pair ? node->pair[f->pair].cpus : "", v.value, sd_fleet_finding_unit(f), v.low,
		v.high, sd_fleet_percent(v.value, f->median), f->median, f->alike);
}

/* Puts how to drain a node that is worse than its like: one that is better needs none. */
static void put_drain(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_finding *first, size_t n)
{
	const struct sd_fleet_finding *worst = NULL;
	double most = 0, percent = 0;

	for (size_t i = 0; i < n; i++) {
		const double by = sd_fleet_percent(
			sd_fleet_finding_value(fleet, &first[i]).value, first[i].median);

		if (sd_fleet_finding_worse(fleet, &first[i]) && fabs(by) > most) {
			most = fabs(by);
			percent = by;
			worst = &first[i];
		}
	}
	if (worst)
		sd_document_say(b, SD_BLOCK_ITEM,
			"drain: scontrol update nodename=%s state=drain reason=\"scalediag: %s %+.1f%%\"",
			fleet->node[worst->node].host, sd_fleet_finding_name(worst), percent);
}

/* findings [at, at + n) are of one node. */
static void put_node(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, size_t at, size_t n)
{
	const struct sd_fleet_finding *const first = &findings->finding[at];
	struct sd_texts causes = {.n = 0};
	struct sd_fleet_usual usual;

	b->failed |= sd_fleet_usual_of(
			     fleet, sd_fleet_findings_group(findings, first->node), &usual) != 0 ||
		     sd_fleet_causes(fleet, &usual, first, n, &causes) != 0;
	for (size_t i = 0; i < n && i < NAMED; i++)
		put_number(b, fleet, &first[i]);
	if (n > NAMED)
		sd_document_say(b, SD_BLOCK_NOTE, "and %zu more numbers", n - NAMED);
	for (size_t i = 0; i < causes.n; i++)
		sd_document_say(b, SD_BLOCK_ITEM, "%s%s", i ? "" : "why: ", causes.text[i]);
	put_drain(b, fleet, first, n);
	sd_texts_free(&causes);
}

static size_t run_of_node(const struct sd_fleet_findings *f, size_t at)
{
	size_t n = 1;

	while (at + n < f->n && f->finding[at + n].node == f->finding[at].node)
		n++;
	return n;
}

static void put_out(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const char *host)
{
	size_t out = 0;

	for (size_t at = 0, n; at < findings->n; at += n) {
		n = run_of_node(findings, at);
		if (host && strcmp(fleet->node[findings->finding[at].node].host, host) != 0)
			continue;
		out++;
		put_node(b, fleet, findings, at, n);
	}
	if (!host)
		sd_document_say(b, out ? SD_BLOCK_DOUBT : SD_BLOCK_SENTENCE,
			"%zu of %zu nodes out; %zu not judged", out, findings->n_judged,
			fleet->n - findings->n_judged);
	else if (!out)
		sd_document_say(b, SD_BLOCK_SENTENCE, "%s is like its like", host);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void make_name(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->text = sd_node_numbers_name(*(const size_t *)sd_fact_row(rows, i));
}

static void make_median(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_fleet_map *const m = rows->whole;
	const size_t number = *(const size_t *)sd_fact_row(rows, i);

	snprintf(out->made, sizeof out->made, "%.4g %s", m->group->middle[number].median,
		sd_node_numbers_unit(number));
	out->text = out->made;
}

/* "-5.2 % n17": the node that is farthest to one side. */
static void make_extreme(
	const struct sd_fact_rows *rows, size_t i, struct sd_cell *out, int highest)
{
	const struct sd_fleet_map *const m = rows->whole;
	const size_t number = *(const size_t *)sd_fact_row(rows, i);
	const struct sd_fleet_node *best = NULL;

	for (size_t k = m->group->first; k < m->group->end; k++) {
		const struct sd_fleet_node *const node = &m->fleet->node[k];

		if (!sd_status_bounded(node->number[number]))
			continue;
		if (!best || (highest ? node->number[number].value > best->number[number].value
				      : node->number[number].value < best->number[number].value))
			best = node;
	}
	if (!best)
		return;
	snprintf(out->made, sizeof out->made, "%+.1f %% %.24s",
		sd_fleet_percent(best->number[number].value, m->group->middle[number].median),
		best->host);
	out->text = out->made;
}

static void make_lowest(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	make_extreme(rows, i, out, 0);
}

static void make_highest(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	make_extreme(rows, i, out, 1);
}

static const struct sd_fact_column columns[] = {
	{NULL, "number", SD_CELL_TEXT, .make = make_name},
	{NULL, "median", SD_CELL_TEXT, .make = make_median},
	{NULL, "lowest", SD_CELL_TEXT, .make = make_lowest},
	{NULL, "highest", SD_CELL_TEXT, .make = make_highest},
};
static const struct sd_fact_table table = SD_FACT_TABLE(columns, size_t, );

static void put_group(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const struct sd_fleet_group *g)
{
	size_t number[SD_NODE_NUMBERS];
	const struct sd_fleet_map map = {fleet, findings, g};
	const struct sd_fact_rows rows = {.table = &table,
		.row = number,
		.n = sd_fleet_shown(fleet, g, number),
		.whole = &map};
	char title[300];

	snprintf(title, sizeof title, "%zu x %s", g->end - g->first, fleet->node[g->first].group);
	sd_document_end(b);
	sd_document_title(b, NULL, title, NULL);
	sd_document_table(b, &rows);
	sd_document_picture(b, "map", &map);
}

/* ---- settings, and who was not judged -------------------------------------------------------- */

static int is_out(const struct sd_fleet_findings *f, size_t node)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finding[i].node == node)
			return 1;
	return 0;
}

/* Begins a list of nodes with its first, and ends it with how many it does not name. */
static int is_named(struct sd_document *b, const char *title, size_t named)
{
	if (named == 1) {
		sd_document_end(b);
		sd_document_title(b, NULL, title, NULL);
	}
	return named <= NAMED;
}

static void put_more(struct sd_document *b, size_t named)
{
	if (named > NAMED)
		sd_document_say(b, SD_BLOCK_NOTE, "and %zu more nodes", named - NAMED);
}

static void put_settings_of(struct sd_document *b, const struct sd_fleet *fleet, size_t node,
	const struct sd_fleet_usual *usual, size_t *named)
{
	struct sd_texts settings = {.n = 0};

	b->failed |= sd_fleet_settings(&fleet->node[node], usual, &settings) != 0;
	if (settings.n && is_named(b, "Other settings, and numbers like the others'", ++*named))
		for (size_t i = 0; i < settings.n; i++)
			sd_document_say(b, SD_BLOCK_ITEM, "%s: %s", fleet->node[node].host,
				settings.text[i]);
	sd_texts_free(&settings);
}

static void put_settings(
	struct sd_document *b, const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	size_t named = 0;

	for (size_t i = 0; i < f->n_group; i++) {
		struct sd_fleet_usual usual;

		if (f->group[i].end - f->group[i].first < SD_FLEET_LEAST_NODES)
			continue;
		if (sd_fleet_usual_of(fleet, &f->group[i], &usual) != 0) {
			b->failed = 1;
			return;
		}
		for (size_t k = f->group[i].first; k < f->group[i].end; k++)
			if (!is_out(f, k))
				put_settings_of(b, fleet, k, &usual, &named);
	}
	put_more(b, named);
}

static void put_not_judged(
	struct sd_document *b, const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	size_t named = 0;
	char why[700];

	for (size_t i = 0; i < fleet->n; i++) {
		if (f->judged[i] || !is_named(b, "Not judged", ++named))
			continue;
		sd_fleet_alone(fleet, f, i, why, sizeof why);
		sd_document_say(b, SD_BLOCK_ITEM, "%s: %s", fleet->node[i].host, why);
	}
	put_more(b, named);
}

void sd_fleet_facts(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings)
{
	put_out(b, fleet, findings, NULL);
	for (size_t i = 0; i < findings->n_group; i++)
		if (findings->group[i].end - findings->group[i].first >= SD_FLEET_LEAST_NODES)
			put_group(b, fleet, findings, &findings->group[i]);
	put_settings(b, fleet, findings);
	put_not_judged(b, fleet, findings);
}

/* ---- printed --------------------------------------------------------------------------------- */

static struct sd_document begin(struct sd_page *p, FILE *f, const struct sd_report_style *style)
{
	sd_page_begin(p, f, style);
	return sd_render_text(p, 1);
}

static int end(struct sd_page *p, const struct sd_document *b)
{
	p->failed |= b->failed;
	return sd_page_end(p);
}

int sd_fleet_findings_text(FILE *f, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const char *host,
	const struct sd_report_style *style)
{
	struct sd_page p;
	struct sd_document b = begin(&p, f, style);

	put_out(&b, fleet, findings, host);
	return end(&p, &b);
}

int sd_fleet_text(FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings,
	const struct sd_report_style *style)
{
	struct sd_page p;
	struct sd_document b = begin(&p, f, style);

	sd_fleet_facts(&b, fleet, findings);
	return end(&p, &b);
}
