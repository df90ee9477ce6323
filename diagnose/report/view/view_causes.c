#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/neighbours_met.h"
#include "page/interval_text.h"
#include "page/short_names.h"
#include "view/view_parts.h"

static const struct sd_point *last(const struct sd_analysis *a)
{
	return &a->point[a->n_point - 1];
}

/* ---- which causes are shown ------------------------------------------------------------------ */

/* Others on the machine are no cause in the program: they stand above the answer. A program that
 * scales has only sure causes told: a suspicion would be an accusation. */
static int is_program_s(const struct sd_analysis *a, const struct sd_finding *f)
{
	const enum sd_verdict last_told =
		a->scales == SD_SCALES_YES ? SD_VERDICT_LIKELY : SD_VERDICT_POSSIBLE;

	return f->cause != SD_CAUSE_NOISE && f->verdict <= last_told;
}

/* Large enough to begin with, and known how large. */
static int is_shown(const struct sd_analysis *a, const struct sd_finding *f)
{
	return is_program_s(a, f) && sd_status_measured(f->share) &&
	       f->share.value >= SD_VIEW_LEAST;
}

/* Possible, but nobody knows how much of the growth is its own. */
static int is_open(const struct sd_analysis *a, const struct sd_finding *f)
{
	return is_program_s(a, f) && !sd_status_measured(f->cores);
}

/* May the instructions that were counted beyond those of the reference be work, or waiting? */
static int is_work_open(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == SD_CAUSE_EXTRA_WORK)
			return a->finding[i].verdict == SD_VERDICT_POSSIBLE &&
			       is_open(a, &a->finding[i]);
	return 0;
}

struct sd_interval sd_view_growth(const struct sd_analysis *a)
{
	const struct sd_interval *const stack = a->n_point ? last(a)->stack : NULL;
	struct sd_interval growth = {.status = SD_STATUS_ABSENT}, more;
	double told;

	if (stack)
		growth = stack[sd_status_measured(stack[SD_COMPONENT_GROWTH])
				       ? SD_COMPONENT_GROWTH
				       : SD_COMPONENT_CPI_OTHER];
	more = stack ? stack[SD_COMPONENT_INSTRUCTIONS] : growth;
	if (stack && sd_status_measured(more) && is_work_open(a)) {
		growth.value += more.value;
		growth.low += more.low;
		growth.high += more.high;
		growth.status = more.status;
	}
	told = growth.value - a->undecided.value;
	if (!sd_has(a->undecided) || !sd_status_measured(growth) || told <= 0)
		return growth;
	growth.value -= told;
	growth.low -= told;
	growth.high -= told;
	return growth;
}

/* One run judges no cause: what is left of user time then is no answer beside a larger loss. */
static int is_beside_more(const struct sd_analysis *a)
{
	const struct sd_interval *const stack = last(a)->stack;

	for (int i = SD_COMPONENT_USEFUL + 1; last(a)->runs == 1 && i < SD_COMPONENT_COUNT; i++)
		if (i != SD_COMPONENT_GROWTH && i != SD_COMPONENT_CPI_OTHER &&
			sd_status_measured(stack[i]) && stack[i].value > a->undecided.value)
			return 1;
	return 0;
}

/* The growth of user time that no cause was found for, where it matters. */
static struct sd_interval open_growth(const struct sd_analysis *a)
{
	if (a->scales == SD_SCALES_YES || !sd_has(a->undecided) ||
		a->undecided.value < SD_VIEW_LEAST * last(a)->n || is_beside_more(a))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	return sd_view_growth(a);
}

/* ---- one cause ------------------------------------------------------------------------------- */

/* "Lock contention costs 1.60 of 2 cores (likely; 95 %: 1.55 to 1.64)"; one run has no interval. */
static int put_title(struct sd_view_cause *c, const struct sd_point *pt, const char *label,
	struct sd_interval cores, const char *word)
{
	char range[128], value[32];

