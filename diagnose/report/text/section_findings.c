#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cause_growth.h"
#include "page/short_names.h"
#include "page/interval_text.h"
#include "view/view.h"
#include "page/page.h"

#define LONG "scalediag report --long"

static enum sd_tone tone_of(enum sd_verdict v)
{
	return v == SD_VERDICT_POSSIBLE ? SD_TONE_DOUBT : SD_TONE_BAD;
}

static void put_where(struct sd_page *p, const struct sd_finding *f, size_t i)
{
	const struct sd_where *w = &f->where[i];
	char *chain = sd_name_chain(w, p->width > 40 ? p->width - 12 : 28);

	p->failed |= !chain;
	if (chain)
		sd_page_wrap(p, i == 0 ? "   where    " : "            ", 12,
			"%s%s%s, %.0f %% of %s", chain, w->object ? ", on " : "",
			w->object ? w->object : "", 100 * w->share,
			f->named                          ? "its moves"
			: sd_cause_growth[f->cause].grown ? "the growth"
							  : "it");
	free(chain);
}

/* "3.72 of 8 cores (95 %: 3.55 to 3.86)", into out[192], which it returns. */
static const char *cores_of(char *out, struct sd_interval cores, const struct sd_point *pt)
{
	char range[128], value[32];

	sd_interval_text_number(value, sizeof value, cores.value, 2);
	sd_interval_text_range(range, sizeof range, cores, pt, 2);
	snprintf(out, 192, "%s of %u cores%s%s%s", value, pt->n, *range ? " (" : "", range,
		*range ? ")" : "");
	return out;
}

static void put_worth(struct sd_page *p, const struct sd_finding *f, const struct sd_point *pt)
{
	char what[48], gain[192];

	if (!sd_interval_text_gains(f->worth))
		return;
	snprintf(what, sizeof what, " faster on %u cores", pt->cores);
	sd_interval_text_gain(gain, sizeof gain, f->worth, what);
	sd_page_wrap(p, "   payoff   ", 12, "%s", gain);
}

static void put_short(struct sd_page *p, const struct sd_view *v, const struct sd_finding *f,
	const char *head, unsigned indent, const char *text)
{
	char *const near = sd_view_short(v, f, text);

	p->failed |= !near;
	if (near)
		sd_page_wrap(p, head, indent, "%s", near);
	free(near);
}

static void put_finding(
	struct sd_page *p, const struct sd_view *v, const struct sd_finding *f, unsigned number)
{
	const struct sd_point *const pt = &v->a->point[v->a->n_point - 1];
	char *const next = f->next ? sd_view_next(v, f->next) : NULL;
	const int known = sd_status_measured(f->cores);
	char cores[192], head[16];

	snprintf(head, sizeof head, "%-3u", number);
	sd_page_wrap_tone(p, tone_of(f->verdict), head, 3, "%s%s%s · %s",
		sd_cause_info[f->cause].label, known ? ", " : "",
		known ? cores_of(cores, f->cores, pt) : "", sd_verdict_name[f->verdict]);
	for (size_t i = 0; i < f->evidence.n; i++)
		put_short(p, v, f, "   ", 3, f->evidence.text[i]);
	for (size_t i = 0; i < f->n_where; i++)
		put_where(p, f, i);
	for (size_t i = 0; i < f->advice.n; i++)
		put_short(p, v, f, i ? "            " : "   fix      ", 12, f->advice.text[i]);
	put_worth(p, f, pt);
	p->failed |= f->next && !next;
	if (next && strncmp(f->next, LONG, strlen(LONG)) != 0) /* that is what is read here */
		sd_page_wrap(p, "   next     ", 12, "%s", next);
	free(next);
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

/* Which findings stand together. */
typedef int pick_fn(const struct sd_finding *f);
/* The text that those of one group share. */
typedef const char *key_fn(const struct sd_finding *f);

static int is_unmeasurable(const struct sd_finding *f)
{
	return f->verdict == SD_VERDICT_NOT_MEASURABLE;
}

/* Possible, but nobody knows how much of the loss is its own. */
static int is_open(const struct sd_finding *f)
{
	return f->verdict == SD_VERDICT_POSSIBLE && !sd_status_measured(f->cores);
}

static int count(const struct sd_analysis *a, pick_fn *pick)
{
	int n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		n += pick(&a->finding[i]);
	return n;
}

int sd_section_undecided(const struct sd_analysis *a)
{
	const struct sd_interval growth = sd_view_growth(a);

	if (!sd_status_measured(growth) || !sd_has(a->undecided) || growth.value < 0.005)
		return 0;
	return growth.low > 0 || count(a, is_open) > 0;
}

static int undecided_before(const struct sd_analysis *a, const struct sd_finding *f)
{
	double rest = sd_view_growth(a).value;

	if (f->of_growth && sd_status_measured(f->cores))
		rest -= f->cores.value;
	return f->verdict == SD_VERDICT_POSSIBLE && sd_section_undecided(a) &&
	       (!sd_status_measured(f->cores) || f->contradicted || f->cores.value < rest);
}

/* A command says behind " # " what it is for: it is one command all the same. */
static size_t command_length(const char *text)
{
	const char *const note = strstr(text, " # ");

	return note ? (size_t)(note - text) : strlen(text);
}

static int same_command(const char *x, const char *y)
{
	const size_t n = command_length(x);

	return n == command_length(y) && strncmp(x, y, n) == 0;
}

/* The command that all picked findings share with cause i, with its note where all have the same.
 * Fresh, or NULL. */
static char *said_of(const struct sd_analysis *a, int i, pick_fn *pick, key_fn *key)
{
	const char *const said = key(&a->finding[i]);
	size_t n = strlen(said);

	for (int j = 0; j < SD_CAUSE_COUNT; j++) {
		const char *const other = key(&a->finding[j]);

		if (pick(&a->finding[j]) && same_command(other, said) && strcmp(other, said) != 0)
			n = command_length(said);
	}
	return strndup(said, n);
}

/*
 * The labels of the picked causes that share the key of finding `i`, or all picked ones where `key`
 * is NULL; empty when an earlier one had them already. A fresh string or NULL.
 */
static char *labels_like(const struct sd_analysis *a, int i, pick_fn *pick, key_fn *key)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	for (int j = 0, first = 1; f && j < SD_CAUSE_COUNT; j++) {
		const struct sd_finding *g = &a->finding[j];

		if (!pick(g) || (key && !same_command(key(g), key(&a->finding[i]))))
			continue;
		if (j < i)
			break;
		fprintf(f, "%s%s", first ? "" : ", ", sd_cause_info[g->cause].label);
		first = 0;
	}
	return sd_page_written(f, &out);
}

