#include "fix/fix_sections.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_lines.h"
#include "fix/fix_own.h"
#include "fix/fix_section.h"

/* ---- what need not be in it ------------------------------------------------------------------ */

struct shortening {
	struct sd_fix_case *c;
	struct sd_fix_source *in;
	const struct sd_c_tokens *t;
	const struct sd_fix_section *s;
	struct sd_fix_own own;
	size_t function;
	size_t head, tail; /* statements up to here go before it, those from here behind it */
	char shared[128];  /* what the first statement that stays touches */
	unsigned shared_line;
};

/* Is the statement the thread's own, and nothing that leaves or declares for a block? */
static int may_move(struct shortening *x, size_t from, size_t end)
{
	const int leaves = sd_fix_own_leaves(x->t, from, end + 1);
	const int rc = !leaves && sd_fix_own_code(&x->own, x->function, from, end + 1) &&
		       !(!x->s->lock && sd_fix_own_declares(x->t, from));

	if (leaves)
		snprintf(x->own.shared, sizeof x->own.shared, "what comes after it");
	if (!rc && !*x->shared) {
		snprintf(x->shared, sizeof x->shared, "%s", x->own.shared);
		x->shared_line = x->t->token[from].line;
	}
	return rc;
}

/* Finds the statements at the beginning and at the end that may move, up to the last, or from the
 * first, that takes time. */
static void divide(struct shortening *x)
{
	const int alone = !x->s->lock && x->s->first == x->s->enter + 1;
	int leading = !alone; /* a directive stays with its one statement */

	x->head = x->s->first;
	x->tail = x->s->leave;
	for (size_t i = x->s->first, end; i < x->s->leave; i = end + 1) {
		end = sd_c_statement_end(x->t, i);
		if (end >= x->s->leave)
			break;
		if (!may_move(x, i, end)) {
			leading = 0;
			x->tail = x->s->leave;
		} else if (leading) {
			x->head = x->own.calls ? end + 1 : x->head;
		} else if (x->own.calls && x->tail == x->s->leave) {
			x->tail = i;
		}
	}
}

static size_t end_of(const struct sd_c_tokens *t, size_t i)
{
	return t->token[i].at + t->token[i].length;
}

/* An object gives the lock back before `tail`, of a type that can. */
static int unlock_guard(struct shortening *x)
{
	const struct sd_c_tokens *const t = x->t;
	const struct sd_fix_section *const s = x->s;
	const char *const type =
		sd_c_tokens_is(t, s->word, "shared_lock") ? "shared_lock" : "unique_lock";
	const size_t first = s->enter + (size_t)sd_c_tokens_is(t, s->enter, "const");
	const size_t at = t->token[s->enter].at, named = t->token[first].at;
	int rc = sd_fix_lines_put(x->c, x->in, t->token[x->tail].at, "", "%s.unlock();", s->guard);

	if (!rc && x->head > s->first) { /* it moves, too */
		rc = sd_fix_lines_put(x->c, x->in, t->token[x->head].at, "", "%.*s%s%.*s",
			(int)(t->token[s->word].at - named), t->text + named, type,
			(int)(end_of(t, s->enter_end) - end_of(t, s->word)),
			t->text + end_of(t, s->word));
		return rc ? rc : sd_fix_lines_remove(x->c, x->in, at, end_of(t, s->enter_end));
	}
	if (rc || (first == s->enter && sd_c_tokens_is(t, s->word, type)))
		return rc;
	return sd_fix_case_add(x->c, x->in, at, end_of(t, s->word) - at, "%.*s%s",
		(int)(t->token[s->word].at - named), t->text + named, type);
}

static int move_both(struct shortening *x)
{
	const struct sd_c_tokens *const t = x->t;
	const struct sd_fix_section *const s = x->s;
	int rc = 0;

	if (s->ends_block && x->tail < s->leave)
		return unlock_guard(x);
	if (x->head > s->first)
		rc = sd_fix_lines_move(x->c, x->in, t->token[s->enter].at, end_of(t, s->enter_end),
			t->token[x->head].at);
	if (!rc && x->tail < s->leave)
		rc = sd_fix_lines_move(x->c, x->in, t->token[s->leave].at, end_of(t, s->leave_end),
			t->token[x->tail].at);
	return rc;
}

static int move_lock(struct shortening *x)
{
	const struct sd_c_tokens *const t = x->t;
	const struct sd_fix_section *const s = x->s;
	const int before = x->head > s->first, rc = move_both(x);

	if (rc)
		return rc;
	snprintf(x->c->what, sizeof x->c->what,
		"what %s:%u to %u does touches nothing that threads share: it is done %s %s%s",
		x->in->path, t->token[before ? s->first : x->tail].line,
		t->token[(before ? x->head : s->leave) - 1].line, before ? "before" : "when",
		s->name, before ? " is taken" : " was given back");
	return 0;
}

/* The sum or assignment of statement [from, end] whose value a function computes from what the
 * thread has: the token behind its "=". 0: it is none. */