	sd_interval_text_number(value, sizeof value, cores.value, 2);
	sd_interval_text_range(range, sizeof range, cores, pt, 2);
	return sd_view_say(&c->title, "%c%s costs %s of %u cores (%s%s%s)",
		toupper((unsigned char)label[0]), label + 1, value, pt->n, word, *range ? "; " : "",
		range);
}

static int put_cause(struct sd_view_cause *c, const struct sd_finding *f, const struct sd_view *v)
{
	const int rc = put_title(c, last(v->a), sd_cause_info[f->cause].label, f->cores,
		sd_verdict_name[f->verdict]);

	c->of = f;
	return rc ? rc : sd_view_items(c, v);
}

static int put_open_names(FILE *f, const struct sd_analysis *a)
{
	int n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (is_open(a, &a->finding[i]))
			fprintf(f, "%s%s", n++ ? ", " : "still possible: ",
				sd_cause_info[a->finding[i].cause].label);
	return n;
}

/* The next step that would decide between open causes, from the first that knows one. */
static const char *open_next(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (is_open(a, &a->finding[i]) && a->finding[i].next)
			return a->finding[i].next;
	return NULL;
}

/* Not a leaf that code beside calls too: the call that stands outside of the parallel part, or the
 * part that is uneven; of a lock who takes it. */
static int is_by_caller(const struct sd_finding *f)
{
	return f->cause == SD_CAUSE_SERIAL_CODE || f->cause == SD_CAUSE_LOAD_IMBALANCE;
}

static const struct sd_where *place_of(const struct sd_finding *f, const struct sd_analysis *a)
{
	const struct sd_where *const w = f->n_where ? &f->where[0] : NULL;
	const struct sd_where *const taken = sd_view_lock_taken(sd_view_hottest_lock(f, a));

	if (taken)
		return taken;
	for (size_t i = 0; w && w->from && is_by_caller(f) && i < a->losses.n_row; i++) {
		const struct sd_where *const at = &a->losses.row[i].at;

		if (at->file && at->function && strcmp(at->function, w->from) == 0)
			return at;
	}
	return w;
}

