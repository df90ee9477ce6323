#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html/html.h"
#include "wording/headline.h"
#include "html/html_sections.h"
#include "page/page.h"

static void put_answer(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	static const char *const class_of[] = {[SD_TONE_PLAIN] = "",
		[SD_TONE_BOLD] = "bad",
		[SD_TONE_GOOD] = "good",
		[SD_TONE_DOUBT] = "doubt"};
	char *const line = sd_headline(r, a);
	enum sd_tone tone;
	char *const answer = sd_headline_answer(r, a, &tone);

	fputs("<header><div class=\"bar\"><button id=\"theme\" type=\"button\" hidden>light or dark"
	      "</button></div><h1>scalediag</h1><p class=\"soft code\">",
		f);
	sd_html_text(f, line);
	fprintf(f, "</p></header>\n<main>\n<p class=\"answer %s\">", class_of[tone]);
	sd_html_text(f, answer);
	fputs("</p>\n", f);
	free(line);
	free(answer);
}

static int has_text(const struct sd_texts *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->text[i], text) == 0)
			return 1;
	return 0;
}

static void put_warnings(FILE *f, const struct sd_texts *t, const struct sd_texts *said)
{
	for (size_t i = 0; i < t->n; i++) {
		if (said && has_text(said, t->text[i]))
			continue;
		fputs("<p class=\"warning\">Warning: ", f);
		sd_html_text(f, t->text[i]);
		fputs("</p>\n", f);
	}
}

static int has_bandwidth(const struct sd_record *r)
{
	for (size_t i = 0; i < r->calibration.n_ceiling; i++)
		if (sd_has(r->calibration.ceiling[i].bandwidth))
			return 1;
	return 0;
}

static void put_node(FILE *f, const struct sd_record *r)
{
	if (!has_bandwidth(r) && !r->layout.n_loaded && r->layout.pairs.n < 2)
		return;
	fputs("<h2 id=\"node\">This node's limits</h2>\n<div class=\"grid\">\n", f);
	if (has_bandwidth(r))
		sd_html_chart(f, "bandwidth", "Memory bandwidth against the calibrated ceiling");
	if (r->layout.n_loaded)
		sd_html_chart(f, "loaded", "Latency of memory under load");
	if (r->layout.pairs.n > 1)
		fputs("<figure><figcaption>Round trip of a cache line between CPUs</figcaption><canvas class=\"heat\" id=\"heat\" role=\"img\" aria-label=\"Round trips of a cache line; arrow keys walk through the pairs\"></canvas><p class=\"say\" aria-live=\"polite\"></p><details id=\"heat-table\"><summary>As a table</summary><div class=\"scroll\"></div></details></figure>\n",
			f);
	fputs("</div>\n", f);
	if (!has_bandwidth(r))
		return;
	fputs("<details><summary>Ceilings as a table</summary><table><thead><tr><th>cores</th>"
	      "<th>GB/s (1e9)</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < r->calibration.n_ceiling; i++)
		fprintf(f, "<tr><td>%u</td><td>%.1f</td></tr>\n", r->calibration.ceiling[i].cores,
			r->calibration.ceiling[i].bandwidth.value * 1e-9);
	fputs("</tbody></table></details>\n", f);
}

static void put_flame(FILE *f, const struct sd_folded_stacks *folded)
{
	if (!folded || !folded->n)
		return;
	fprintf(f,
		"<h2 id=\"flames\">Flame graph of the difference, %u cores against %u</h2>\n"
		"<figure><p class=\"soft\">Red grew, blue shrank; Enter or a click zooms in, the top one zooms out.</p><div class=\"flame\" id=\"flame\"></div><p class=\"say\" aria-live=\"polite\"></p></figure>\n",
		folded->cores_after, folded->cores_before);
}

static void put_body(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	const struct sd_folded_stacks *const folded = s ? s->folded : NULL;

	fputs("<div class=\"grid\">\n", f);
	sd_html_chart(f, "speedup", "Speedup against ideal");
	sd_html_chart(f, "stack", "Where the cores went");
	fputs("</div>\n", f);
	sd_html_points(f, a);
	sd_html_outlook(f, a);
	fputs("<h2 id=\"causes\">Causes</h2>\n", f);
	sd_html_findings(f, a);
	sd_html_experiments(f, a);
	sd_html_ranks(f, a);
	sd_html_lines(f, r, s ? s->lines : NULL);
	sd_html_losses(f, a);
	sd_html_sources(f, a, s);
	sd_html_locks(f, a);
	sd_html_threads(f, a);
	put_flame(f, folded);
	fputs("<h2 id=\"stack\">Where the cores went, in cores</h2>\n", f);
	sd_html_stack(f, a);
	put_node(f, r);
	sd_html_machine(f, r);
	fputs("<h2 id=\"method\">How it was measured</h2>\n", f);
	sd_html_chart(f, "runs", "Every run");
	sd_html_method(f, r, a);
	sd_html_metrics(f, a);
	sd_html_runs(f, r);
}

int sd_html_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	const struct sd_folded_stacks *const folded = s ? s->folded : NULL;
	int rc = 0;

	sd_html_head(f, r->program.argv.n ? r->program.argv.text[0] : "?");
	put_answer(f, r, a);
	put_warnings(f, &a->warnings, NULL);
	put_warnings(f, &r->warnings, &a->warnings);
	if (a->n_point) {
		put_body(f, r, a, s);
		sd_html_scripts(f);
		rc = sd_html_data(f, r, a, folded);
		sd_html_end(f);
	} else {
		fputs("</main>\n</body>\n</html>\n", f);
	}
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
