#include "report/formats.h"
#include "export/csv.h"
#include "export/folded_text.h"
#include "export/markdown.h"
#include "export/open_metrics.h"
#include "export/review.h"
#include "export/viewers.h"
#include "html/html.h"
#include "json/json_brief.h"
#include "text/brief.h"
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

static int print_json(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	(void)s;
	return sd_report_json(f, r, a);
}

static int print_text(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	return s && s->all ? sd_report_text(f, r, a, s) : sd_brief_report(f, r, a, s);
}

/* clang-format off */
const struct sd_report_format sd_report_formats[] = {
	{"text", "for people (the default)", print_text, SD_FLAMES_NONE},
	{"json", "one object for machines", print_json, SD_FLAMES_NONE},
	{"brief", "one object of at most 4 KB, on one line", sd_json_brief_report, SD_FLAMES_NONE},
	{"html", "one page for a browser, with charts", sd_html_report, SD_FLAMES_TOO},
	{"csv", "a row for each number of each core count", sd_csv_report, SD_FLAMES_NONE},
	{"csv-runs", "a row for each measured value of each run", sd_csv_runs, SD_FLAMES_NONE},
	{"markdown", "for a comment on a change", sd_markdown_report, SD_FLAMES_NONE},
	{"folded", "sampled stacks for flame graphs, us of CPU time a run", sd_folded_text, SD_FLAMES_ALONE},
	{"folded-diff", "the same at the reference and at the point", sd_folded_text_diff, SD_FLAMES_ALONE},
	{"firefox-profiler", "for profiler.firefox.com: stacks, threads over time", sd_viewers_firefox, SD_FLAMES_VIEWER},
	{"perfetto", "for ui.perfetto.dev: runs, threads over time", sd_viewers_perfetto, SD_FLAMES_LANES},
	{"pprof", "for go tool pprof, Pyroscope: stacks, a value a core count", sd_viewers_pprof, SD_FLAMES_VIEWER},
	{"speedscope", "for speedscope.app: stacks, threads over time", sd_viewers_speedscope, SD_FLAMES_VIEWER},
	{"sarif", "remarks on lines of code, for code scanning", sd_review_sarif, SD_FLAMES_NONE},
	{"code-quality", "the same for GitLab's merge requests", sd_review_code_quality, SD_FLAMES_NONE},
	{"github", "the same as annotations of a GitHub workflow", sd_review_github, SD_FLAMES_NONE},
	{"openmetrics", "gauges for Prometheus and its node_exporter", sd_open_metrics_report, SD_FLAMES_NONE},
	{"badge", "a picture (SVG) of the efficiency, for a page on the project", sd_review_badge, SD_FLAMES_NONE},
	{0},
};
/* clang-format on */

const struct sd_report_format *sd_report_format_find(const char *name)
{
	for (const struct sd_report_format *f = sd_report_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

char *sd_report_format_names(void)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	for (const struct sd_report_format *row = sd_report_formats; f && row->name; row++)
		fprintf(f, "%s%s",
			row == sd_report_formats ? ""
			: row[1].name            ? ", "
						 : " or ",
			row->name);
	return sd_page_written(f, &out);
}