/* The growth of user time whose cause was not found: one entry for all that may be it. */
static int put_open(struct sd_view_cause *c, const struct sd_analysis *a, struct sd_interval growth)
{
	const struct sd_point *const pt = last(a);
	size_t size = 0;
	FILE *f;
	int rc;

	if (pt->runs > 1 && growth.low <= 0 && isfinite(growth.high) && growth.high >= pt->n)
		rc = sd_view_say(&c->title,
			"Work inflation may cost anything up to all %u cores (cause not found; the "
			"runs differ too much to bound it)",
			pt->n);
	else if (pt->runs > 1 && growth.low <= 0 && isfinite(growth.high))
		rc = sd_view_say(&c->title,
			"Work inflation costs at most %.2f of %u cores (cause not found; may be noise)",
			growth.high, pt->n);
	else
		rc = put_title(c, pt, "work inflation", growth, "cause not found");
	f = rc == 0 ? open_memstream(&c->item[SD_VIEW_OPEN], &size) : NULL;
	if (!f)
		return -ENOMEM;
	if (!put_open_names(f, a))
		fputs("the same work takes more CPU time; no cause was seen that explains it", f);
	if (fclose(f) != 0)
		return -ENOMEM;
	for (int i = 0; i < SD_CAUSE_COUNT && rc == 0; i++)
		if (is_open(a, &a->finding[i]) && a->finding[i].n_where > 0) {
			c->at = &a->finding[i].where[0];
			return sd_view_item_where(c, &a->finding[i]);
		}
	return rc;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* "parallel region at a.c:7", "main program": no name, as "f()" and "[libx.so+0x10]" are. */
static int is_words(const char *name)
{
	return *name != '[' && (!strstr(name, "()") || strstr(name, " in "));
}

/* The cause of the first line: growth without a cause, most of it in the function where a lock is
 * waited for, is the lock's: tasks that wait run their runtime's code. */
static const struct sd_view_cause *main_of(const struct sd_view *v)
{
	const struct sd_where *const at = v->n_cause && !v->cause[0].of ? v->cause[0].at : NULL;

	for (size_t i = 1; at && at->function && at->share >= .5 && i < v->n_cause; i++) {
		const struct sd_finding *const f = v->cause[i].of;
		const struct sd_where *const w = f && f->n_where ? &f->where[0] : NULL;

		if (w && f->cause == SD_CAUSE_LOCK_CONTENTION && w->share >= .5 && w->function &&
			strcmp(w->function, at->function) == 0)
			return &v->cause[i];
	}
	return v->n_cause ? &v->cause[0] : NULL;
}

static int put_main_cause(struct sd_view *v)
{
	const struct sd_view_cause *const c = main_of(v);
	const struct sd_finding *const f = c ? c->of : NULL;
	const struct sd_where *const w = f && f->n_where ? &f->where[0] : NULL;
	const struct sd_where *const taken =
		f ? sd_view_lock_taken(sd_view_hottest_lock(f, v->a)) : NULL;
	/* the kernel's code is nobody's to change */
	const int in_kernel = w && w->module && strcmp(w->module, "[kernel]") == 0;
	/* one of many places is not where it is */
	const int is_one_of_many = w && w->share > 0 && w->share < SD_VIEW_PLACE;
	/* nor are an interpreter's own functions */
	const int is_inner = taken ? taken->interpreter : w && w->interpreter;
	const char *const function = is_inner                          ? NULL
				     : taken                           ? taken->function
				     : is_one_of_many                  ? NULL
				     : w && is_by_caller(f) && w->from ? w->from
				     : w && !in_kernel                 ? w->function
								       : NULL;
	char *name, worth[160] = "";
	int rc;

	/* a loss beyond all that disturbed the runs has its cause, in wider bounds */
	if (!c || (v->a->no_verdict && v->a->scales != SD_SCALES_NO))
		return 0;
	if (!f)
		return sd_view_say(&v->main_cause,
			"The same work takes more CPU time; the cause was not found.");
	if (sd_interval_text_gains(f->worth) && !sd_view_is_suspicion(v, f))
		sd_interval_text_gain(worth, sizeof worth, f->worth, "");
	name = function ? sd_name_function(function) : NULL;
	rc = function && !name ? -ENOMEM
			       : sd_view_say(&v->main_cause, "%s: %s%s%s%s%s.",
					 v->a->scales == SD_SCALES_YES     ? "Most of the rest"
					 : f->verdict <= SD_VERDICT_LIKELY ? "Main cause"
									   : "Possible cause",
					 sd_cause_info[f->cause].label,
					 !name            ? ""
					 : is_words(name) ? " in the "
							  : " in ",
					 name ? name : "", *worth ? ", worth " : "", worth);
	free(name);
	return rc;
}

/* The option that gives the runs precedence over that load, if not refused and possible. */
static const char *precedence(const struct sd_record *r)
{
	if (sd_view_shielded(r) || r->program.attached)
		return "";
	return r->plan.no_shield ? " (or leave out --no-shield)" : " (or run as root)";
}

/* " (cc1, pid 12, which computes)" of the neighbour with most CPU time; "" none was seen. */
static void say_neighbour(const struct sd_record *r, char *out, size_t size)
{
	struct sd_neighbours_met met;
	char does[96];

	*out = '\0';
	sd_neighbours_met(r, &met);
	if (!met.n)
		return;
	sd_neighbour_does(&met.row[0].who, does, sizeof does);
	snprintf(out, size, " (%s, pid %d, which %s)", met.row[0].who.name, met.row[0].who.pid,
		does);
}

static int put_banner(struct sd_view *v)
{
	const struct sd_analysis *const a = v->a;
	char who[160];

	say_neighbour(v->r, who, sizeof who);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a->finding[i];

		if (f->cause != SD_CAUSE_NOISE || f->verdict > SD_VERDICT_POSSIBLE ||
			!sd_status_measured(f->cores))
			continue;
		return sd_view_say(&v->banner,
			"Background load took %.2f of %u cores%s: stop it%s and try again.",
			f->cores.value, last(a)->n, who, precedence(v->r));
	}
	return 0;
}

