#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_path.h"
#include "page/interval_text.h"
#include "page/page.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "view/view_parts.h"

/* Columns of a place: an indented line of a page of 80. */
#define PLACE 56

const char *const sd_view_item_name[SD_VIEW_ITEM_COUNT] = {
#define X(id, name) [SD_VIEW_##id] = name,
	SD_VIEW_ITEMS(X)
#undef X
};

int sd_view_say(char **out, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(out, fmt, ap);
	va_end(ap);
	if (n < 0)
		*out = NULL;
	return n < 0 ? -ENOMEM : 0;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* A function of the kernel, called by nothing known, with less than half of the samples is mostly
 * where it let interrupts in again. */
static int is_nowhere(const struct sd_where *w)
{
	return w->module && strcmp(w->module, "[kernel]") == 0 && !w->from && w->share > 0 &&
	       w->share < .5;
}

int sd_view_item_where(struct sd_view_cause *c, const struct sd_finding *f)
{
	const struct sd_where *const w =
		f->n_where && !is_nowhere(&f->where[0]) ? &f->where[0] : NULL;
	char *const chain = w ? sd_name_chain(w, PLACE) : NULL;
	const int rc = chain ? sd_view_say(&c->item[SD_VIEW_WHERE], "%s%s%s (%.0f %%)", chain,
				       w->object ? ", on " : "", w->object ? w->object : "",
				       100 * w->share)
			     : -ENOMEM;

	free(chain);
	return w ? rc : 0;
}

/* Calls in which ranks lose it: waits for each other, or messages under way; NULL: it is not known
 * by ranks. */
static const char *rank_place(const struct sd_finding *f, const struct sd_analysis *a)
{
	const struct sd_texts *const waits = &a->ranks.waits, *const calls = &a->ranks.calls;

	if (!a->ranks.divided)
		return NULL;
	if (f->cause == SD_CAUSE_LOAD_IMBALANCE || f->cause == SD_CAUSE_SERIAL_CODE)
		return waits->n ? waits->text[0] : NULL;
	return f->cause == SD_CAUSE_MPI && calls->n ? calls->text[0] : NULL;
}

static int put_rank_place(struct sd_view_cause *c, const char *place)
{
	c->item[SD_VIEW_WHERE] = sd_sanitize(place);
	return c->item[SD_VIEW_WHERE] ? 0 : -ENOMEM;
}

/* ---- the lock -------------------------------------------------------------------------------- */

const struct sd_lock_row *sd_view_hottest_lock(
	const struct sd_finding *f, const struct sd_analysis *a)
{
	const struct sd_lock_row *const l = a->n_lock ? &a->lock[0] : NULL;

	/* of locks that hardly anybody waits for, the hottest is none */
	return f->cause == SD_CAUSE_LOCK_CONTENTION && l && l->n_waiter > 0 &&
			       l->waiter[0].function && l->waiter[0].share >= .5 && l->waits >= 1 &&
			       !(sd_has(l->busy) && l->busy.value < .01)
		       ? l
		       : NULL;
}

const struct sd_where *sd_view_lock_taken(const struct sd_lock_row *l)
{
	const struct sd_where *const w = l && l->n_waiter > 0 ? &l->waiter[0] : NULL;
	const char *const slash = w && w->module ? strrchr(w->module, '/') : NULL;

	return slash && strncmp(slash, "/libc.", 6) == 0 ? NULL : w;
}

/* "m (mutex), taken in lookup() mutex.cpp:11, held in hash() mutex.cpp:7" */
static int put_lock(struct sd_view_cause *c, const struct sd_lock_row *l)
{
	const struct sd_where *const at = sd_view_lock_taken(l);
	char *const taken = at ? sd_name_place(at, PLACE) : strdup("");
	char *const held = l->n_holder ? sd_name_place(&l->holder[0], PLACE) : NULL;
	int rc = -ENOMEM;

	if (taken && (held || !l->n_holder))
		rc = sd_view_say(&c->item[SD_VIEW_LOCK], "%s%s%s%s%s%s%s%s", l->name ? l->name : "",
			l->name ? " (" : "", l->kind, l->name ? ")" : "", at ? ", taken in " : "",
			taken, held ? ", held in " : "", held ? held : "");
	free(taken);
	free(held);
	return rc;
}

/* ---- what to do ------------------------------------------------------------------------------ */

/* Was it measured elsewhere? It then has the name of a file or a table, which nobody can run. */
static int is_imported(const struct sd_record *r)
{
	for (size_t i = 0; i < r->warnings.n; i++)
		if (strncmp(r->warnings.text[i], "imported:", 9) == 0)
			return 1;
	return 0;
}

char *sd_view_next(const struct sd_view *v, const char *next)
{
	/* what runs already is not started by perf */
	const int pid = next && v->r->program.attached && strncmp(next, "perf ", 5) == 0;
	/* as it was measured, unless it says of which counts itself */
	const int again = next && strncmp(next, "scalediag ", 10) == 0 && !strstr(next, "--ranks");
	const struct sd_view_word words[] = {{"RECORD", v->record_word},
		{"PROGRAM", pid                 ? "-p PID"
			    : is_imported(v->r) ? "APP"
			    : again             ? v->again
						: v->command},
		{NULL, NULL}};

	return sd_view_words(next, words);
}

static int is_command(const char *next)
{
	static const char *const program[] = {"scalediag ", "perf ", "numactl "};

	for (size_t i = 0; i < sizeof program / sizeof *program; i++)
		if (strncmp(next, program[i], strlen(program[i])) == 0)
			return 1;
	return 0;
}

/* Words of a command that stand for what is not known here. */
static int is_to_fill_in(const char *word)
{
	static const char *const names[] = {"RECORD", "PROGRAM", "PID", "APP", "LIST"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0)
			return 1;
	return 0;
}

int sd_view_item_next(struct sd_view_cause *c, const struct sd_view *v, const char *next)
{
	/* a command says behind " # " what it is for */
	const char *const note = strstr(next, " # ");
	char *const alone = strndup(next, note ? (size_t)(note - next) : strlen(next));
	char *const command = alone ? sd_view_next(v, alone) : NULL;
	int rc = command ? 0 : -ENOMEM;

	c->item[SD_VIEW_NEXT] = sd_view_next(v, next);
	if (!rc && is_command(alone))
		rc = sd_page_words(command, &c->next);
	for (size_t i = 0; i < c->next.n; i++)
		if (rc || is_to_fill_in(c->next.text[i]))
			sd_texts_free(&c->next);
	free(command);
	free(alone);
	return c->item[SD_VIEW_NEXT] && rc != -ENOMEM ? 0 : -ENOMEM;
}

/* "work()" of "work": as advice calls a function. */
static char *called(const char *function)
{
	char *out = NULL;

	sd_view_say(&out, "%s%s", function, strpbrk(function, "([") ? "" : "()");
	return out;
}

/* Adds the function as sentences call it, and its short name. 0 or -ENOMEM. */
static int add_name(const char *function, struct sd_view_word *words, size_t *n, char **fresh)
{
	if (!function)
		return 0;
	fresh[2 * *n] = called(function);
	fresh[2 * *n + 1] = sd_name_function(function);
	words[*n] = (struct sd_view_word){fresh[2 * *n], fresh[2 * *n + 1]};
	(*n)++;
	return words[*n - 1].from && words[*n - 1].to ? 0 : -ENOMEM;
}

#define NAMES 4 /* function, what it called, who called it, who holds the lock */

char *sd_view_short(const struct sd_view *v, const struct sd_finding *f, const char *text)
{
	static const struct sd_where nowhere;
	const struct sd_where *const w = f->n_where ? &f->where[0] : &nowhere;
	const struct sd_lock_row *const lock = v->a->n_lock ? &v->a->lock[0] : NULL;
	struct sd_view_word words[NAMES + 3];
	char *fresh[2 * NAMES] = {NULL}, *out = NULL;
	size_t n = 0;
	int rc = add_name(w->function, words, &n, fresh);

	rc |= add_name(w->in, words, &n, fresh);
	rc |= add_name(w->from, words, &n, fresh);
	rc |= add_name(lock && lock->n_holder ? lock->holder[0].function : NULL, words, &n, fresh);
	if (w->file) {
		words[n++] = (struct sd_view_word){
			sd_near_path(w->file, v->r->program.cwd), sd_name_base(w->file)};
		words[n++] = (struct sd_view_word){w->file, sd_name_base(w->file)};
	}
	words[n] = (struct sd_view_word){NULL, NULL};
	if (!rc)
		out = sd_view_words(text, words);
	for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
		free(fresh[i]);
	return out;
}

static int is_sure(const struct sd_finding *f)
{
	return f && f->verdict <= SD_VERDICT_LIKELY && sd_status_measured(f->worth) &&
	       isfinite(f->worth.value);
}

/* With the sure causes above fixed as well: cores that come free add up. 0: there are none, or it
 * would be more than there are. */
static double together(const struct sd_view_cause *c, const struct sd_view *v)
{
	double left = is_sure(c->of) ? 1 / c->of->worth.value : 0;
	size_t others = 0;

	for (size_t i = 0; i < v->n_cause && &v->cause[i] != c; i++)
		if (is_sure(v->cause[i].of)) {
			left -= 1 - 1 / v->cause[i].of->worth.value;
			others++;
		}
	return others && left > 0 ? 1 / left : 0;
}

/* "1.46x faster on 2 cores (1.40x to 1.60x), speedup 1.30x -> 1.90x; with those above 1.80x" */
static int put_payoff(struct sd_view_cause *c, const struct sd_finding *f, const struct sd_view *v)
{
	const struct sd_point *const pt = &v->a->point[v->a->n_point - 1];
	const double all = together(c, v);
	char what[48], gain[192], to[96] = "", also[48] = "";

	snprintf(what, sizeof what, " faster on %u cores", pt->cores);
	sd_interval_text_gain(gain, sizeof gain, f->worth, what);
	if (sd_status_measured(pt->speedup) && v->a->n_point > 1 && isfinite(f->worth.value) &&
		v->r->program.scaling == SD_SCALING_STRONG)
		snprintf(to, sizeof to, ", speedup %.2fx -> %.2fx", pt->speedup.value,
			pt->speedup.value * f->worth.value);
	if (all > 0)
		snprintf(also, sizeof also, "; with those above %.2fx faster", all);
	return sd_view_say(&c->item[SD_VIEW_PAYOFF], "%s%s%s", gain, to, also);
}

/* While nobody knows whether it scales, a suspicion is nothing to change code for: what would
 * decide comes first. */
int sd_view_is_suspicion(const struct sd_view *v, const struct sd_finding *f)
{
	return v->mood == SD_VIEW_UNSURE && f->verdict > SD_VERDICT_LIKELY;
}

int sd_view_items(struct sd_view_cause *c, const struct sd_view *v)
{
	const struct sd_finding *const f = c->of;
	const int is_suspicion = sd_view_is_suspicion(v, f);
	const struct sd_lock_row *const lock = sd_view_hottest_lock(f, v->a);
	const int measured = sd_status_measured(f->cores);
	const char *const ranks = measured ? rank_place(f, v->a) : NULL;
	int rc = ranks ? put_rank_place(c, ranks) : sd_view_item_where(c, f);

	if (rc == 0 && lock)
		rc = put_lock(c, lock);
	if (rc == 0 && f->what) {
		c->item[SD_VIEW_WHAT] = sd_view_short(v, f, f->what);
		rc = c->item[SD_VIEW_WHAT] ? 0 : -ENOMEM;
	}
	if (rc == 0 && f->advice.n > 0 && !is_suspicion) {
		c->item[SD_VIEW_FIX] = sd_view_short(v, f, f->advice.text[0]);
		rc = c->item[SD_VIEW_FIX] ? 0 : -ENOMEM;
	}
	if (rc == 0 && measured && !is_suspicion && sd_interval_text_gains(f->worth))
		rc = put_payoff(c, f, v);
	return rc;
}
