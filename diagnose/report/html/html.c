#include <errno.h>
#include <string.h>

#include "facts/facts.h"
#include "html/html.h"
#include "html/html_sections.h"
#include "render/render.h"
#include "view/view.h"
#include "view/view_damage.h"
#include "view/view_parts.h"

static void put_warnings(FILE *f, const struct sd_texts *t, const struct sd_texts *said)
{
	for (size_t i = 0; i < t->n; i++) {
		if ((said && sd_texts_has(said, t->text[i])) || sd_view_is_race(t->text[i]))
			continue;
		sd_html_around(f, "<p class=\"warning\">", t->text[i], "</p>\n");
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

static void put_timeline(FILE *f, const struct sd_record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].lanes != NULL;
	if (!n)
		return;
	fputs("<h2 id=\"timeline\">What each thread did</h2>\n<figure id=\"lanes\"><p><label>Run at "
	      "<select class=\"count\"></select></label> <button type=\"button\" class=\"whole\">whole "
	      "run</button> <span class=\"soft\">Drag or arrow keys move, wheel or + and - zoom.</span></p>"
	      "<p class=\"key\"></p><div class=\"lanes\"><canvas role=\"img\" aria-label=\"A lane a "
	      "thread; arrow keys move through time, + and - zoom\"></canvas></div>"
	      "<p class=\"say\" aria-live=\"polite\"></p></figure>\n",
		f);
}

static void put_flames(FILE *f, const struct sd_stack_profile *p)
{
	if (!p || !p->n)
		return;
	fputs("<h2 id=\"flames\">Flame graphs</h2>\n<figure><p><label>Of <select id=\"flame-what\">"
	      "<option value=\"cpu\">CPU time</option><option value=\"off\">waiting (off CPU)</option>"
	      "<option value=\"difference\">difference of CPU time</option></select></label> <label>at "
	      "<select id=\"flame-count\"></select></label> <label>search <input id=\"flame-search\" "
	      "type=\"search\"></label></p><p class=\"soft\" id=\"flame-note\"></p><div class=\"flame\" "
	      "id=\"flame\"></div><p class=\"say\" aria-live=\"polite\"></p></figure>\n",
		f);
}

static void put_picture(struct sd_document *b, const char *id, const void *of)
{
	if (strcmp(id, "locks") == 0)
		sd_html_lock_graph(b->to, of);
}

/* Puts those that are ruled out or cannot be measured here as well. */
static void put_causes(FILE *f, const struct sd_view *v)
{
	const struct sd_fact_rows rows = sd_facts_finding_table(v->a, v->r->program.cwd);

	sd_render_html_folded(f, "all-causes",
		"All causes, with those that are ruled out or cannot be measured here", &rows);
}

/* From the answer to how it was found; warnings and what was not done come last. */
static void put_body(FILE *f, const struct sd_view *v, const struct sd_report_style *s)
{
	const struct sd_record *const r = v->r;
	const struct sd_analysis *const a = v->a;
	struct sd_document b = sd_render_html(f);

	b.picture = put_picture;
	sd_html_heat(f, v);
	fputs("<div class=\"no-print\">\n", f);
	put_timeline(f, r);
	put_flames(f, s ? s->stacks : NULL);
	fputs("</div>\n", f);
	sd_html_losses(f, v);
	sd_html_sources(f, v, s);
	sd_html_events(f, a);
	sd_facts_locks(&b, a, r->program.cwd, SD_FACTS_LOCKS);
	sd_facts_kernel_locks(&b, r);
	if (s)
		sd_html_lines_together(&b, r, s->own, s->lines);
	sd_html_lines(f, r, s ? s->own : NULL);
	sd_html_lines(f, r, s ? s->lines : NULL);
	sd_html_experiments(f, a);
	sd_facts_ranks(&b, a);
	sd_facts_requests(&b, a);
	sd_facts_regions(&b, a);
	sd_facts_span(&b, a);
	fputs("<div class=\"no-print\">\n", f);
	put_node(f, r);
	sd_html_machine(f, r);
	sd_facts_threads(&b, a, r->program.cwd);
	fputs("</div>\n<h2 id=\"method\">How it was measured</h2>\n", f);
	put_warnings(f, &a->warnings, NULL);
	put_warnings(f, &r->warnings, &a->warnings);
	fputs("<div class=\"no-print\">\n", f);
	sd_html_chart(f, "runs", "Every run");
	fputs("</div>\n", f);
	sd_facts_method(&b, r, a, sd_view_shielded(r));
	sd_facts_estimates(&b, a);
	sd_html_outlook(f, a);
	put_causes(f, v);
	sd_html_experiments_not_done(f, a);
	sd_facts_steps(&b, a);
	sd_facts_probe_costs(&b, r);
	sd_facts_neighbours(&b, r);
	sd_html_metrics(f, a);
	sd_html_runs(f, r);
}

static const struct sd_report_style no_style;

int sd_html_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;
	int rc = sd_view_make(&v, r, a, s ? s->record_path : NULL);

	if (rc)
		return rc;
	sd_html_head(f, *v.command ? v.command : "?");
	sd_html_header(f, &v);
	sd_html_answer(f, &v, s ? s : &no_style);
	if (a->n_point) {
		put_body(f, &v, s);
		sd_html_scripts(f);
		rc = sd_html_data(f, r, a, s);
		sd_html_end(f);
	} else {
		put_warnings(f, &a->warnings, NULL);
		put_warnings(f, &r->warnings, &a->warnings);
		fputs("</main>\n</body>\n</html>\n", f);
	}
	sd_view_free(&v);
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
