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
	if (!sd_has(a->undecided) || !(a->undecided.value >= 0.005))
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

static int same_reason(const struct sd_finding *x, const struct sd_finding *y)
{
	return strcmp(reason(x), reason(y)) == 0 && strcmp(next_of(x), next_of(y)) == 0;
}

/* Causes that lack the same thing stand together, with what they lack. */
static void put_not_measurable(struct sd_page *p, const struct sd_analysis *a)
{
	int printed[SD_CAUSE_COUNT] = {0}, any = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *f = &a->finding[i];
		char text[1024] = "";
		size_t used = 0;

		if (printed[i] || f->verdict != SD_VERDICT_NOT_MEASURABLE)
			continue;
		for (int j = i; j < SD_CAUSE_COUNT; j++) {
			const struct sd_finding *g = &a->finding[j];

			if (g->verdict != f->verdict || !same_reason(f, g) || used >= sizeof text)
				continue;
			printed[j] = 1;
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
				used ? ", " : "", sd_cause_info[g->cause].label);
		}
		sd_page_wrap(p, any ? "  " : "Not measurable here: ", 2, "%s%s%s%s%s%s", text,
			*reason(f) || *next_of(f) ? ": " : "", reason(f),
			*reason(f) && *next_of(f) ? " (" : "", next_of(f),
			*reason(f) && *next_of(f) ? ")" : "");
		any = 1;
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
	put_not_measurable(p, a);
}
