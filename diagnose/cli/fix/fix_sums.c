#include "fix/fix_sums.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_counts.h"
#include "fix/fix_lines.h"

/* Is token i < t->n a directive that has these words, in this order? */
static int is_pragma(const struct sd_c_tokens *t, size_t i, const char *const words[])
{
	const char *p = t->text + t->token[i].at, *const end = p + t->token[i].length;

	if (t->token[i].kind != SD_C_DIRECTIVE)
		return 0;
	for (; *words; words++) {
		p = memmem(p, (size_t)(end - p), *words, strlen(*words));
		if (!p)
			return 0;
		p += strlen(*words);
	}
	return 1;
}

/* The operator of a statement that adds up, and the token of the variable. 0: it is none. */
static char accumulates(const struct sd_c_tokens *t, size_t from, size_t to, size_t *variable)
{
	static const char *const many = "+*|&^";

	*variable = t->token[from].kind == SD_C_WORD ? from : from + 2;
	if (*variable > to || t->token[*variable].kind != SD_C_WORD)
		return 0;
	if (*variable != from)
		return sd_c_tokens_is(t, from, "+") && sd_c_tokens_is(t, from + 1, "+") &&
				       to == from + 3
			       ? '+'
			       : 0;
	if (to == from + 3 && sd_c_tokens_is(t, from + 1, "+") && sd_c_tokens_is(t, from + 2, "+"))
		return '+';
	if (from + 3 >= to || t->token[from + 1].kind != SD_C_SIGN ||
		!sd_c_tokens_is(t, from + 2, "=") || !strchr(many, t->text[t->token[from + 1].at]))
		return 0;
	return t->text[t->token[from + 1].at];
}

/* The nearest loop of OpenMP around token i: its directive; t->n: none. */
static size_t loop_around(const struct sd_c_tokens *t, size_t i, size_t *end)
{
	static const char *const words[] = {"pragma", "omp", "for", NULL};

	for (size_t d = i; d-- > 0;) {
		if (!is_pragma(t, d, words) || !sd_c_tokens_is(t, d + 1, "for"))
			continue;
		*end = sd_c_statement_end(t, d + 1);
		if (*end < t->n && *end >= i)
			return d;
	}
	return t->n;
}

static int reduce(struct sd_fix_case *c, struct sd_fix_source *in, size_t directive)
{
	const struct sd_c_tokens *const t = &in->compiled;
	size_t from = directive + 1, to = sd_c_statement_end(t, from), variable, end, loop, last;
	const int braces = sd_c_tokens_is(t, from, "{");
	char name[128], op;
	int rc;

	if (to >= t->n)
		return sd_fix_case_refuse(c, "the statement at %s:%u is not seen whole", in->path,
			t->token[directive].line);
	if (braces)
		return sd_fix_case_refuse(c,
			"%s:%u guards more than one sum: move what only the thread itself "
			"uses out of it",
			in->path, t->token[directive].line);
	op = accumulates(t, from, to, &variable);
	if (!op)
		return sd_fix_case_refuse(
			c, "%s:%u is no plain sum", in->path, t->token[from].line);
	snprintf(name, sizeof name, "%.*s", (int)t->token[variable].length,
		t->text + t->token[variable].at);
	loop = loop_around(t, from, &end);
	if (loop == t->n)
		return sd_fix_case_refuse(c,
			"no loop of OpenMP stands around %s:%u in this function", in->path,
			t->token[from].line);
	for (size_t i = loop + 1; i <= end; i++)
		if (i != variable &&
			(sd_c_tokens_is(t, i, name) ||
				(t->token[i].kind == SD_C_DIRECTIVE && i != directive)))
			return sd_fix_case_refuse(c,
				"%s:%u, in the same loop, may need the sum so far", in->path,
				t->token[i].line);
	/* a variable stands in one clause of a directive only */
	if (sd_c_tokens_directive_has(t, loop, name))
		return sd_fix_case_refuse(c, "the directive at %s:%u says already whose %s is",
			in->path, t->token[loop].line, name);
	last = t->token[loop].at + t->token[loop].length;
	while (strchr(" \t\r", in->text[last - 1]))
		last--;
	if (memmem(t->text + t->token[loop].at, t->token[loop].length, "//", 2) ||
		memmem(t->text + t->token[loop].at, t->token[loop].length, "/*", 2))
		return sd_fix_case_refuse(c, "a comment stands in the directive at %s:%u", in->path,
			t->token[loop].line);
	rc = sd_fix_case_add(c, in, last, 0, " reduction(%c : %s)", op, name);
	rc = rc ? rc
		: sd_fix_lines_remove(c, in, t->token[directive].at,
			  t->token[directive].at + t->token[directive].length);
	snprintf(c->what, sizeof c->what,
		"each thread adds up a %s of its own, which OpenMP combines at the end of the loop",
		name);
	snprintf(c->check, sizeof c->check,
		"functions that the loop calls must not read %s; sums of floating point may differ "
		"in their last digits",
		name);
	return rc;
}

static int find_sum(struct sd_fix_case *c, const char *file, unsigned line)
{
	static const char *const atomic[] = {"pragma", "omp", "atomic", NULL};
	static const char *const critical[] = {"pragma", "omp", "critical", NULL};
	struct sd_fix_source *const in = sd_fix_sources_at(c->sources, file);

	if (!in)
		return -ENOMEM;
	if (!in->text)
		return sd_fix_case_refuse(c, "%s", in->why);
	for (size_t i = 0; i + 1 < in->compiled.n; i++)
		if ((is_pragma(&in->compiled, i, atomic) ||
			    is_pragma(&in->compiled, i, critical)) &&
			line >= in->compiled.token[i].line &&
			line <= in->compiled.token[i + 1].line)
			return reduce(c, in, i);
	return sd_fix_counts_at(
		c, file, line, c->layout && c->layout->n_row ? c->layout->row[0].object->bytes : 0);
}

int sd_fix_sums_at(struct sd_fix_case *c, const char *file, unsigned line)
{
	return sd_fix_case_commit(c, find_sum(c, file, line));
}

int sd_fix_sums_line(struct sd_fix_case *c)
{
	const struct sd_stacks *const s = &c->record->stacks;

	for (size_t i = 0; i < c->view->line->n_code; i++) {
		const struct sd_sim_code *const code = &c->view->line->code[i];
		const struct sd_frame *f;

		if (!code->locked || !code->writes || !code->node || code->node >= s->n_node ||
			s->node[code->node].frame >= s->n_frame)
			continue;
		f = &s->frame[s->node[code->node].frame];
		return *sd_fix_case_text(c, f->file) && f->line
			       ? find_sum(c, sd_fix_case_text(c, f->file), f->line)
			       : sd_fix_case_refuse(
					 c, "the program does not say where (build with -g)");
	}
	return sd_fix_case_refuse(c, "%s",
		c->view->line->sharing != SD_SIM_FALSE
			? "threads use the same bytes: no layout of them ends that"
		: c->layout->n_row
			? "threads use different bytes, but no variable, element or member there is "
			  "one thread's alone"
			: "threads use different bytes, and no type says what lies there");
}