static size_t own_value(struct shortening *x, size_t from, size_t end)
{
	const struct sd_c_tokens *const t = x->t;
	size_t i = from;

	while (i < end && !sd_c_tokens_is(t, i, "="))
		i = sd_c_tokens_is(t, i, "(") || sd_c_tokens_is(t, i, "[")
			    ? sd_c_tokens_end(t, i) + 1
			    : i + 1;
	if (i >= end || i == from || sd_c_tokens_is(t, i + 1, "=") ||
		sd_c_tokens_is(t, i - 1, "!") || sd_c_tokens_is(t, i - 1, "<") ||
		sd_c_tokens_is(t, i - 1, ">"))
		return 0;
	i++;
	if (t->token[i].kind != SD_C_WORD || !sd_c_tokens_is(t, i + 1, "(") ||
		sd_c_tokens_end(t, i + 1) != end - 1 ||
		!sd_fix_own_code(&x->own, x->function, i, end) || !x->own.calls)
		return 0;
	/* nothing that the section does before changes what it is computed from */
	for (size_t k = i; k < end; k++)
		if (t->token[k].kind == SD_C_WORD &&
			sd_c_statement_word(t, x->s->first, from, t->text + t->token[k].at,
				t->token[k].length) < from)
			return 0;
	return i;
}

static int compute_before(struct shortening *x, size_t from, size_t value, size_t end)
{
	const struct sd_c_tokens *const t = x->t;
	const size_t at = t->token[value].at, size = t->token[end].at - at;
	char type[128], name[96] = "";

	for (size_t i = from; i < value; i++)
		if (t->token[i].kind == SD_C_WORD)
			snprintf(name, sizeof name, "own_%.*s",
				(int)(t->token[i].length < 80 ? t->token[i].length : 80),
				t->text + t->token[i].at);
	if (!*name || sd_c_statement_word(&x->in->tokens, 0, x->in->tokens.n, name, strlen(name)) <
			      x->in->tokens.n)
		return sd_fix_case_refuse(x->c, "%s has no free name for the value of %s:%u",
			x->in->path, x->in->path, t->token[value].line);
	if (sd_fix_own_returns(&x->own, t->text + at, t->token[value].length, type, sizeof type))
		return sd_fix_case_refuse(x->c, "the type of %.*s() is not seen",
			(int)t->token[value].length, t->text + at);
	if (!sd_fix_lines_alone(x->in, t->token[x->s->enter].at, end_of(t, x->s->enter_end)))
		return sd_fix_case_refuse(x->c, "%s:%u has more on its line than the lock",
			x->in->path, t->token[x->s->enter].line);
	snprintf(x->c->what, sizeof x->c->what,
		"%.*s() at %s:%u touches nothing that threads share: it is called before %s is "
		"taken",
		(int)t->token[value].length, t->text + at, x->in->path, t->token[value].line,
		x->s->name);
	/* a directive has no indentation of its own: that of what it stands before */
	if (sd_fix_case_add(x->c, x->in, sd_fix_lines_begin(x->in, t->token[x->s->enter].at), 0,
		    "%.*sconst %s %s = %.*s;\n",
		    (int)sd_fix_lines_indent(x->in, t->token[x->s->first].at),
		    x->in->text + sd_fix_lines_begin(x->in, t->token[x->s->first].at), type, name,
		    (int)size, t->text + at) != 0)
		return -ENOENT;
	return sd_fix_case_add(x->c, x->in, at, size, "%s", name);
}

static int shorten(struct shortening *x)
{
	divide(x);
	if (x->head > x->s->first || x->tail < x->s->leave)
		return move_lock(x);
	for (size_t i = x->s->first, end; i < x->s->leave; i = end + 1) {
		size_t value;

		end = sd_c_statement_end(x->t, i);
		if (end >= x->s->leave)
			break;
		value = own_value(x, i, end);
		if (value)
			return compute_before(x, i, value, end);
	}
	return sd_fix_case_refuse(x->c,
		"%s guards %s:%u to %u, of which nothing is seen that needs no lock: line %u "
		"touches %s, which may be shared",
		x->s->name, x->in->path, x->t->token[x->s->enter].line,
		x->t->token[x->s->leave_end].line, x->shared_line, x->shared);
}

static int find_section(struct sd_fix_case *c, const char *file, unsigned line)
{
	struct sd_fix_source *const in = sd_fix_sources_at(c->sources, file);
	struct sd_fix_section found = {0}, s;
	int rc;

	if (!in)
		return -ENOMEM;
	if (!in->text)
		return sd_fix_case_refuse(c, "%s", in->why);
	for (size_t i = 0; i < in->compiled.n; i++)
		if (sd_fix_section_at(c, &in->compiled, i, &s) &&
			line >= in->compiled.token[s.enter].line &&
			line <= in->compiled.token[s.leave_end].line)
			found = s; /* the innermost one stands last */
	if (!found.leave)
		return sd_fix_case_refuse(c,
			"no lock is taken and given back around %s:%u in one block", in->path,
			line);
	struct shortening x = {.c = c,
		.in = in,
		.t = &in->compiled,
		.s = &found,
		.own = {.sources = c->sources, .in = in},
		.function = sd_c_statement_function(&in->compiled, found.enter)};
	rc = shorten(&x);
	if (!rc)
		snprintf(c->check, sizeof c->check, "%s",
			found.lock && found.lock->limits
				? "that it is not there to limit how many do this at a time"
				: "that nobody relies on the lock being held meanwhile");
	return rc;
}

int sd_fix_sections_at(struct sd_fix_case *c, const char *file, unsigned line)
{
	return sd_fix_case_commit(c, find_section(c, file, line));
}
