#include "learn/lesson_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison/comparison_report.h"
#include "html/html_sections.h"
#include "learn/lesson_diff.h"
#include "learn/lesson_folder.h"
#include "learn/lesson_rows.h"
#include "learn/lesson_screen.h"
#include "page/interval_text.h"
#include "page/markup.h"
#include "view/view_family.h"

const char sd_lesson_picture_style[] =
	"pre{overflow-x:auto;border:1px solid var(--rule);padding:.6em;font-size:85%}"
	"pre i{color:var(--soft);font-style:normal}"
	".times i,.share-of i{display:block;font-style:normal;white-space:nowrap;overflow:hidden}"
	".times .track,.share-of{background:var(--card);border:1px solid var(--rule);"
	"position:relative;height:1.6em;margin:.15rem 0}"
	".times .track b{display:block;height:100%;background:var(--bad)}"
	".times .fixed b{background:var(--good)}"
	".times .track u{position:absolute;top:.65em;height:.3em;background:var(--ink)}"
	".share-of{display:flex}.share-of i{background:var(--family);color:#fff}"
	".key{display:inline-block;margin-right:1em}"
	".key::before{content:'';display:inline-block;width:.8em;height:.8em;margin-right:.3em;"
	"background:var(--family)}"
	".gain{font-weight:600;font-size:1.2em}"
	"del,ins{display:block;text-decoration:none}"
	"del{color:var(--bad)}ins{color:var(--good)}"
	"@media print{pre{white-space:pre-wrap}}";

void sd_lesson_told_free(struct sd_lesson_told *told)
{
	free(told->results);
	free(told->picture);
	*told = (struct sd_lesson_told){0};
}

/* Times of both versions at every count as bars to one scale; the dark line is the interval. */
static void put_times(FILE *f, const struct sd_comparison *c)
{
	const int decimals = sd_lesson_screen_decimals(c);
	double most = 0;

	for (size_t i = 0; i < c->n_point; i++)
		for (int v = 0; v < SD_VERSIONS; v++) {
			const struct sd_interval x =
				v == SD_BROKEN ? c->point[i].wall_before : c->point[i].wall_after;

			if (sd_status_measured(x))
				most = fmax(most, fmax(x.value, isfinite(x.high) ? x.high : 0));
		}
	if (!(most > 0))
		return;
	fputs("<table class=\"times\"><thead><tr><th>cores</th><th class=\"left\">version</th>"
	      "<th>seconds</th><th style=\"width:60%\"></th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < c->n_point; i++)
		for (int v = 0; v < SD_VERSIONS; v++) {
			const struct sd_interval x =
				v == SD_BROKEN ? c->point[i].wall_before : c->point[i].wall_after;

			fprintf(f, "<tr><td>%u</td><td class=\"left\">%s.c</td>", c->point[i].cores,
				sd_lesson_folder_version[v]);
			sd_html_cell(f, x, 2, 1, decimals, "");
			fprintf(f, "<td><div class=\"track %s\">", sd_lesson_folder_version[v]);
			if (sd_status_measured(x))
				fprintf(f, "<b style=\"width:%.1f%%\"></b>", 100 * x.value / most);
			if (sd_status_measured(x) && sd_status_bounded(x))
				fprintf(f, "<u style=\"left:%.1f%%;width:%.1f%%\"></u>",
					100 * x.low / most, 100 * (x.high - x.low) / most);
			fputs("</div></td></tr>\n", f);
		}
	fputs("</tbody></table>\n", f);
}

static const char *family_of(const struct sd_lesson_row *r)
{
	return r->component == SD_COMPONENT_COUNT ? "unknown" : sd_view_family(r->component);
}

/* All cores of a version, divided; what is negative, a gain, has no width. */
/* Share of the cores; a narrower part has no room for its number. */
#define NUMBER_LEAST .06

static void put_share(FILE *f, const struct sd_lesson_row *row, size_t n, int v, unsigned cores)
{
	fprintf(f, "<p class=\"soft\">%s.c</p><div class=\"share-of\">",
		sd_lesson_folder_version[v]);
	for (size_t i = 0; i < n; i++) {
		const double part = row[i].cores[v] / cores;

		if (part <= 0)
			continue;
		fprintf(f,
			"<i class=\"family-%s\" style=\"width:%.1f%%\" title=\"%s: %.2f of %u "
			"cores\">",
			family_of(&row[i]), 100 * part, sd_lesson_row_label(&row[i]),
			row[i].cores[v], cores);
		if (part >= NUMBER_LEAST)
			fprintf(f, "%.2f", row[i].cores[v]);
		fputs("</i>", f);
	}
	fputs("</div>\n", f);
}

static void put_shares(FILE *f, const struct sd_diagnosis d[2])
{
	struct sd_lesson_row row[SD_COMPONENT_COUNT + 1];
	const size_t n = sd_lesson_rows(d, row);
	const struct sd_analysis *const a = &d[0].analysis;
	const unsigned cores = a->point[a->n_point - 1].n;

	fprintf(f, "<p><b>Where the time of %u core%s goes, in cores</b></p>\n", cores,
		cores == 1 ? "" : "s");
	for (int v = 0; v < SD_VERSIONS; v++)
		put_share(f, row, n, v, cores);
	fputs("<p>", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "<span class=\"key family-%s\">%s %.2f, then %.2f</span> ",
			family_of(&row[i]), sd_lesson_row_label(&row[i]), row[i].cores[SD_BROKEN],
			row[i].cores[SD_FIXED]);
	fputs("</p>\n", f);
}

void sd_lesson_picture_code(FILE *f, const struct sd_lesson_files *files)
{
	struct sd_lesson_changed line[2 * SD_LESSON_DIFF_SHOWN];
	int more;
	const size_t n = sd_lesson_diff_code(files->broken, files->fixed, line, &more);

	fputs("<pre>", f);
	for (size_t i = 0; i < n; i++) {
		const char *const element = line[i].fixed ? "ins" : "del";
		char *const text = strndup(line[i].at, line[i].length);

		fprintf(f, "<%s>%c <i>%3u</i>  ", element, line[i].fixed ? '+' : '-',
			line[i].number);
		for (const char *at = text; at && *at == '\t'; at++)
			fputs("    ", f);
		sd_markup_xml(f, text ? text + strspn(text, "\t") : "");
		fprintf(f, "</%s>", element);
		free(text);
	}
	fprintf(f, "</pre>%s\n", more ? "<p class=\"soft\">and more lines of the change</p>" : "");
}

void sd_lesson_picture(FILE *f, const struct sd_lesson_files *files, const struct sd_diagnosis d[2],
	const struct sd_comparison *c)
{
	char *const sentence = sd_comparison_sentence(c);

	put_times(f, c);
	if (c->work > 0)
		fprintf(f, "<p class=\"soft\">seconds of the same work, %.4g units</p>\n", c->work);
	fputs("<p class=\"gain\">fixed.c: ", f);
	sd_markup_xml(f, sentence ? sentence : "");
	fputs("</p>\n", f);
	free(sentence);
	put_shares(f, d);
	sd_lesson_picture_code(f, files);
}
