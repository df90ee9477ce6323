#include "fleet/fleet_report.h"

#include <math.h>
#include <string.h>

#include "page/page.h"

#define NAMED 20 /* nodes of a list; the rest are counted */

/* ---- nodes that are out ---------------------------------------------------------------------- */

static void put_number(
	struct sd_page *p, const struct sd_fleet *fleet, const struct sd_fleet_finding *f)
{
	const struct sd_interval v = sd_fleet_finding_value(fleet, f);
	char first[300];

	snprintf(first, sizeof first, "%s: ", fleet->node[f->node].host);
	sd_page_wrap_tone(p, sd_fleet_finding_worse(fleet, f) ? SD_TONE_BAD : SD_TONE_DOUBT, first,
		4, "%s%s%s %.4g %s (%.4g-%.4g), %+.1f %% from the median %.4g of %zu nodes",
		sd_fleet_finding_name(f),
		f->number == SD_FLEET_TRANSFER_PAIR ? " between CPUs " : "",
		f->number == SD_FLEET_TRANSFER_PAIR ? fleet->node[f->node].pair[f->pair].cpus : "",
		v.value, sd_fleet_finding_unit(f), v.low, v.high,
		sd_fleet_percent(v.value, f->median), f->median, f->alike);
}

/* Puts how to drain a node that is worse than its like: one that is better needs none. */
static void put_drain(struct sd_page *p, const struct sd_fleet *fleet,
	const struct sd_fleet_finding *first, size_t n)
{
	const struct sd_fleet_finding *worst = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const double by = fabs(sd_fleet_percent(
			sd_fleet_finding_value(fleet, &first[i]).value, first[i].median));

		if (sd_fleet_finding_worse(fleet, &first[i]) && by > most) {
			most = by;
			worst = &first[i];
		}
	}
	if (worst)
		sd_page_wrap(p, "    drain: ", 11,
			"scontrol update nodename=%s state=drain reason=\"scalediag: %s %+.1f%%\"",
			fleet->node[worst->node].host, sd_fleet_finding_name(worst),
			sd_fleet_percent(
				sd_fleet_finding_value(fleet, worst).value, worst->median));
}

/* findings [at, at + n) are of one node. */
static int put_node(struct sd_page *p, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, size_t at, size_t n)
{
	const struct sd_fleet_finding *const first = &findings->finding[at];
	struct sd_texts causes = {.n = 0};
	struct sd_fleet_usual usual;
	int rc = sd_fleet_usual_of(fleet, sd_fleet_findings_group(findings, first->node), &usual);

	if (rc == 0)
		rc = sd_fleet_causes(fleet, &usual, first, n, &causes);
	for (size_t i = 0; i < n && i < NAMED; i++)
		put_number(p, fleet, &first[i]);
	if (n > NAMED)
		sd_page_wrap(p, "    ", 4, "and %zu more numbers", n - NAMED);
	for (size_t i = 0; i < causes.n; i++)
		sd_page_wrap(p, i ? "         " : "    why: ", 9, "%s", causes.text[i]);
	put_drain(p, fleet, first, n);
	sd_texts_free(&causes);
	return rc;
}

static size_t run_of_node(const struct sd_fleet_findings *f, size_t at)
{
	size_t n = 1;

	while (at + n < f->n && f->finding[at + n].node == f->finding[at].node)
		n++;
	return n;
}

static int put_findings(struct sd_page *p, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const char *host)
{
	size_t out = 0;
	int rc = 0;

	for (size_t at = 0, n; rc == 0 && at < findings->n; at += n) {
		n = run_of_node(findings, at);
		if (host && strcmp(fleet->node[findings->finding[at].node].host, host) != 0)
			continue;
		out++;
		rc = put_node(p, fleet, findings, at, n);
	}
	if (!host)
		sd_page_wrap_tone(p, out ? SD_TONE_BAD : SD_TONE_GOOD, "", 0,
			"%zu of %zu nodes out; %zu not judged", out, findings->n_judged,
			fleet->n - findings->n_judged);
	else if (!out)
		sd_page_wrap_tone(p, SD_TONE_GOOD, "", 0, "%s is like its like", host);
	return rc;
}

