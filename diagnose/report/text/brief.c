#include "text/brief.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "page/interval_text.h"
#include "page/page.h"
#include "render/render.h"
#include "text/sections.h"
#include "view/view.h"
#include "view/view_damage.h"

/* A terminal's usual columns: what is pasted into a mail or an issue keeps its shape. */
#define WIDTH 80
#define BAR_MOST 24u
#define BAR_LEAST 8u
#define NOTE 6u /* columns of "  <- 1" */
/* Counts in the table of components by count: as many as the columns have room for. */
#define COUNTS 8
#define SHARE 6u /* columns of a share */
#define NOTES 4u /* what the measuring itself has to say, at most */
#define POINTS 8 /* rows of the table of counts */

/* Lines that a screen has room for, by causes shown; and what is left out, one after the other,
 * until they suffice: everything stands in the long report. */
static const size_t lines_most[SD_VIEW_CAUSES + 1] = {25, 25, 33, 40};
#define LOOK_MOST 24u /* lines of a service that was looked at */
enum brevity {
	WHOLE,
	NO_OUTLOOK, /* and no count of small causes */
	NO_BLANK_LINES,
	ONE_NOTE,
	FEW_POINTS, /* of the table of counts */
	FEW_ROWS,   /* of the stack: those with a cause, and what is large */
	NO_NOTE,
	BREVITIES,
};
#define FEW 3
#define LARGE .1 /* of the cores */
/* Rows on a service that was looked at. */
static const struct {
	size_t functions, locks;
} look[BREVITIES] = {{8, 4}, {6, 3}, {5, 2}, {5, 1}, {4, 1}, {3, 1}, {2, 0}};

const enum sd_tone sd_section_tone[] = {
	[SD_VIEW_GOOD] = SD_TONE_GOOD,
	[SD_VIEW_BAD] = SD_TONE_BOLD,
	[SD_VIEW_UNSURE] = SD_TONE_DOUBT,
	[SD_VIEW_NOTHING] = SD_TONE_PLAIN,
};

static void put_blank(struct sd_page *p, enum brevity brevity)
{
	if (brevity < NO_BLANK_LINES)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_section_warned(struct sd_page *p, const struct sd_view *v)
{
	const char *const race = sd_view_race(v->a);

	if (sd_view_damage(v->r))
		sd_page_wrap_tone(p, SD_TONE_BAD, "", 2, "%s.", sd_view_damage(v->r));
	if (race)
		sd_page_wrap_tone(p, SD_TONE_BAD, "Results differ: ", 2, "%s",
			race + sizeof SD_VIEW_RACE - 1);
}

static void put_head(struct sd_page *p, const struct sd_view *v)
{
	sd_section_warned(p, v);
	sd_page_wrap_tone(p, SD_TONE_DIM, "", 2, "%s · %s", v->command, v->measured);
	sd_page_wrap_tone(p, sd_section_tone[v->mood], "", 2, "%s%s%s", v->answer,
		v->main_cause ? " " : "", v->main_cause ? v->main_cause : "");
	if (v->banner)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "! ", 2, "%s", v->banner);
	if (v->wasted)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "! ", 2, "%s", v->wasted);
	if (v->latency)
		sd_page_wrap(p, "", 2, "%s", v->latency);
}

/* ---- the stack of the largest count ---------------------------------------------------------- */

static size_t label_columns(const struct sd_view *v)
{
	size_t most = 0;

	for (size_t i = 0; i < v->n_row; i++)
		if (sd_page_columns(v->row[i].label) > most)
			most = sd_page_columns(v->row[i].label);
	return most;
}

static void put_note(struct sd_page *p, const struct sd_view_row *r)
{
	if (r->cause)
		sd_page_put(p, SD_TONE_BAD, "  <- %u", r->cause);
	else if (r->gain)
		sd_page_put(p, SD_TONE_GOOD, "  gain");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_row(struct sd_page *p, const struct sd_view *v, const struct sd_view_row *r,
	size_t label, unsigned bar)
{
	const struct sd_point *const pt = &v->a->point[v->a->n_point - 1];
	const double part = fabs(r->cores.value) / pt->n;
	/* a bar of nothing would be blanks at the end of a line */
	const int drawn = part * bar >= (p->ascii || r->cores.value < 0 ? .5 : 1. / 16);
	char text[32];

	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, r->label, label, 0);
	sd_interval_text_number(text, sizeof text, r->cores.value, 2);
	sd_page_cell(p, SD_TONE_PLAIN, text, 9, 1);
	sd_page_put(p, SD_TONE_DIM, " ±");
	sd_interval_text_half(text, sizeof text, r->cores, pt->runs, 1, 2);
	sd_page_cell(p, SD_TONE_DIM, text, drawn || r->cause || r->gain ? 5 : 0, 0);
	if (drawn) {
		sd_page_put(p, SD_TONE_PLAIN, " ");
		sd_page_bar(p, part, bar, r->cores.value < 0);
	}
	put_note(p, r);
}

