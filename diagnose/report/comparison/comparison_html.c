#include <errno.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "html/html_sections.h"
#include "render/html_values.h"
#include "render/render.h"
#include "view/view.h"

static void put_tables(FILE *f, const struct sd_comparison *c)
{
	const struct sd_fact_rows points = sd_comparison_points(c),
				  causes = sd_comparison_causes(c);
	const struct sd_compared_point *const last = c->n_point ? &c->point[c->n_point - 1] : NULL;

	sd_render_html_table(f, &points);
	if (last) {
		const struct sd_fact_rows parts = sd_comparison_parts(last);

		fprintf(f, "<h2 id=\"moved\">What moved at %u cores, in core-seconds a run</h2>\n",
			last->cores);
		sd_render_html_table(f, &parts);
	}
	fputs("<h2 id=\"causes\">Causes</h2>\n", f);
	sd_render_html_table(f, &causes);
	fputs("<p class=\"soft\">Causes that neither record names are left out.</p>\n", f);
}

static int put_data(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const memory = open_memstream(&text, &size);
	int rc = memory ? sd_comparison_json(memory, c, s) : -ENOMEM;

	if (memory && fclose(memory) != 0)
		rc = -ENOMEM;
	if (!rc)
		sd_html_json(f, text);
	free(text);
	return rc;
}

/* Puts the record's name, and when it was measured where that is known. */
static void put_side(FILE *f, const char *name, const struct sd_record *r)
{
	const time_t at = r ? sd_view_measured_at(r) : 0;
	struct tm tm;
	char text[32];

	sd_html_text(f, name);
	if (at && gmtime_r(&at, &tm) && strftime(text, sizeof text, " (%Y-%m-%d %H:%M UTC)", &tm))
		fputs(text, f);
}

int sd_comparison_html(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *const sentence = sd_comparison_sentence(c), *const moved = sd_comparison_moved(c);
	const size_t n = c->n_point;
	int rc;

	sd_html_head(f, s->after);
	fputs("<header><div class=\"bar\"><button id=\"theme\" type=\"button\" hidden>light or dark"
	      "</button></div><h1>scalediag</h1><p class=\"soft code\">",
		f);
	put_side(f, s->before, s->before_record);
	fputs(", then ", f);
	put_side(f, s->after, s->after_record);
	fprintf(f, "</p></header>\n<main>\n<p class=\"answer %s\">",
		n && c->point[n - 1].time == SD_CHANGE_LESS   ? "good"
		: n && c->point[n - 1].time == SD_CHANGE_MORE ? "bad"
							      : "");
	sd_html_text(f, sentence);
	sd_html_around(f, "</p>\n<p class=\"main-cause\">", moved, "</p>\n");
	free(sentence);
	free(moved);
	fputs("<div class=\"grid\">\n", f);
	sd_html_chart(f, "times", "Time before and after");
	sd_html_chart(
		f, "sides", "Where the core-seconds went: before on the left, after on the right");
	fputs("</div>\n", f);
	put_tables(f, c);
	for (size_t i = 0; i < c->warnings.n; i++) {
		sd_html_around(f, "<p class=\"warning\">", c->warnings.text[i], "</p>\n");
	}
	sd_html_scripts(f);
	rc = put_data(f, c, s);
	sd_html_end(f);
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