int sd_fleet_findings_text(FILE *f, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const char *host,
	const struct sd_report_style *style)
{
	struct sd_page p;
	int rc;

	sd_page_begin(&p, f, style);
	rc = put_findings(&p, fleet, findings, host);
	return rc ? rc : sd_page_end(&p);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void put_extreme(struct sd_page *p, const struct sd_fleet *fleet,
	const struct sd_fleet_group *g, size_t number, int highest)
{
	const struct sd_fleet_node *best = NULL;
	char text[96];

	for (size_t i = g->first; i < g->end; i++) {
		const struct sd_fleet_node *const node = &fleet->node[i];

		if (!sd_status_bounded(node->number[number]))
			continue;
		if (!best || (highest ? node->number[number].value > best->number[number].value
				      : node->number[number].value < best->number[number].value))
			best = node;
	}
	if (!best)
		return;
	snprintf(text, sizeof text, "%+.1f %% %.24s",
		sd_fleet_percent(best->number[number].value, g->middle[number].median), best->host);
	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, text, 20, 0);
}

static void put_group(
	struct sd_page *p, const struct sd_fleet *fleet, const struct sd_fleet_group *g)
{
	size_t number[SD_NODE_NUMBERS];
	const size_t n = sd_fleet_shown(fleet, g, number);

	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_page_wrap_tone(
		p, SD_TONE_BOLD, "", 0, "%zu x %s", g->end - g->first, fleet->node[g->first].group);
	if (n)
		sd_page_put(p, SD_TONE_DIM, "  %-16s %15s  %-20s  %s\n", "number", "median",
			"lowest", "highest");
	for (size_t i = 0; i < n; i++) {
		char median[48];

		snprintf(median, sizeof median, "%.4g %s", g->middle[number[i]].median,
			sd_node_numbers_unit(number[i]));
		sd_page_put(
			p, SD_TONE_PLAIN, "  %-16s %15s", sd_node_numbers_name(number[i]), median);
		put_extreme(p, fleet, g, number[i], 0);
		put_extreme(p, fleet, g, number[i], 1);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

/* ---- settings, and who was not judged -------------------------------------------------------- */

static int is_out(const struct sd_fleet_findings *f, size_t node)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finding[i].node == node)
			return 1;
	return 0;
}

static int put_settings_of(struct sd_page *p, const struct sd_fleet *fleet, size_t node,
	const struct sd_fleet_usual *usual, size_t *named)
{
	struct sd_texts settings = {.n = 0};
	char first[300];
	const int rc = sd_fleet_settings(&fleet->node[node], usual, &settings);

	if (settings.n && ++*named <= NAMED) {
		if (*named == 1)
			sd_page_put(p, SD_TONE_BOLD,
				"\nOther settings, and numbers like the others'\n");
		snprintf(first, sizeof first, "  %s: ", fleet->node[node].host);
		for (size_t i = 0; i < settings.n; i++)
			sd_page_wrap(p, i ? "    " : first, 4, "%s", settings.text[i]);
	}
	sd_texts_free(&settings);
	return rc;
}

static int put_settings(
	struct sd_page *p, const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	size_t named = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->n_group; i++) {
		struct sd_fleet_usual usual;

		if (f->group[i].end - f->group[i].first < SD_FLEET_LEAST_NODES)
			continue;
		rc = sd_fleet_usual_of(fleet, &f->group[i], &usual);
		for (size_t k = f->group[i].first; rc == 0 && k < f->group[i].end; k++)
			if (!is_out(f, k))
				rc = put_settings_of(p, fleet, k, &usual, &named);
	}
	if (named > NAMED)
		sd_page_put(p, SD_TONE_PLAIN, "  and %zu more nodes\n", named - NAMED);
	return rc;
}

static void put_not_judged(
	struct sd_page *p, const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	size_t named = 0;

	for (size_t i = 0; i < fleet->n; i++) {
		char why[700], first[300];

		if (f->judged[i] || ++named > NAMED)
			continue;
		if (named == 1)
			sd_page_put(p, SD_TONE_BOLD, "\nNot judged\n");
		sd_fleet_alone(fleet, f, i, why, sizeof why);
		snprintf(first, sizeof first, "  %s: ", fleet->node[i].host);
		sd_page_wrap(p, first, 4, "%s", why);
	}
	if (named > NAMED)
		sd_page_put(p, SD_TONE_PLAIN, "  and %zu more nodes\n", named - NAMED);
}

int sd_fleet_text(FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings,
	const struct sd_report_style *style)
{
	struct sd_page p;
	int rc;

	sd_page_begin(&p, f, style);
	rc = put_findings(&p, fleet, findings, NULL);
	for (size_t i = 0; i < findings->n_group; i++)
		if (findings->group[i].end - findings->group[i].first >= SD_FLEET_LEAST_NODES)
			put_group(&p, fleet, &findings->group[i]);
	if (rc == 0)
		rc = put_settings(&p, fleet, findings);
	put_not_judged(&p, fleet, findings);
	return rc ? rc : sd_page_end(&p);
}