/* Does a simulated run show a cause whose cost cannot be measured here? */
static int is_named(const struct sd_finding *f)
{
	return f->verdict == SD_VERDICT_NOT_MEASURABLE && f->named > 0;
}

/* Do counts show a cause that no time does, as in a table that others published? */
static int is_unpriced(const struct sd_finding *f)
{
	return f->cause != SD_CAUSE_NOISE && f->verdict <= SD_VERDICT_LIKELY &&
	       !sd_status_measured(f->cores);
}

/* Lines are named by a simulation or, of a record without one, by samples of loads. */
static const char *named_by(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].simulated)
			return "in a simulated run";
	return "in samples of loads";
}

static int put_named(struct sd_view_cause *c, const struct sd_finding *f, const struct sd_view *v)
{
	const char *const label = sd_cause_info[f->cause].label;
	int rc;

	c->of = f;
	if (is_named(f))
		rc = sd_view_say(&c->title, "%c%s %s; what it costs cannot be measured here",
			toupper((unsigned char)label[0]), label + 1, named_by(v->r));
	else
		rc = sd_view_say(&c->title, "%c%s (%s; what it costs is not known)",
			toupper((unsigned char)label[0]), label + 1, sd_verdict_name[f->verdict]);
	return rc ? rc : sd_view_items(c, v);
}

static int add(struct sd_view *v, const struct sd_finding *f, const struct sd_interval *open)
{
	struct sd_view_cause *const c = &v->cause[v->n_cause];
	const char *const next = f ? f->next : open_next(v->a);
	int rc;

	c->number = (unsigned)++v->n_cause;
	rc = !f                              ? put_open(c, v->a, *open)
	     : is_named(f) || is_unpriced(f) ? put_named(c, f, v)
					     : put_cause(c, f, v);
	if (f)
		c->at = place_of(f, v->a);
	if (rc || (!next && !v->record_word))
		return rc;
	return sd_view_item_next(c, v, next ? next : "scalediag report --long RECORD");
}

int sd_view_causes(struct sd_view *v)
{
	const struct sd_interval open = open_growth(v->a);
	int waits = sd_status_measured(open), rc = 0;

	for (int i = 0; i < SD_CAUSE_COUNT && rc == 0; i++) {
		const struct sd_finding *const f = &v->a->finding[i];

		if (!is_shown(v->a, f)) {
			v->n_more += is_program_s(v->a, f) && !is_open(v->a, f);
			continue;
		}
		/* before a smaller one that is no surer */
		if (waits && f->verdict == SD_VERDICT_POSSIBLE && f->cores.value < open.value &&
			v->n_cause < SD_VIEW_CAUSES) {
			rc = add(v, NULL, &open);
			waits = 0;
		}
		if (rc == 0 && v->n_cause < SD_VIEW_CAUSES)
			rc = add(v, f, &open);
		else
			v->n_more++;
	}
	if (rc == 0 && waits && v->n_cause < SD_VIEW_CAUSES)
		rc = add(v, NULL, &open);
	for (int i = 0; i < SD_CAUSE_COUNT && rc == 0 && v->n_cause == 0; i++)
		if (is_unpriced(&v->a->finding[i]))
			rc = add(v, &v->a->finding[i], &open);
	for (int i = 0; i < SD_CAUSE_COUNT && rc == 0 && v->n_cause < SD_VIEW_CAUSES; i++)
		if (is_named(&v->a->finding[i]))
			rc = add(v, &v->a->finding[i], &open);
	rc = rc ? rc : put_main_cause(v);
	return rc ? rc : put_banner(v);
}
