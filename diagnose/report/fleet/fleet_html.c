#include <errno.h>
#include <math.h>
#include <string.h>

#include "fleet/fleet_facts.h"
#include "fleet/fleet_report.h"
#include "html/html_sections.h"
#include "render/render.h"

/* Beyond what the report's style has. Shades by how far from the median: five steps either way. */
static const char style[] =
	"<style>\n.map td{padding:0 .4em;text-align:right;font-variant-numeric:tabular-nums}\n"
	".map th{position:sticky;top:0;background:var(--paper,Canvas)}\n"
	".map td:first-child{text-align:left}\n"
	".w1{background:#e8a33d33}.w2{background:#e8a33d77}.w3{background:#d9480f99}"
	".w4{background:#c92a2acc;color:#fff}\n"
	".b1{background:#4c9be822}.b2{background:#4c9be855}.b3{background:#1c7ed688}"
	".b4{background:#1864abcc;color:#fff}\n"
	".out{outline:2px solid currentColor;font-weight:bold}\n"
	".map{max-height:85vh;overflow:auto}\n</style>\n";

/* Per cent from which a shade begins. */
static const double steps[] = {1, 3, 5, 10};

static void put_cell(
	FILE *f, struct sd_interval v, double median, int high_is_worse, int out, const char *unit)
{
	const double percent = sd_fleet_percent(v.value, median);
	int shade = 0;

	if (!sd_status_bounded(v) || !isfinite(median)) {
		fputs("<td>–</td>", f);
		return;
	}
	while (shade < 4 && fabs(percent) >= steps[shade])
		shade++;
	fputs("<td", f);
	if (shade || out)
		fprintf(f, " class=\"%c%d%s\"", (percent > 0) == high_is_worse ? 'w' : 'b', shade,
			out ? " out" : "");
	fprintf(f, " title=\"%.4g %s (%.4g–%.4g)\">%+.1f</td>", v.value, unit, v.low, v.high,
		percent);
}

/* The first finding of a node, from *at on; they are in the order of nodes. */
static int is_out(const struct sd_fleet_findings *f, size_t *at, size_t node, size_t number)
{
	while (*at < f->n && f->finding[*at].node < node)
		++*at;
	for (size_t i = *at; i < f->n && f->finding[i].node == node; i++)
		if (f->finding[i].number == number)
			return 1;
	return 0;
}

static void put_map(struct sd_document *b, const char *id, const void *of)
{
	const struct sd_fleet_map *const m = of;
	const struct sd_fleet_group *const g = m->group;
	size_t number[SD_NODE_NUMBERS], at = 0;
	const size_t n = sd_fleet_shown(m->fleet, g, number);
	FILE *const f = b->to;

	(void)id;
	fputs("<p>Per cent from the median of its like; framed: out. The number itself is on "
	      "hover.</p>\n<div class=\"map\"><table>\n<thead><tr><th>node</th>",
		f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "<th>%s<br>%.4g %s</th>", sd_node_numbers_name(number[i]),
			g->middle[number[i]].median, sd_node_numbers_unit(number[i]));
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t k = g->first; k < g->end; k++) {
		sd_html_around(f, "<tr><td>", m->fleet->node[k].host, "</td>");
		for (size_t i = 0; i < n; i++)
			put_cell(f, m->fleet->node[k].number[number[i]],
				g->middle[number[i]].median,
				strcmp(sd_node_numbers_unit(number[i]), "ns") == 0,
				is_out(m->findings, &at, k, number[i]),
				sd_node_numbers_unit(number[i]));
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

int sd_fleet_html(FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings)
{
	struct sd_document b = sd_render_html(f);

	b.picture = put_map;
	sd_html_head(f, "fleet");
	fputs(style, f);
	fprintf(f, "<main>\n<h1>%zu nodes</h1>\n", fleet->n);
	sd_fleet_facts(&b, fleet, findings);
	fputs("</main>\n</body>\n</html>\n", f);
	return b.failed ? -ENOMEM : ferror(f) ? -EIO : 0;
}
