#include "fix/fix_sections.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_lines.h"
#include "fix/fix_own.h"

/* A section, in tokens: the statements from `first` up to `leave`, which gives the lock back. */
struct section {
	const struct sd_fix_lock *lock; /* NULL: `critical` of OpenMP */
	size_t enter, enter_end;        /* the first token of what takes it, the last one */
	size_t first, leave, leave_end;
	char name[96]; /* of the lock */
};

/* ---- which section --------------------------------------------------------------------------- */

/* Does the word name the function: itself, or a macro whose every definition is a function of the
 * table that takes a lock which `leave` gives back? */
static int takes(const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i,
	const struct sd_fix_lock *lock)
{
	int found = 0;

	if (sd_c_tokens_is(t, i, lock->enter))
		return 1;
	for (size_t k = 0; k < t->n; k++) {
		size_t name, length, body, end = t->token[k].at + t->token[k].length;
		int known = 0;

		if (sd_c_statement_macro(t, k, &name, &length, &body) != 0 ||
			length != t->token[i].length ||
			memcmp(t->text + name, t->text + t->token[i].at, length) != 0)
			continue;
		while (body < end && strchr(" \t", t->text[body]))
			body++;
		while (end > body && strchr(" \t\r", t->text[end - 1]))
			end--;
		for (size_t w = 0; w < c->locks->n; w++)
			known |= strlen(c->locks->row[w].enter) == end - body &&
				 strcmp(c->locks->row[w].leave, lock->leave) == 0 &&
				 memcmp(c->locks->row[w].enter, t->text + body, end - body) == 0;
		if (!known)
			return 0;
		found = 1;
	}
	return found;
}

/* The tokens of the first argument of the call at i. */
static size_t argument(const struct sd_c_tokens *t, size_t i)
{
	const size_t end = sd_c_tokens_end(t, i + 1);
	size_t k = i + 2;

	while (k < end && !sd_c_tokens_is(t, k, ","))
		k = sd_c_tokens_is(t, k, "(") || sd_c_tokens_is(t, k, "[")
			    ? sd_c_tokens_end(t, k) + 1
			    : k + 1;
	return k < end ? k - i - 2 : end - i - 2;
}

/* Finds what gives the lock back in the same block. 1 or 0. */
static int find_leave(const struct sd_c_tokens *t, struct section *s)
{
	const size_t words = argument(t, s->enter);

	for (size_t i = s->first; i < t->n && !sd_c_tokens_is(t, i, "}");) {
		const size_t end = sd_c_statement_end(t, i);

		if (end >= t->n)
			return 0;
		if (sd_c_tokens_is(t, i, s->lock->leave) && sd_c_tokens_is(t, i + 1, "(") &&
			argument(t, i) == words &&
			sd_c_statement_same(t, s->enter + 2, i + 2, words)) {
			s->leave = i;
			s->leave_end = end;
			return 1;
		}
		i = end + 1;
	}
	return 0;
}

static int is_section(
	const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i, struct section *out)
{
	const size_t brackets = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) : t->n;

	if (t->token[i].kind != SD_C_WORD || !sd_c_tokens_is(t, brackets + 1, ";") ||
		sd_c_tokens_begin(t, i) != i)
		return 0;
	for (size_t k = 0; k < c->locks->n; k++) {
		if (!takes(c, t, i, &c->locks->row[k]))
			continue;
		*out = (struct section){.lock = &c->locks->row[k],
			.enter = i,
			.enter_end = brackets + 1,
			.first = brackets + 2};
		if (!find_leave(t, out))
			continue;
		snprintf(out->name, sizeof out->name, "%.*s",
			(int)(t->token[brackets].at - t->token[i + 2].at),
			t->text + t->token[i + 2].at);
		return 1;
	}
	return 0;
}

/* `critical` before a statement, or a block of them. */
static int is_critical(const struct sd_c_tokens *t, size_t i, struct section *out)
{
	const char *const at = t->text + t->token[i].at;
	size_t end;

	if (t->token[i].kind != SD_C_DIRECTIVE || !memmem(at, t->token[i].length, "omp", 3) ||
		!memmem(at, t->token[i].length, "critical", 8))
		return 0;
	end = sd_c_statement_end(t, i + 1);
	if (end >= t->n)
		return 0;
	*out = (struct section){
		.enter = i, .enter_end = i, .first = i + 1, .leave = end + 1, .leave_end = end};
	if (sd_c_tokens_is(t, i + 1, "{")) {
		out->enter_end = i + 1;
		out->first = i + 2;
		out->leave = end;
	}
	snprintf(out->name, sizeof out->name, "the critical section");
	return 1;
}

/* ---- what need not be in it ------------------------------------------------------------------ */

struct shortening {
	struct sd_fix_case *c;
	struct sd_fix_source *in;
	const struct sd_c_tokens *t;
	const struct section *s;
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

static int move_lock(struct shortening *x)
{
	const struct sd_c_tokens *const t = x->t;
	const struct section *const s = x->s;
	int rc = 0;

	if (x->head > s->first)
		rc = sd_fix_lines_move(x->c, x->in, t->token[s->enter].at, end_of(t, s->enter_end),
			t->token[x->head].at);
	if (!rc && x->tail < s->leave)
		rc = sd_fix_lines_move(x->c, x->in, t->token[s->leave].at, end_of(t, s->leave_end),
			t->token[x->tail].at);
	if (rc)
		return rc;
	if (x->head > s->first)
		snprintf(x->c->what, sizeof x->c->what,
			"what %s:%u to %u does touches nothing that threads share: it is done "
			"before %s is taken",
			x->in->path, t->token[s->first].line, t->token[x->head - 1].line, s->name);
	else
		snprintf(x->c->what, sizeof x->c->what,
			"what %s:%u to %u does touches nothing that threads share: it is done when "
			"%s was given back",
			x->in->path, t->token[x->tail].line, t->token[s->leave - 1].line, s->name);
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
	struct section found = {0}, s;
	int rc;

	if (!in)
		return -ENOMEM;
	if (!in->text)
		return sd_fix_case_refuse(c, "%s", in->why);
	for (size_t i = 0; i < in->compiled.n; i++)
		if ((is_section(c, &in->compiled, i, &s) || is_critical(&in->compiled, i, &s)) &&
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