static int is_left_out(const struct sd_view *v, const struct sd_view_row *r, enum brevity brevity)
{
	return brevity >= FEW_ROWS && !r->cause && r->component != SD_COMPONENT_USEFUL &&
	       fabs(r->cores.value) < LARGE * v->a->point[v->a->n_point - 1].n;
}

static void put_stack(struct sd_page *p, const struct sd_view *v, enum brevity brevity)
{
	double rest = 0, sum = 0; /* cores: less is in the last row; all that is there */
	const size_t label = label_columns(v), used = 2 + label + 9 + 2 + 5 + 1 + NOTE;
	unsigned bar = used + BAR_LEAST <= p->width ? p->width - (unsigned)used : 0;
	const unsigned n = v->a->point[v->a->n_point - 1].n;
	char number[32];

	bar = bar > BAR_MOST ? BAR_MOST : bar;
	sd_page_put(p, SD_TONE_BOLD, "Where the time of %u core%s goes", n, n == 1 ? "" : "s");
	sd_page_put(p, SD_TONE_DIM, " (in cores, 95 %% interval)\n");
	for (size_t i = 0; i < v->n_row; i++) {
		const int is_rest = v->row[i].component == SD_COMPONENT_COUNT;

		if (!is_rest && !is_left_out(v, &v->row[i], brevity)) {
			put_row(p, v, &v->row[i], label, bar);
			continue;
		}
		rest = fmax(rest, is_rest ? v->rest : LARGE * n);
		sum += v->row[i].cores.value;
	}
	if (!(rest > 0))
		return;
	sd_interval_text_number(number, sizeof number, sum, 2);
	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, "everything else", label, 0);
	sd_page_cell(p, SD_TONE_PLAIN, number, 9, 1);
	sd_page_put(p, SD_TONE_DIM, "  (< %.2f each)\n", rest);
}

/* ---- components by count: where more than two counts were measured --------------------------- */

/* The counts that have a column: the last and as many others at even distances as there is room. */
static size_t pick(const struct sd_analysis *a, size_t room, size_t out[COUNTS])
{
	const size_t most = room / SHARE < 1 ? 1 : room / SHARE > COUNTS ? COUNTS : room / SHARE;
	const size_t n = a->n_point - 1 < most ? a->n_point - 1 : most;

	for (size_t i = 0; i < n; i++)
		out[i] = a->n_point - 1 - (n > 1 ? (n - 1 - i) * (a->n_point - 2) / (n - 1) : 0);
	return n;
}

static void put_share(struct sd_page *p, const struct sd_point *pt, enum sd_component k)
{
	const struct sd_interval c = pt->stack[k];
	char text[32];

	if (!sd_status_measured(c)) {
		sd_page_cell(p, SD_TONE_DIM, "-", SHARE, 1);
		return;
	}
	sd_interval_text_number(text, sizeof text, 100 * c.value / pt->n, 0);
	sd_page_cell(p, fabs(c.value) < .05 * pt->n ? SD_TONE_DIM : SD_TONE_PLAIN, text, SHARE, 1);
}

static void put_heat(struct sd_page *p, const struct sd_view *v, enum brevity brevity)
{
	const size_t label = label_columns(v), used = 2 + label + NOTE;
	const size_t room = p->width > used ? p->width - used : 0;
	size_t column[COUNTS];
	const size_t n = pick(v->a, room, column);

	sd_page_put(p, SD_TONE_BOLD, "Where the time of the cores goes");
	sd_page_put(p, SD_TONE_DIM, " (%% of all cores)\n  ");
	sd_page_cell(p, SD_TONE_DIM, "cores", label, 0);
	for (size_t i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof text, "%u", v->a->point[column[i]].cores);
		sd_page_cell(p, SD_TONE_DIM, text, SHARE, 1);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	for (size_t k = 0; k < v->n_row; k++) {
		const struct sd_view_row *const r = &v->row[k];

		if (r->component == SD_COMPONENT_COUNT || is_left_out(v, r, brevity))
			continue;
		sd_page_put(p, SD_TONE_PLAIN, "  ");
		sd_page_cell(p, SD_TONE_PLAIN, r->label, label, 0);
		for (size_t i = 0; i < n; i++)
			put_share(p, &v->a->point[column[i]], r->component);
		put_note(p, r);
	}
}

/* ---- the causes ------------------------------------------------------------------------------ */

void sd_section_cause(struct sd_page *p, const struct sd_view_cause *c, int is_short)
{
	char head[16];

	snprintf(head, sizeof head, "%u. ", c->number);
	sd_page_wrap_tone(p, SD_TONE_BOLD, head, 3, "%s", c->title);
	for (int i = 0; i < SD_VIEW_ITEM_COUNT; i++) {
		snprintf(head, sizeof head, "   %-8s", sd_view_item_name[i]);
		/* the lock's line has its places */
		if (i == SD_VIEW_WHERE && c->item[SD_VIEW_LOCK] && is_short)
			continue;
		if (c->item[i])
			sd_page_wrap(p, head, 11, "%s", c->item[i]);
	}
}

