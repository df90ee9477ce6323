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

static void put_fits(struct sd_page *p, const struct sd_fits *f)
{
	if (sd_has(f->amdahl_serial) && f->amdahl_serial.value < 1) /* 1: nothing is gained */
		sd_page_wrap(p, "Amdahl fit: ", 2,
			"serial fraction %.1f %% (describes the curve, does not explain it)",
			100 * f->amdahl_serial.value);
	if (!sd_has(f->usl_alpha) || !sd_has(f->usl_beta) || !sd_has(f->usl_gamma))
		return;
	sd_page_wrap(p, "USL fit: ", 2,
		"contention %.4g, coherency %.4g, scale %.4g (describes the curve)",
		f->usl_alpha.value, f->usl_beta.value, f->usl_gamma.value);
	if (sd_has(f->usl_peak))
		sd_page_wrap(p, "  ", 2, "USL: maximum speedup at %.0f cores", f->usl_peak.value);
	if (sd_has(f->usl_limit))
		sd_page_wrap(p, "  ", 2, "USL: speedup stays below %.4gx", f->usl_limit.value);
}

/* "2 of 19 at 1 core, 1 of 19 at 2" */
static void put_outlying(struct sd_page *p, const struct sd_analysis *a)
{
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < a->n_point && used < sizeof text; i++)
		if (a->point[i].runs_outlying > 0)
			used += (size_t)snprintf(text + used, sizeof text - used,
				"%s%zu of %zu at %u%s", used ? ", " : "", a->point[i].runs_outlying,
				a->point[i].runs, a->point[i].cores,
				used                     ? ""
				: a->point[i].cores == 1 ? " core"
							 : " cores");
	if (used)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Outlying runs: ", 2,
			"%s (excluded from the breakdown)", text);
}

static void put_confidence(
	struct sd_page *p, const struct sd_record *r, const struct sd_analysis *a)
{
	char text[256] = "";
	size_t used = 0;

	if (sd_has(a->smallest))
		used += (size_t)snprintf(text + used, sizeof text - used,
			"; smallest detectable change of efficiency %.1f %%",
			100 * a->smallest.value);
	if (sd_has(a->drift))
		used += (size_t)snprintf(text + used, sizeof text - used,
			"; drift from first to last %+.1f %%", 100 * a->drift.value);
	if (sd_has(a->noise))
		used += (size_t)snprintf(text + used, sizeof text - used,
			"; background load at most %.1f %%", 100 * a->noise.value);
	if (sd_view_shielded(r))
		snprintf(text + used, sizeof text - used, "; the runs had precedence");
	if (a->bootstraps > 0)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Confidence: ", 2,
			"95 %% intervals from %zu bootstraps over whole runs%s", a->bootstraps,
			text);
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

/* Puts the calibration that the program is held against, or that there is none. */
static void put_calibration(struct sd_page *p, const struct sd_record *r)
{
	if (r->calibration.statement)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Node: ", 2, "%s", r->calibration.statement);
}

/* Prints how the machine was set up while it was measured. */
static void put_setup(struct sd_page *p, const struct sd_node_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < SD_NODE_FACT_COUNT; i++)
		if (facts->text[i][0])
			fprintf(f, "%s%s %s", ftell(f) > 0 ? "; " : "", sd_node_fact_label[i],
				facts->text[i]);
	text = sd_page_written(f, &text);
	p->failed |= !text;
	if (text && *text)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Set up: ", 2, "%s", text);
	free(text);
}

/* Prints where the record is from, for somebody who doubts it. */
static void put_provenance(struct sd_page *p, const struct sd_record *r)
{
	const struct sd_texts *const set = &r->program.set;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	/* its warning says what a broken checksum means; this, that there is none */
	if (r->unchecked)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Unchecked: ", 2,
			"an older scalediag wrote this record, without a checksum: whether its "
			"numbers are those that were measured cannot be told");
	put_setup(p, &r->host.setup);
	if (r->program.build)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Compiled: ", 2, "%s", r->program.build);
	if (!set->n)
		return;
	f = open_memstream(&text, &size);
	for (size_t i = 0; f && i < set->n; i++)
		fprintf(f, "%s%s", i ? " " : "", set->text[i]);
	text = sd_page_written(f, &text);
	p->failed |= !text;
	if (text)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Environment: ", 2,
			"scalediag set for the program: %s", text);
	free(text);
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
		put_fits(p, &a->fits);
		put_confidence(p, r, a);
		put_outlying(p, a);
		sd_section_sampling(p, a);
		sd_facts_probe_costs(&b, r);
		sd_facts_neighbours(&b, r);
		put_calibration(p, r);
		if (b.all)
			put_provenance(p, r);
	} else {
		put_answer(p, &v);
		put_warnings(p, r, a);
	}
	put_hint(p, r, s);
	sd_view_free(&v);
	page.failed |= b.failed;
	return sd_page_end(p);
}
