#include "fix/fix_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cause_growth.h"
#include "analysis/line_layout.h"
#include "analysis/line_memory.h"
#include "fix/fix_arenas.h"
#include "fix/fix_kinds.h"
#include "fix/fix_loops.h"
#include "fix/fix_sections.h"
#include "fix/fix_sums.h"
#include "record/cause.h"

#define CALLERS 32     /* places that call one, which are tried */
#define CALLER_DEPTH 6 /* how far out of it they are */

void sd_fix_plan_object(
	const struct sd_stacks *s, const struct sd_line_object *o, char *out, size_t size)
{
	const unsigned text = o->variable && o->variable < s->n_text && *s->text[o->variable]
				      ? o->variable
				      : o->type;

	snprintf(out, size, "%s", text < s->n_text && s->text[text] ? s->text[text] : "");
}

static void take(
	struct sd_fix_plan *plan, struct sd_fix_entry *e, const struct sd_fix_case *c, int rc)
{
	snprintf(e->what, sizeof e->what, "%s", rc ? "" : c->what);
	snprintf(e->check, sizeof e->check, "%s", rc ? "" : c->check);
	snprintf(e->why, sizeof e->why, "%s", rc ? c->why : "");
	plan->diffs += !rc;
	plan->n++;
}

/* Is a line of the same object there already? */
static int is_known(const struct sd_fix_plan *plan, const char *title)
{
	for (size_t i = 0; i < plan->n; i++)
		if (strcmp(plan->entry[i].title, title) == 0)
			return 1;
	return 0;
}

/* "struct count count[]: false sharing"; of what is no array's the line's own name. */
static void name_line(const struct sd_record *r, const struct sd_line_view *v,
	const struct sd_line_layout *l, char *out, size_t size)
{
	char name[1024], type[512];

	if (l->change == SD_LAYOUT_ELEMENTS || l->change == SD_LAYOUT_MEMBERS) {
		const struct sd_line_object *const o = l->of;
		const char *const variable = o->variable && o->variable < r->stacks.n_text
						     ? r->stacks.text[o->variable]
						     : "";

		sd_line_layout_type(&r->stacks, o, type, sizeof type);
		snprintf(name, sizeof name, "%s%s%s", variable, *variable ? ": " : "", type);
	} else {
		sd_line_memory_text(&r->stacks, v->line, v->line->site, name, sizeof name);
	}
	snprintf(out, size, "%s sharing of %s", sd_sim_sharing_name[v->line->sharing], name);
}

/* The name by which what lies in a line is found again in another record: a change leaves it. */
static void name_object(
	const struct sd_fix_case *c, const struct sd_line_layout *l, char *out, size_t size)
{
	const struct sd_line_object *const o = l->of ? l->of : l->n_row ? l->row->object : NULL;

	if (o)
		sd_fix_plan_object(&c->record->stacks, o, out, size);
}

static int plan_line(struct sd_fix_plan *plan, const struct sd_record *r,
	const struct sd_contested_lines *lines, const struct sd_line_view *v, struct sd_fix_case *c,
	struct sd_line_layout *l)
{
	struct sd_fix_entry *const e = &plan->entry[plan->n];
	int rc;

	sd_line_layout_make(v, lines->bytes, l);
	*e = (struct sd_fix_entry){
		.cause = sd_cause_growth_writing(v->line->sharing == SD_SIM_FALSE
							 ? SD_CAUSE_BYTES_DIFFERENT
							 : SD_CAUSE_BYTES_SAME),
		.advice = &v->advice};
	name_line(r, v, l, e->title, sizeof e->title);
	if (is_known(plan, e->title))
		return 0;
	sd_line_layout_after(&r->stacks, l, e->after, sizeof e->after);
	*c = (struct sd_fix_case){
		.record = r, .view = v, .layout = l, .sources = c->sources, .locks = c->locks};
	name_object(c, l, e->object, sizeof e->object);
	rc = sd_fix_kinds_line(c);
	take(plan, e, c, rc);
	return rc == -ENOMEM ? rc : 0;
}

/* Causes that lines of the cache have told of already. */
static int is_of_lines(const struct sd_finding *f, const struct sd_fix_plan *plan)
{
	return plan->n && sd_cause_growth[f->cause].bytes;
}

