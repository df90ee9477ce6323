#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comparison/comparison_report.h"
#include "report/formats.h"
#include "page/markup.h"
#include "wording/outlook.h"
#include "text/sections.h"

/* For `runs`: the number is so by definition. */
#define EXACT SIZE_MAX

static void put_interval(FILE *f, struct sd_interval v, size_t runs, double factor, int decimals)
{
	char number[48], half[48];

	if (!sd_section_has(v)) {
		fputs("–", f);
		return;
	}
	sd_section_number(number, sizeof number, factor * v.value, decimals);
	sd_section_half(half, sizeof half, v, runs, factor, decimals);
	if (runs == EXACT)
		fputs(number, f);
	else
		fprintf(f, "%s ± %s", number, half);
}

static void put_answer(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *p = &a->point[a->n_point - 1];

	if (a->n_point < 2 || !sd_section_has(p->speedup)) {
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
		put_interval(f, p->wall, p->runs, 1, 3);
		fputs(" | ", f);
		put_interval(f, p->speedup, i ? p->runs : EXACT, 1, 2);
		fputs(" | ", f);
		put_interval(f, p->efficiency, i ? p->runs : EXACT, 100, 0);
		fputs(" |\n", f);
	}
}

static void put_stack(FILE *f, const struct sd_point *p)
{
	fprintf(f, "\n| where %u cores went | cores |\n|---|--:|\n", p->n);
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		if (!sd_section_has(p->stack[k]) ||
			(p->stack[k].value < .005 && p->stack[k].value > -.005))
			continue;
		fprintf(f, "| %s | ", sd_component_info[k].label);
		put_interval(f, p->stack[k], p->runs, 1, 2);
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
	fprintf(f, "- **%s** (%s)", sd_cause_info[x->cause].label, sd_verdict_name[x->verdict]);
	if (sd_section_has(x->cores)) {
		fputs(": ", f);
		put_interval(f, x->cores, p->runs, 1, 2);
		fprintf(f, " of %u cores", p->n);
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

int sd_report_markdown(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
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

static void put_fate(FILE *f, const struct sd_comparison *c, enum sd_fate fate, const char *head)
{
	int first = 1;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		if (c->cause[i].fate != fate)
			continue;
		fprintf(f, "%s%s (%s to %s)", first ? head : ", ", sd_cause_info[i].label,
			sd_verdict_name[c->cause[i].before], sd_verdict_name[c->cause[i].after]);
		first = 0;
	}
	if (!first)
		fputc('\n', f);
}

int sd_comparison_markdown(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *const sentence = sd_comparison_sentence(c);

	fputs("### scalediag: ", f);
	sd_markup_markdown(f, s->before);
	fputs(", then ", f);
	sd_markup_markdown(f, s->after);
	fprintf(f, "\n\n**%s**\n\n| cores | before s | after s | gain |\n|--:|--:|--:|--:|\n",
		sentence ? sentence : "?");
	free(sentence);
	for (size_t i = 0; i < c->n_point; i++) {
		const struct sd_compared_point *p = &c->point[i];

		fprintf(f, "| %u | ", p->cores);
		put_interval(f, p->wall_before, 2, 1, 3);
		fputs(" | ", f);
		put_interval(f, p->wall_after, 2, 1, 3);
		fputs(" | ", f);
		put_interval(f, p->gain, 2, 1, 3);
		fprintf(f, "%s |\n", p->time == SD_CHANGE_NOISE ? " (within noise)" : "");
	}
	fputc('\n', f);
	put_fate(f, c, SD_FATE_WENT, "- gone: ");
	put_fate(f, c, SD_FATE_CAME, "- new: ");
	put_fate(f, c, SD_FATE_STAYED, "- stays: ");
	put_fate(f, c, SD_FATE_UNKNOWN, "- open: ");
	for (size_t i = 0; i < c->warnings.n; i++) {
		fputs("\n> Careful: ", f);
		sd_markup_markdown(f, c->warnings.text[i]);
		fputc('\n', f);
	}
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
