#include "html/html_sections.h"

#include "page/interval_text.h"

static void put_number(FILE *f, int known, double v, int decimals)
{
	if (known)
		fprintf(f, "<td>%.*f</td>", decimals, v);
	else
		fputs("<td>–</td>", f);
}

static void put_interval(FILE *f, struct sd_interval v, size_t runs, double factor, int decimals)
{
	fputs("<td>", f);
	sd_interval_text_put(f, v, runs, factor, decimals);
	fputs("</td>", f);
}

static void put_name(FILE *f, const struct sd_region_row *r)
{
	fprintf(f, "<tr><td class=\"left\" rowspan=\"%zu\">", r->n_point);
	sd_html_text(f, r->name);
	fputs("</td>", f);
}

static void put_marked(FILE *f, const struct sd_region_row *r)
{
	for (size_t k = 0; k < r->n_point; k++) {
		const struct sd_region_point *const t = &r->point[k];

		if (k)
			fputs("<tr>", f);
		else
			put_name(f, r);
		fprintf(f, "<td>%u</td>", t->cores);
		put_number(f, t->runs > 0, t->entries, 0);
		put_interval(f, t->elapsed, t->runs, 1, 3);
		put_number(f, t->runs > 0, 100 * t->share, 0);
		put_interval(f, t->speedup, t->runs, 1, 2);
		put_interval(f, t->efficiency, t->runs, 100, 0);
		put_number(f, t->runs > 0, t->threads, 1);
		put_number(f, sd_has(t->used), t->used.value, 2);
		put_number(f, sd_has(t->lost), t->lost.value, 2);
		fputs("</tr>\n", f);
	}
}

static void put_openmp(FILE *f, const struct sd_region_row *r)
{
	for (size_t k = 0; k < r->n_point; k++) {
		const struct sd_region_point *const t = &r->point[k];
		const double s[] = {t->ideal, t->gain, t->imbalance, t->lock, t->scheduling,
			t->barrier, t->serial};

		if (k)
			fputs("<tr>", f);
		else
			put_name(f, r);
		fprintf(f, "<td>%u</td>", t->cores);
		put_number(f, t->runs > 0, t->entries, 0);
		put_interval(f, t->elapsed, t->runs, 1, 3);
		put_number(f, t->runs > 0, t->threads, 1);
		for (size_t i = 0; i < sizeof s / sizeof *s; i++)
			put_number(f, t->runs > 0, s[i], 3);
		put_number(f, t->runs > 0, t->tasks, 0);
		put_number(f, t->runs > 0, t->nested, 0);
		fputs("</tr>\n", f);
	}
}

static void put_notes(FILE *f, const struct sd_region_losses *l, enum sd_region_kind kind)
{
	for (size_t i = 0; i < l->n_row; i++)
		for (size_t k = 0; l->row[i].kind == kind && k < l->row[i].notes.n; k++) {
			fputs("<p class=\"soft\">", f);
			sd_html_text(f, l->row[i].name);
			fputs(": ", f);
			sd_html_text(f, l->row[i].notes.text[k]);
			fputs("</p>\n", f);
		}
}

static void put_table(FILE *f, const struct sd_region_losses *l, enum sd_region_kind kind,
	const char *head, void (*put)(FILE *f, const struct sd_region_row *r))
{
	int any = 0;

	for (size_t i = 0; i < l->n_row; i++)
		if (l->row[i].kind == kind) {
			if (!any++)
				fputs(head, f);
			put(f, &l->row[i]);
		}
	if (any)
		fputs("</tbody></table></div>\n", f);
	put_notes(f, l, kind);
}

void sd_html_regions(FILE *f, const struct sd_analysis *a)
{
	const struct sd_region_losses *const l = &a->regions;

	if (l->n_row)
		fputs("<h2 id=\"regions\">Regions</h2>\n", f);
	put_table(f, l, SD_REGION_MARKED,
		"<p class=\"soft\">Those that the program marks. Lost: cores of the whole run, more than at "
		"the reference.</p><div class=\"scroll\"><table><thead><tr><th class=\"left\">region</th>"
		"<th>cores</th><th>entries</th><th>elapsed s</th><th>% of the time</th><th>speedup</th>"
		"<th>efficiency %</th><th>threads</th><th>cores used</th><th>cores lost</th></tr></thead><tbody>\n",
		put_marked);
	put_table(f, l, SD_REGION_OPENMP,
		"<p class=\"soft\">Those of OpenMP, seconds a run. Gain: what the region would take less "
		"without its losses, the four columns behind it. Before: serial, ahead of its "
		"entries.</p><div class=\"scroll\"><table><thead><tr><th class=\"left\">region</th>"
		"<th>cores</th><th>entries</th><th>elapsed s</th><th>team</th><th>ideal</th><th>gain</th>"
		"<th>imbalance</th><th>lock</th><th>scheduling</th><th>fork, join, barrier</th><th>before</th>"
		"<th>tasks</th><th>nested entries</th></tr></thead><tbody>\n",
		put_openmp);
	for (size_t i = 0; i < l->notes.n; i++) {
		fputs("<p class=\"soft\">", f);
		sd_html_text(f, l->notes.text[i]);
		fputs("</p>\n", f);
	}
}