/* The changes that end a cause at one of its places, in the order in which they are tried. */
static const struct {
	enum sd_cause cause;
	int (*at)(struct sd_fix_case *c, const char *file, unsigned line);
} changes[] = {
	{SD_CAUSE_TRUE_SHARING, sd_fix_sums_at},
	{SD_CAUSE_LOCK_CONTENTION, sd_fix_sums_at},
	{SD_CAUSE_LOCK_CONTENTION, sd_fix_sections_at},
	{SD_CAUSE_SPINNING, sd_fix_sections_at},
	{SD_CAUSE_LOAD_IMBALANCE, sd_fix_loops_at},
};

/* Tries the changes of a cause at one place. Returns as change_at(). */
static int change_place(struct sd_fix_case *c, enum sd_cause cause, const char *file, unsigned line)
{
	int rc = -ENOENT;

	for (size_t k = 0; k < sizeof changes / sizeof *changes && rc == -ENOENT; k++)
		if (changes[k].cause == cause)
			rc = changes[k].at(c, file, line);
	return rc;
}

/* Is the frame at that place? */
static int is_at(const struct sd_stacks *s, unsigned frame, const char *file, unsigned line)
{
	const struct sd_frame *const f = frame < s->n_frame ? &s->frame[frame] : NULL;

	return f && f->line == line && f->file && f->file < s->n_text &&
	       strcmp(s->text[f->file], file) == 0;
}

/* The same at the places that call this one, the nearest of each stack first: what a lock guards,
 * or a loop does, is in functions that they call. */
static int change_callers(
	struct sd_fix_case *c, enum sd_cause cause, const char *file, unsigned line)
{
	const struct sd_stacks *const s = &c->record->stacks;
	unsigned tried[CALLERS], n = 0;
	int rc = -ENOENT;

	for (size_t i = 1; i < s->n_node && rc == -ENOENT; i++) {
		unsigned node = (unsigned)i;

		if (!is_at(s, s->node[i].frame, file, line))
			continue;
		for (unsigned up = 0; up < CALLER_DEPTH && rc == -ENOENT; up++) {
			const struct sd_frame *f;
			unsigned k = 0;

			node = s->node[node].parent;
			if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame)
				break;
			f = &s->frame[s->node[node].frame];
			while (k < n && tried[k] != s->node[node].frame)
				k++;
			if (k < n || n == CALLERS || !f->line || !*sd_fix_case_text(c, f->file))
				continue;
			tried[n++] = s->node[node].frame;
			rc = change_place(c, cause, sd_fix_case_text(c, f->file), f->line);
		}
	}
	return rc;
}

/* Tries the changes of a cause at each place, up to the first that is exact. 0; -ENOENT with the
 * reason of the first place, "" where no change is known of this cause; -ENOMEM. */
static int change_at(struct sd_fix_case *c, enum sd_cause cause, const struct sd_where *w, size_t n)
{
	char why[sizeof c->why] = "";
	int rc = -ENOENT;

	for (size_t i = 0; i < n && rc == -ENOENT; i++) {
		if (!w[i].file || !w[i].line)
			continue;
		rc = change_place(c, cause, w[i].file, w[i].line);
		if (!*why)
			snprintf(why, sizeof why, "%s", c->why);
		rc = rc == -ENOENT ? change_callers(c, cause, w[i].file, w[i].line) : rc;
	}
	if (rc == -ENOENT && *why)
		snprintf(c->why, sizeof c->why, "%s", why);
	return rc;
}

/* Likewise at the places of a finding, then where threads wait for a lock and where it is held. */
static int change_finding(
	struct sd_fix_case *c, const struct sd_finding *f, const struct sd_analysis *a)
{
	int rc = f->cause == SD_CAUSE_ALLOCATOR ? sd_fix_arenas(c)
						: change_at(c, f->cause, f->where, f->n_where);
	char why[sizeof c->why];

	if (f->cause != SD_CAUSE_LOCK_CONTENTION)
		return rc;
	snprintf(why, sizeof why, "%s", c->why);
	for (size_t i = 0; i < a->n_lock && rc == -ENOENT; i++) {
		const struct sd_lock_row *const l = &a->lock[i];

		rc = change_at(c, f->cause, l->waiter, l->n_waiter);
		rc = rc == -ENOENT ? change_at(c, f->cause, l->holder, l->n_holder) : rc;
	}
	if (rc == -ENOENT && *why)
		snprintf(c->why, sizeof c->why, "%s", why);
	return rc;
}

