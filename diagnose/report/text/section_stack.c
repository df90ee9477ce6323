#include "text/sections.h"
#include "page/interval_text.h"
#include "view/view.h"
#include "view/view_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_MOST 32u
#define BAR_LEAST 8u
#define NARROW 80 /* columns */
/* below this a component prints as 0.00 */
#define SHOWN 0.005
/* A verdict is about a cause, of which a component below this share of the cores (the
 * smallest that causes are named for) can be a small part. */
#define VERDICT_LEAST 0.05

/* Useful work first, what is not accounted for last, and between them the largest loss first. */
struct row {
	enum sd_component component;
	const char *label; /* static */
	struct sd_interval cores;
};

static int rank(const struct row *r)
{
	if (r->component == SD_COMPONENT_USEFUL)
		return 0;
	return r->component == SD_COMPONENT_UNACCOUNTED ? 2 : 1;
}

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->cores.value > b->cores.value || a->cores.value < b->cores.value)
		return a->cores.value > b->cores.value ? -1 : 1;
	return (int)a->component - (int)b->component;
}

/* Growth of user time that an experiment has explained goes by the name of its cause. */
static int is_explained(const struct sd_analysis *a, enum sd_component k)
{
	return a->growth && (k == SD_COMPONENT_GROWTH || k == SD_COMPONENT_CPI_OTHER);
}

static enum sd_cause cause_of(const struct sd_analysis *a, enum sd_component k)
{
	return is_explained(a, k) ? (enum sd_cause)(a->growth - sd_cause_info)
				  : sd_component_info[k].cause;
}

/* Without what explains it in brackets where the page has no room for that. */
static void label_of(const struct sd_page *p, const struct sd_analysis *a, const struct row *r,
	char *out, size_t size)
{
	const char *const more = strstr(r->label, " (");
	const int n = p->width < NARROW && more ? (int)(more - r->label) : (int)strlen(r->label);

	if (is_explained(a, r->component))
		snprintf(out, size, "%.*s: %s", n, r->label, a->growth->label);
	else
		snprintf(out, size, "%.*s", n, r->label);
}

/* Possible at least; NULL: it is not. */
static const struct sd_finding *named(const struct sd_analysis *a, enum sd_cause cause)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == cause && a->finding[i].verdict <= SD_VERDICT_POSSIBLE)
			return &a->finding[i];
	return NULL;
}

/* The verdict on the cause that the component stands for; NULL when there is nothing to say. */
static const char *verdict_of(const struct sd_analysis *a, const struct row *r, enum sd_tone *tone)
{
	const enum sd_cause cause = cause_of(a, r->component);
	const struct sd_finding *f;

	*tone = SD_TONE_DOUBT;
	if (r->cores.value <= -SHOWN && r->component != SD_COMPONENT_UNACCOUNTED) {
		*tone = SD_TONE_GOOD;
		return "gain";
	}
	if ((r->component == SD_COMPONENT_GROWTH || r->component == SD_COMPONENT_CPI_OTHER) &&
		!is_explained(a, r->component) && sd_section_undecided(a))
		return "undecided";
	if (r->cores.value < VERDICT_LEAST * a->point[a->n_point - 1].n)
		return NULL;
	f = named(a, cause);
	/* waits of a size that is another cause's are ruled out as this one */
	if (!f && cause == SD_CAUSE_LOAD_IMBALANCE)
		f = named(a, SD_CAUSE_BARRIER_OVERHEAD);
	if (!f)
		return NULL;
	*tone = f->verdict == SD_VERDICT_POSSIBLE ? SD_TONE_DOUBT : SD_TONE_BAD;
	return sd_verdict_name[f->verdict];
}

static size_t collect(
	const struct sd_record *r, const struct sd_analysis *a, struct row rows[SD_COMPONENT_COUNT])
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];
	size_t n = 0;

	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		if (sd_status_measured(pt->stack[i]))
			rows[n++] = (struct row){(enum sd_component)i,
				sd_view_label(r, a, (enum sd_component)i),
				sd_view_cost(pt->stack[i], named(a, cause_of(a, i)))};
	qsort(rows, n, sizeof *rows, compare);
	return n;
}

static void put_row(struct sd_page *p, const struct sd_analysis *a, const struct sd_point *pt,
	const struct row *r, size_t label, unsigned bar)
{
	enum sd_tone tone;
	const char *verdict = verdict_of(a, r, &tone);
	unsigned drawn = 0;
	char text[96];

	sd_page_put(p, SD_TONE_PLAIN, "  ");
	label_of(p, a, r, text, sizeof text);
	sd_page_cell(p, SD_TONE_PLAIN, text, label, 0);
	sd_interval_text_number(text, sizeof text, r->cores.value, 2);
	sd_page_cell(p, SD_TONE_PLAIN, text, 9, 1);
	sd_interval_text_half(text, sizeof text, r->cores, pt->runs, 1, 2);
	sd_page_cell(p, SD_TONE_DIM, text, 7, 1);
	if (bar > 0 || verdict)
		sd_page_put(p, SD_TONE_PLAIN, "  ");
	if (bar > 0)
		drawn = sd_page_bar(p, fabs(r->cores.value) / pt->n, bar, r->cores.value < 0);
	if (verdict)
		sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)(bar + (bar > 0) * 2 - drawn), "");
	if (verdict)
		sd_page_put(p, tone, "%s", verdict);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* Puts one line for the rows that are there, but print as 0.00. */
static void put_small(struct sd_page *p, const struct row rows[SD_COMPONENT_COUNT], size_t n)
{
	double sum = 0;
	int any = 0;

	for (size_t i = 0; i < n; i++)
		if (fabs(rows[i].cores.value) < SHOWN) {
			any = 1;
			sum += rows[i].cores.value;
		}
	if (any)
		sd_page_put(p, SD_TONE_DIM, "  everything else: %.2f cores (< 0.005 each)\n",
			fabs(sum) < SHOWN ? 0 : sum);
}

void sd_section_stack(struct sd_page *p, const struct sd_record *r, const struct sd_analysis *a)
{
	const struct sd_point *pt = &a->point[a->n_point - 1];
	struct row rows[SD_COMPONENT_COUNT];
	const size_t n = collect(r, a, rows);
	size_t label = 0, used;
	unsigned bar;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		char text[96];
		size_t columns;

		label_of(p, a, &rows[i], text, sizeof text);
		columns = sd_page_columns(text);
		if (fabs(rows[i].cores.value) >= SHOWN && columns > label)
			label = columns;
	}
	used = 2 + label + 9 + 7 + 12 + 2;
	bar = used + BAR_LEAST <= p->width ? p->width - (unsigned)used : 0;
	bar = bar > BAR_MOST ? BAR_MOST : bar;
	sd_page_put(
		p, SD_TONE_BOLD, "Where the time of %u core%s goes", pt->n, pt->n == 1 ? "" : "s");
	sd_page_put(p, SD_TONE_DIM, " (in cores, 95 %% CI)\n");
	for (size_t i = 0; i < n; i++)
		if (fabs(rows[i].cores.value) >= SHOWN)
			put_row(p, a, pt, &rows[i], label, bar);
	put_small(p, rows, n);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
