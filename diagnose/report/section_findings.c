#include "sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum sd_tone tone_of(enum sd_verdict v)
{
	return v == SD_VERDICT_POSSIBLE ? SD_TONE_DOUBT : SD_TONE_BAD;
}

static void put_where(struct sd_page *p, const struct sd_where *w, int first)
{
	char line[24] = "";

	if (w->line)
		snprintf(line, sizeof line, ":%u", w->line);
	sd_page_wrap(p, first ? "   where    " : "            ", 12, "%s%s%s%s, %.0f %% of it",
		w->function ? w->function : "unknown function", w->file ? " " : "",
		w->file ? w->file : "", w->file ? line : "", 100 * w->share);
}

static void put_worth(struct sd_page *p, const struct sd_finding *f, const struct sd_point *pt)
{
	char half[32];

	if (!sd_section_has(f->worth))
		return;
	sd_section_half(half, sizeof half, f->worth, pt->runs, 1, 2);
	sd_page_wrap(p, "   worth    ", 12, "at most %.2fx (±%s) at %u cores", f->worth.value, half,
		pt->cores);
}

static void put_finding(
	struct sd_page *p, const struct sd_finding *f, const struct sd_point *pt, unsigned number)
{
	char half[32], head[16];

	snprintf(head, sizeof head, "%-3u", number);
	sd_page_put(p, SD_TONE_BOLD, "%s%s", head, sd_cause_info[f->cause].label);
	if (sd_section_has(f->cores)) {
		sd_section_half(half, sizeof half, f->cores, pt->runs, 1, 2);
		sd_page_put(
			p, SD_TONE_PLAIN, ", %.2f (±%s) of %u cores", f->cores.value, half, pt->n);
	}
	sd_page_put(p, SD_TONE_PLAIN, " · ");
	sd_page_put(p, tone_of(f->verdict), "%s", sd_verdict_name[f->verdict]);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	for (size_t i = 0; i < f->evidence.n; i++)
		sd_page_wrap(p, "   ", 3, "%s", f->evidence.text[i]);
	for (size_t i = 0; i < f->n_where; i++)
		put_where(p, &f->where[i], i == 0);
	for (size_t i = 0; i < f->advice.n; i++)
		sd_page_wrap(p, i ? "            " : "   do       ", 12, "%s", f->advice.text[i]);
	put_worth(p, f, pt);
	if (f->next)
		sd_page_wrap(p, "   next     ", 12, "%s", f->next);
}

static void put_undecided(struct sd_page *p, const struct sd_analysis *a, const struct sd_point *pt)
{
	if (!sd_section_undecided(a))
		return;
	sd_page_wrap(p, "", 2,
		"Undecided: %.2f of %u cores. The program's own time grows with the cores, by "
		"shared hardware or by sharing data; these runs alone cannot tell which.",
		a->undecided.value, pt->n);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_ruled_out(struct sd_page *p, const struct sd_analysis *a)
{
	char text[1024] = "";
	size_t used = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].verdict == SD_VERDICT_RULED_OUT && used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
				used ? ", " : "", sd_cause_info[a->finding[i].cause].label);
	if (used > 0)
		sd_page_wrap(p, "Ruled out: ", 2, "%s.", text);
}

static const char *reason(const struct sd_finding *f)
{
	return f->evidence.n > 0 ? f->evidence.text[0] : "";
}

static const char *next_of(const struct sd_finding *f)
{
	return f->next ? f->next : "";
}

/*
 * The labels of the causes that could not be measured and for which `key` gives the same text as
 * for finding `i`; empty when an earlier one had it already. A fresh string or NULL.
 */
static char *labels_like(
	const struct sd_analysis *a, int i, const char *(*key)(const struct sd_finding *))
{
	const char *const same = key(&a->finding[i]);
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	for (int j = 0, first = 1; f && j < SD_CAUSE_COUNT; j++) {
		const struct sd_finding *g = &a->finding[j];

		if (g->verdict != SD_VERDICT_NOT_MEASURABLE || strcmp(key(g), same) != 0)
			continue;
		if (j < i)
			break;
		fprintf(f, "%s%s", first ? "" : ", ", sd_cause_info[g->cause].label);
		first = 0;
	}
	if (f && fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

/* Causes that lack the same thing stand together. */
static void put_not_measurable(struct sd_page *p, const struct sd_analysis *a,
	const char *(*key)(const struct sd_finding *))
{
	int any = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const char *const text = key(&a->finding[i]);
		char *labels;

		if (a->finding[i].verdict != SD_VERDICT_NOT_MEASURABLE ||
			(key == next_of && !*text))
			continue;
		labels = labels_like(a, i, key);
		p->failed |= !labels;
		if (labels && *labels) {
			if (!any)
				sd_page_put(p, SD_TONE_PLAIN, "%s\n",
					key == next_of ? "To find out:" : "Not measurable here:");
			any = 1;
			sd_page_wrap(p, "  ", 4, "%s%s%s", labels, *text ? ": " : "", text);
		}
		free(labels);
	}
}

void sd_section_findings(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_point *pt = &a->point[a->n_point - 1];
	unsigned number = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].verdict <= SD_VERDICT_POSSIBLE)
			put_finding(p, &a->finding[i], pt, ++number);
	if (number > 0)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_undecided(p, a, pt);
	put_ruled_out(p, a);
	put_not_measurable(p, a, reason);
	/* how to find out matters where cores were surely lost */
	if (a->scales == SD_SCALES_NO)
		put_not_measurable(p, a, next_of);
}
