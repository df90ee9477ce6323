#include "page/report_style.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "page/page.h"
#include "render/render.h"
#include "text/sections.h"
#include "view/view.h"
#include "view/view_damage.h"
#include "view/view_parts.h"

static void put_header(struct sd_page *p, const struct sd_view *v)
{
	sd_section_warned(p, v);
	sd_page_wrap(p, "scalediag  ", 11, "%s · %s · %s", v->command, v->measured, v->basis);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_answer(struct sd_page *p, const struct sd_view *v)
{
	sd_page_wrap_tone(p, sd_section_tone[v->mood], "", 2, "%s%s%s", v->answer,
		v->main_cause ? " " : "", v->main_cause ? v->main_cause : "");
	if (v->latency)
		sd_page_wrap(p, "", 2, "%s", v->latency);
}

/* Runs that do not stand in the table. */
static void put_other_runs(struct sd_page *p, const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].runs_other > 0)
			sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4,
				"%u core%s: %zu run%s in the other placement, or across a change, %s",
				a->point[i].cores, a->point[i].cores == 1 ? "" : "s",
				a->point[i].runs_other, a->point[i].runs_other == 1 ? "" : "s",
				a->other.state ? "judged by themselves" : "not used");
}

static void put_warnings(struct sd_page *p, const struct sd_record *r, const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (!sd_view_is_race(a->warnings.text[i]))
			sd_page_wrap_tone(
				p, SD_TONE_DOUBT, "Warning: ", 2, "%s", a->warnings.text[i]);
	for (size_t i = 0; i < r->warnings.n; i++)
		if (!sd_texts_has(&a->warnings, r->warnings.text[i]))
			sd_page_wrap_tone(
				p, SD_TONE_DOUBT, "Warning: ", 2, "%s", r->warnings.text[i]);
}

static void put_hint(struct sd_page *p, const struct sd_record *r, const struct sd_report_style *s)
{
	const char *const path = s ? s->record_path : NULL;
	char *word;

	if (!path)
		return;
	word = sd_page_word(path);
	if (word && r->complete)
		sd_page_wrap(p, "Record ", 7, "%s · scalediag report --html FILE %s", path, word);
	else if (word && r->program.attached)
		sd_page_wrap(p, "Record ", 7, "%s", path);
	else if (word)
		sd_page_wrap(p, "Record ", 7, "%s · go on: scalediag --resume %s", path, word);
	else
		p->failed = 1;
	free(word);
}

int sd_report_text(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_page page, *const p = &page;
	struct sd_document b = sd_render_text(p, s && s->all);
	const struct sd_fact_rows points = sd_facts_points_table(a, 0);
	const char *const folder = r->program.cwd;
	struct sd_view v;

	if (sd_view_make(&v, r, a, s ? s->record_path : NULL))
		return -EIO;
	sd_page_begin(p, f, s);
	put_header(p, &v);
	if (a->n_point > 0) {
		sd_render_text_table(p, &points, 1);
		put_other_runs(p, a);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		put_answer(p, &v);
		/* before what they cast doubt on */
		put_warnings(p, r, a);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		sd_section_stack(p, r, a);
		sd_section_findings(p, &v);
		sd_facts_ranks(&b, a);
		sd_facts_requests(&b, a);
		sd_facts_regions(&b, a);
		sd_facts_span(&b, a);
		sd_section_functions(p, a, s);
		sd_section_sources(p, a, s);
		sd_facts_locks(&b, a, folder, SD_FACTS_LOCKS);
		sd_facts_kernel_locks(&b, r);
		if (b.all)
			sd_facts_threads(&b, a, folder);
		sd_section_metrics(p, a);
		sd_section_events(p, a, s);
		sd_section_experiments(p, a, s);
		if (b.all)
			sd_facts_steps(&b, a);
		sd_facts_estimates(&b, a);
		sd_section_outlook(p, a);
		sd_facts_probe_costs(&b, r);
		sd_facts_neighbours(&b, r);
		sd_facts_method(&b, r, a, sd_view_shielded(r));
	} else {
		put_answer(p, &v);
		put_warnings(p, r, a);
	}
	put_hint(p, r, s);
	sd_view_free(&v);
	page.failed |= b.failed;
	return sd_page_end(p);
}