static int plan_finding(struct sd_fix_plan *plan, const struct sd_finding *f,
	const struct sd_analysis *a, struct sd_fix_case *c)
{
	struct sd_fix_entry *const e = &plan->entry[plan->n];
	const struct sd_where *const w = f->n_where ? f->where : NULL;
	int rc;

	*e = (struct sd_fix_entry){.cause = f->cause, .advice = &f->advice};
	snprintf(e->title, sizeof e->title, "%s%s%s%s%s", sd_cause_info[f->cause].name,
		f->verdict == SD_VERDICT_POSSIBLE ? " (possible)" : "",
		w && w->function ? " in " : "", w && w->function ? w->function : "",
		w && w->function && !strpbrk(w->function, "([") ? "()" : "");
	if (w && w->file && w->line) {
		const char *const slash = strrchr(w->file, '/');
		const size_t used = strlen(e->title);

		snprintf(e->title + used, sizeof e->title - used, ", %s:%u",
			slash ? slash + 1 : w->file, w->line);
	}
	*c = (struct sd_fix_case){.record = c->record, .sources = c->sources, .locks = c->locks};
	rc = change_finding(c, f, a);
	if (rc == -ENOENT && !*c->why)
		sd_fix_case_refuse(c, "no change of the text follows from what was measured alone");
	take(plan, e, c, rc);
	return rc == -ENOMEM ? rc : 0;
}

static int plan_findings(
	struct sd_fix_plan *plan, const struct sd_analysis *a, int possible, struct sd_fix_case *c)
{
	const size_t n = sizeof a->finding / sizeof *a->finding;
	int rc = 0;

	for (size_t i = 0; i < n && plan->n < SD_FIX_ENTRIES && !rc; i++) {
		const struct sd_finding *const f = &a->finding[i];
		const int sure =
			f->verdict == SD_VERDICT_CONFIRMED || f->verdict == SD_VERDICT_LIKELY;

		/* of a possible cause something has to speak for it */
		if ((possible ? f->verdict == SD_VERDICT_POSSIBLE && f->evidence.n && f->n_where &&
					    f->cores.value > 0
			      : sure) &&
			!is_of_lines(f, plan))
			rc = plan_finding(plan, f, a, c);
	}
	return rc;
}

int sd_fix_plan_make(struct sd_fix_plan *plan, const struct sd_record *r,
	const struct sd_contested_lines *lines, const struct sd_analysis *a,
	struct sd_fix_sources *sources, const struct sd_fix_locks *locks)
{
	struct sd_line_layout *const l = malloc(sizeof *l);
	struct sd_fix_case *const c = calloc(1, sizeof *c);
	int rc = l && c ? 0 : -ENOMEM;

	*plan = (struct sd_fix_plan){0};
	if (c)
		*c = (struct sd_fix_case){.record = r, .sources = sources, .locks = locks};
	rc = rc ? rc : sd_fix_sources_all(sources);
	for (size_t i = 0; lines && i < lines->n_matter && plan->n < SD_FIX_ENTRIES && !rc; i++)
		rc = plan_line(plan, r, lines, &lines->line[i], c, l);
	rc = rc ? rc : plan_findings(plan, a, 0, c);
	/* of what is not sure, where nothing else gives one */
	rc = rc || plan->diffs ? rc : plan_findings(plan, a, 1, c);
	free(l);
	free(c);
	return rc;
}

void sd_fix_plan_put(struct sd_page *p, const struct sd_fix_plan *plan)
{
	char head[24];

	for (size_t i = 0; i < plan->n; i++) {
		const struct sd_fix_entry *const e = &plan->entry[i];

		snprintf(head, sizeof head, "%-3zu", i + 1);
		sd_page_wrap_tone(p, SD_TONE_BOLD, head, 3, "%s", e->title);
		if (*e->what)
			sd_page_wrap(p, "   diff     ", 12, "%s", e->what);
		if (*e->what && *e->after)
			sd_page_wrap(p, "   after    ", 12, "%s", e->after);
		if (*e->check)
			sd_page_wrap(p, "   check    ", 12, "%s", e->check);
		if (*e->why)
			sd_page_wrap(p, "   no diff  ", 12, "%s", e->why);
		for (size_t k = 0; *e->why && e->advice && k < e->advice->n && k < 3; k++)
			sd_page_wrap(p, k ? "            " : "   do       ", 12, "%s",
				e->advice->text[k]);
	}
}