/*
 * A paragraph for all picked causes of one key: "A, B: text", or the text alone. The first begins
 * with `head`, the others are indented as far. `skip_empty` leaves out those without a text.
 */
static void put_groups(struct sd_page *p, const struct sd_view *v, pick_fn *pick, key_fn *key,
	const char *head, int with_labels, int skip_empty)
{
	const struct sd_analysis *const a = v->a;
	char blank[16];
	int any = 0;

	snprintf(blank, sizeof blank, "%*s", (int)sd_page_columns(head), "");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		char *labels, *text, *said;

		if (!pick(&a->finding[i]) || (skip_empty && !*key(&a->finding[i])))
			continue;
		labels = labels_like(a, i, pick, key);
		said = said_of(a, i, pick, key);
		text = said ? sd_view_next(v, said) : NULL;
		free(said);
		p->failed |= !labels || !text;
		if (labels && text && *labels) {
			sd_page_wrap(p, any ? blank : head,
				(unsigned)strlen(blank) + (with_labels ? 2 : 0), "%s%s%s",
				with_labels ? labels : "", with_labels && *text ? ": " : "", text);
			any = 1;
		}
		free(labels);
		free(text);
	}
}

/* Puts, once, where user time grew, which all open causes share. */
static void put_growth(struct sd_page *p, const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *f = &a->finding[i];

		if (!is_open(f) || f->n_where == 0 || !sd_cause_growth[f->cause].grown)
			continue;
		for (size_t k = 0; k < f->n_where; k++)
			put_where(p, f, k);
		return;
	}
}

/* Causes that these runs cannot tell apart: one entry for all. */
static void put_open(struct sd_page *p, const struct sd_view *v, unsigned number)
{
	const struct sd_analysis *const a = v->a;
	const struct sd_point *const pt = &a->point[a->n_point - 1];
	const struct sd_interval growth = sd_view_growth(a);
	const int open = sd_section_undecided(a);
	char *labels = labels_like(a, 0, is_open, NULL), head[16], cores[192];

	snprintf(head, sizeof head, "%-3u", number);
	sd_page_wrap_tone(p, SD_TONE_DOUBT, head, 3, "undecided%s%s · each of these is possible",
		open ? ", " : "", open ? cores_of(cores, growth, pt) : "");
	if (labels)
		sd_page_wrap(p, "   ", 3, "%s", labels);
	p->failed |= !labels;
	free(labels);
	put_groups(p, v, is_open, reason, "   ", 0, 1);
	put_growth(p, a);
	put_groups(p, v, is_open, next_of, "   next     ", 1, 1);
}

/* Puts what a simulated run shows of a cause that is not measurable. */
static void put_named(struct sd_page *p, const struct sd_finding *f)
{
	for (size_t i = f->named; i < f->evidence.n; i++)
		sd_page_wrap(p, i == f->named ? "  " : "    ", 4, "%s%s%s",
			i == f->named ? sd_cause_info[f->cause].label : "",
			i == f->named ? ", " : "", f->evidence.text[i]);
	for (size_t k = 0; k < f->n_where; k++)
		put_where(p, f, k);
}

static void put_unmeasurable(struct sd_page *p, const struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;

	if (count(a, is_unmeasurable) == 0)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "Not measurable here:\n");
	put_groups(p, v, is_unmeasurable, reason, "  ", 1, 0);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].named)
			put_named(p, &a->finding[i]);
	/* how to find out matters where cores were surely lost */
	if (a->scales != SD_SCALES_NO)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "To find out:\n");
	put_groups(p, v, is_unmeasurable, next_of, "  ", 1, 1);
}

static void put_undecided(struct sd_page *p, const struct sd_analysis *a, const struct sd_point *pt)
{
	const struct sd_interval growth = sd_view_growth(a);
	char cores[192];

	if (!sd_section_undecided(a))
		return;
	sd_page_wrap(p, "", 2,
		"Undecided: %s. "
		"The program's own time grows with the cores, by shared hardware or by sharing data; "
		"these runs alone cannot tell which.",
		cores_of(cores, growth, pt));
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_section_findings(struct sd_page *p, const struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;
	const struct sd_point *pt = &a->point[a->n_point - 1];
	/* a single open cause is a finding like any other */
	int open = count(a, is_open) > 1;
	const int grouped = open;
	unsigned number = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a->finding[i];

		if (f->verdict > SD_VERDICT_POSSIBLE || (grouped && is_open(f)))
			continue;
		if (open && undecided_before(a, f)) {
			put_open(p, v, ++number);
			open = 0;
		}
		put_finding(p, v, f, ++number);
	}
	if (open)
		put_open(p, v, ++number);
	if (number > 0)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	if (!grouped)
		put_undecided(p, a, pt);
	put_ruled_out(p, a);
	put_unmeasurable(p, v);
}
