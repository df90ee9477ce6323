#include "export/markdown.h"

#include <errno.h>
#include <string.h>

#include "facts/facts.h"
#include "page/interval_text.h"
#include "page/markup.h"
#include "render/render.h"
#include "view/view.h"

static void put_stack(FILE *f, const struct sd_view *v)
{
	const struct sd_point *const p = &v->a->point[v->a->n_point - 1];

	fprintf(f, "\n| where the time of %u core%s goes | cores | cause |\n|---|--:|--:|\n", p->n,
		p->n == 1 ? "" : "s");
	for (size_t i = 0; i < v->n_row; i++) {
		const struct sd_view_row *const row = &v->row[i];

		fprintf(f, "| %s | ", row->label);
		sd_interval_text_put(f, row->cores,
			row->component == SD_COMPONENT_COUNT ? SD_INTERVAL_TEXT_EXACT : p->runs, 1,
			2);
		fputs(" | ", f);
		if (row->cause)
			fprintf(f, "%u", row->cause);
		fputs(" |\n", f);
	}
}

static void put_item(FILE *f, const char *head, const char *text)
{
	if (!text)
		return;
	fprintf(f, "   - %s: ", head);
	sd_markup_markdown(f, text);
	fputc('\n', f);
}

static void put_cause(FILE *f, const struct sd_view_cause *c)
{
	fprintf(f, "%u. **", c->number);
	sd_markup_markdown(f, c->title);
	fputs("**\n", f);
	for (int i = 0; i < SD_VIEW_ITEM_COUNT; i++)
		put_item(f, sd_view_item_name[i], c->item[i]);
}

void sd_markdown_causes(FILE *f, const struct sd_view *v)
{
	for (size_t i = 0; i < v->n_cause; i++)
		put_cause(f, &v->cause[i]);
}

static void put_paragraph(FILE *f, const char *head, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "\n%s", head);
	sd_markup_markdown(f, text);
	fputc('\n', f);
}

/* Slow requests of the largest core count. */
static void put_requests(FILE *f, const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;
	const struct sd_fact_rows rows = sd_facts_request_parts(a);
	const struct sd_slow_point *const p = s->n_point ? &s->point[s->n_point - 1] : NULL;

	if (!p)
		return;
	put_paragraph(f, "Slow requests: ", p->name);
	for (size_t i = 0; i < p->notes.n; i++)
		put_paragraph(f, "", p->notes.text[i]);
	fputc('\n', f);
	if (rows.n)
		sd_render_markdown(f, &rows);
}

int sd_markdown_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	const struct sd_fact_rows points = sd_facts_points_table(a, 0);
	struct sd_view v;

	if (sd_view_make(&v, r, a, s ? s->record_path : NULL))
		return -ENOMEM;
	fputs("### scalediag: ", f);
	sd_markup_markdown(f, v.command);
	fputs("\n\n**", f);
	sd_markup_markdown(f, v.answer);
	fputs("**", f);
	if (v.main_cause) {
		fputc(' ', f);
		sd_markup_markdown(f, v.main_cause);
	}
	fputs("\n", f);
	put_paragraph(f, "> ", v.banner);
	put_paragraph(f, "> ", v.wasted);
	put_paragraph(f, "", v.latency);
	if (a->n_point) {
		fputc('\n', f);
		sd_render_markdown(f, &points);
		put_stack(f, &v);
		fputc('\n', f);
	}
	sd_markdown_causes(f, &v);
	put_requests(f, a);
	for (size_t i = 0; i < a->regions.span.notes.n; i++)
		put_paragraph(f, "", a->regions.span.notes.text[i]);
	put_paragraph(f, "", v.outlook);
	put_paragraph(f, "", v.more_time);
	put_paragraph(f, "Missing: ", v.missing);
	put_paragraph(f, "Trust: ", v.quality);
	for (size_t i = 0; i < a->warnings.n; i++)
		put_paragraph(f, "> Warning: ", a->warnings.text[i]);
	sd_view_free(&v);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