/* Puts notes of the measuring; and where no cause takes the room, those of the analysis. */
static void put_notes(struct sd_page *p, const struct sd_view *v, unsigned left)
{
	const struct sd_texts *const from[] = {&v->r->warnings, &v->a->warnings};

	for (int k = 0; k < (v->n_cause ? 1 : 2); k++)
		for (size_t i = 0; i < from[k]->n && left; i++) {
			if (sd_view_is_race(from[k]->text[i]))
				continue;
			sd_page_wrap_tone(p, SD_TONE_DOUBT, "Note: ", 2, "%s", from[k]->text[i]);
			left--;
		}
}

static void put_foot(struct sd_page *p, const struct sd_view *v, enum brevity brevity)
{
	if (v->n_more && brevity < NO_OUTLOOK)
		sd_page_wrap(p, "", 2, "%zu more cause%s, each small or not measured: --long",
			v->n_more, v->n_more == 1 ? "" : "s");
	if (*v->outlook && brevity < NO_OUTLOOK)
		sd_page_wrap(p, "", 2, "%s", v->outlook);
	if (*v->more_time)
		sd_page_wrap(p, "", 2, "%s", v->more_time);
	if (*v->missing)
		sd_page_wrap(p, "Missing: ", 2, "%s", v->missing);
	put_notes(p, v, brevity < ONE_NOTE ? NOTES : brevity < NO_NOTE ? 1 : 0);
	sd_page_wrap_tone(p, SD_TONE_DIM, "Trust: ", 2, "%s", v->quality);
	if (v->record_word && v->r->complete)
		sd_page_wrap(p, "", 2, "More: scalediag report --long %s, or --html FILE",
			v->record_word);
	else if (v->record_word && !v->r->program.attached)
		sd_page_wrap(
			p, "", 2, "Not finished: go on with scalediag --resume %s", v->record_word);
}

/* Is it a service that was looked at? No count is compared with another. */
static int is_a_look(const struct sd_view *v)
{
	return v->r->program.attached && v->a->n_point == 1;
}

/* The functions that a service's cores go to, and its locks. */
static void put_look(struct sd_page *p, const struct sd_view *v, enum brevity brevity)
{
	struct sd_document b = sd_render_text(p, 0);

	if (sd_section_functions_brief(p, v->a, look[brevity].functions))
		put_blank(p, brevity);
	sd_facts_locks(&b, v->a, v->r->program.cwd, look[brevity].locks);
	p->failed |= b.failed;
}

static int put_all(
	FILE *f, const struct sd_view *v, const struct sd_report_style *s, enum brevity brevity)
{
	const struct sd_fact_rows points =
		sd_facts_points_table(v->a, brevity < FEW_POINTS ? POINTS : FEW);
	const int looked = is_a_look(v);
	/* parts of a time that is too short to tell anything are noise */
	const int has_stack = v->n_row && !sd_has(v->a->too_short);
	struct sd_page page, *const p = &page;

	sd_page_begin(p, f, s);
	put_head(p, v);
	put_blank(p, brevity);
	if (v->a->n_point > 0 && !looked) {
		sd_render_text_table(p, &points, 0);
		put_blank(p, brevity);
	}
	if (has_stack) {
		(v->a->n_point > 2 ? put_heat : put_stack)(p, v, brevity);
		put_blank(p, brevity);
	}
	if (v->a->n_point > 0) {
		sd_section_requests_brief(p, v->a);
		sd_section_regions_brief(p, v->a);
	}
	if (looked)
		put_look(p, v, brevity);
	for (size_t i = 0; i < v->n_cause; i++)
		sd_section_cause(p, &v->cause[i], brevity >= NO_NOTE);
	if (v->n_cause)
		put_blank(p, brevity);
	put_foot(p, v, brevity);
	return sd_page_end(p);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The fullest that a screen has room for; of none that has, the briefest. 0 or -EIO. */
static int put_fitting(FILE *f, const struct sd_view *v, const struct sd_report_style *s)
{
	const size_t most = is_a_look(v) ? LOOK_MOST : lines_most[v->n_cause];
	int rc = -EIO;

	for (unsigned brevity = WHOLE; brevity < BREVITIES; brevity++) {
		char *text = NULL;
		size_t size = 0;
		FILE *const memory = open_memstream(&text, &size);
		int fits;

		rc = memory ? put_all(memory, v, s, (enum brevity)brevity) : -EIO;
		if (memory && fclose(memory) != 0)
			rc = -EIO;
		fits = rc || brevity + 1 == BREVITIES || lines_of(text) <= most;
		if (!rc && fits && fwrite(text, 1, size, f) != size)
			rc = -EIO;
		free(text);
		if (fits)
			break;
	}
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

int sd_brief_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_report_style narrow = s ? *s : (struct sd_report_style){0};
	struct sd_view v;
	int rc;

	if (!narrow.width || narrow.width > WIDTH)
		narrow.width = WIDTH;
	if (sd_view_make(&v, r, a, narrow.record_path))
		return -EIO;
	rc = put_fitting(f, &v, &narrow);
	sd_view_free(&v);
	return rc;
}
