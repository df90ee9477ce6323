#include "export/markdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/markup.h"
#include "wording/outlook.h"
#include "page/interval_text.h"
#include "page/page.h"

static void put_answer(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *p = &a->point[a->n_point - 1];

	if (a->n_point < 2 || !sd_interval_text_has(p->speedup)) {
		fputs("Nothing to compare: only one core count has finished runs.\n\n", f);
		return;
	}
	fprintf(f, "**%s: %.2fx on %u cores, efficiency %.0f %%**\n\n",
		a->scales == SD_SCALES_YES  ? "It scales"
		: a->scales == SD_SCALES_NO ? "It does not scale"
					    : "Undecided whether it scales",
		p->speedup.value, p->cores, 100 * p->efficiency.value);
}

static void put_points(FILE *f, const struct sd_analysis *a)
{
	fputs("| cores | wall s | speedup | efficiency % |\n|--:|--:|--:|--:|\n", f);
	for (size_t i = 0; i < a->n_point; i++) {
		const struct sd_point *p = &a->point[i];

		fprintf(f, "| %u | ", p->cores);
		sd_interval_text_put(f, p->wall, p->runs, 1, 3);
		fputs(" | ", f);
		sd_interval_text_put(f, p->speedup, i ? p->runs : SD_INTERVAL_TEXT_EXACT, 1, 2);
		fputs(" | ", f);
		sd_interval_text_put(
			f, p->efficiency, i ? p->runs : SD_INTERVAL_TEXT_EXACT, 100, 0);
		fputs(" |\n", f);
	}
}

static void put_stack(FILE *f, const struct sd_point *p)
{
	fprintf(f, "\n| where %u cores went | cores |\n|---|--:|\n", p->n);
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		if (!sd_interval_text_has(p->stack[k]) ||
			(p->stack[k].value < .005 && p->stack[k].value > -.005))
			continue;
		fprintf(f, "| %s | ", sd_component_info[k].label);
		sd_interval_text_put(f, p->stack[k], p->runs, 1, 2);
		fputs(" |\n", f);
	}
}

static void put_list(FILE *f, const char *head, const struct sd_texts *t)
{
	for (size_t i = 0; i < t->n; i++) {
		fprintf(f, "  - %s", head);
		sd_markup_markdown(f, t->text[i]);
		fputc('\n', f);
	}
}

static void put_where(FILE *f, const struct sd_where *w)
{
	fputs("  - where: ", f);
	sd_markup_markdown(f, w->function ? w->function : "unknown function");
	if (w->file) {
		fputc(' ', f);
		sd_markup_markdown(f, w->file);
		if (w->line)
			fprintf(f, ":%u", w->line);
	}
	fprintf(f, ", %.0f %% of it\n", 100 * w->share);
}

static void put_finding(FILE *f, const struct sd_finding *x, const struct sd_point *p)
{
	char bounds[128];

	fprintf(f, "- **%s** (%s)", sd_cause_info[x->cause].label, sd_verdict_name[x->verdict]);
	if (sd_interval_text_has(x->cores)) {
		sd_interval_text_bounds(bounds, sizeof bounds, x->cores, 2);
		fprintf(f, ": %s of %u cores", bounds, p->n);
	}
	fputc('\n', f);
	put_list(f, "", &x->evidence);
	for (size_t i = 0; i < x->n_where; i++)
		put_where(f, &x->where[i]);
	put_list(f, "do: ", &x->advice);
}

static void put_outlook(FILE *f, const struct sd_analysis *a)
{
	char *const text = sd_outlook(a);

	if (!text || !text[0]) {
		free(text);
		return;
	}
	fputc('\n', f);
	sd_markup_markdown(f, text);
	fputc('\n', f);
	free(text);
}

int sd_markdown_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	char *const command = sd_page_command(&r->program.argv);

	(void)s;
	fputs("### scalediag: ", f);
	sd_markup_markdown(f, command ? command : "?");
	fputs("\n\n", f);
	free(command);
	if (a->n_point) {
		put_answer(f, a);
		put_points(f, a);
		put_stack(f, &a->point[a->n_point - 1]);
		fputc('\n', f);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			if (a->finding[i].verdict <= SD_VERDICT_POSSIBLE)
				put_finding(f, &a->finding[i], &a->point[a->n_point - 1]);
		put_outlook(f, a);
	} else {
		fputs("No run came to a good end: there is nothing to report.\n", f);
	}
	for (size_t i = 0; i < a->warnings.n; i++) {
		fputs("\n> Warning: ", f);
		sd_markup_markdown(f, a->warnings.text[i]);
		fputc('\n', f);
	}
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
