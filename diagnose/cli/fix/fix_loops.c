#include "fix/fix_loops.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hand-over is some 0.1 us, a percent of this (METHODS, changes of the sources). */
#define CHUNK_S 10e-6
#define CHUNKS 8 /* for each thread, at least, so that the last ones end together */

/* ---- how many iterations, how long ----------------------------------------------------------- */

/* The number that a macro of the file stands for in every definition; 0: none. */
static double macro_number(const struct sd_c_tokens *t, size_t word)
{
	double number = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t name, length, body;
		double one;
		char *end;

		if (sd_c_statement_macro(t, i, &name, &length, &body) != 0 ||
			length != t->token[word].length ||
			memcmp(t->text + name, t->text + t->token[word].at, length) != 0)
			continue;
		one = strtod(t->text + body, &end);
		end += strspn(end, "uUlL");
		if (end < t->text + t->token[i].at + t->token[i].length &&
			!strchr(" \t\r\n/", *end))
			return 0;
		if (number > 0 && one != number)
			return 0;
		number = one;
	}
	return number;
}

/* Iterations of "for (TYPE i = 0; i < NUMBER; i++)"; 0: not known. */
static double iterations(const struct sd_c_tokens *t, size_t loop)
{
	size_t i = loop + 2;
	double n;

	while (i < t->n && !sd_c_tokens_is(t, i, ";") && !sd_c_tokens_is(t, i, "="))
		i++;
	if (!sd_c_tokens_is(t, i, "=") || !sd_c_tokens_is(t, i + 1, "0") ||
		!sd_c_tokens_is(t, i + 2, ";") || !sd_c_tokens_is(t, i + 4, "<") ||
		!sd_c_tokens_is(t, i + 6, ";") ||
		!(sd_c_tokens_is(t, i + 7, "+") || sd_c_tokens_is(t, i + 8, "+")))
		return 0;
	n = t->token[i + 5].kind == SD_C_NUMBER ? strtod(t->text + t->token[i + 5].at, NULL)
						: macro_number(t, i + 5);
	return n >= 1 && isfinite(n) ? n : 0;
}

/* Work of one entry of the region that begins near a line, s of all its threads, of the runs with
 * most of them; and the threads. 0: it was not measured. */
static double region_work(const struct sd_fix_case *c, const char *file, unsigned from, unsigned to,
	unsigned *threads)
{
	const struct sd_stacks *const s = &c->record->stacks;
	double work = 0;

	*threads = 0;
	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_region_run *const r = c->record->run[i].regions;

		for (size_t k = 0; r && k < r->n_row; k++) {
			const struct sd_region_time *const o = &r->row[k];
			const struct sd_frame *f;

			if (o->kind != SD_REGION_OPENMP || !o->node || o->node >= s->n_node ||
				s->node[o->node].frame >= s->n_frame || o->entries < 1 ||
				o->whole > 0 || o->most < *threads)
				continue;
			f = &s->frame[s->node[o->node].frame];
			if (strcmp(sd_fix_case_text(c, f->file), file) != 0 || f->line < from ||
				f->line > to)
				continue;
			*threads = o->most;
			work = (o->thread_s - o->imbalance - o->lock - o->scheduling - o->barrier) /
			       o->entries;
		}
	}
	return work > 0 ? work : 0;
}

/* ", 40": iterations that take CHUNK_S together, as far as each thread gets CHUNKS of them; ""
 * where their time is not known. */
static void chunk_of(struct sd_fix_case *c, const struct sd_c_tokens *t, const char *file,
	size_t directive, size_t end, char out[32])
{
	const double n = iterations(t, directive + 1);
	unsigned threads;
	const double work =
		region_work(c, file, t->token[directive].line, t->token[end].line, &threads);
	double chunk;

	*out = '\0';
	if (!(n > 0) || !(work > 0) || !threads)
		return;
	chunk = ceil(CHUNK_S * n / work);
	if (chunk > floor(n / (CHUNKS * threads)))
		chunk = floor(n / (CHUNKS * threads));
	if (chunk > 1)
		snprintf(out, 32, ", %.0f", chunk);
	snprintf(c->check + strlen(c->check), sizeof c->check - strlen(c->check),
		"; an iteration took %.3g us of work", work / n * 1e6);
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* Finds a clause of that name in a directive: its place and, with its brackets, its size. 0: it has
 * none. */
static size_t clause(const struct sd_c_tokens *t, size_t i, const char *name, size_t *size)
{
	const char *const from = t->text + t->token[i].at, *const end = from + t->token[i].length;
	const char *const hit = memmem(from, (size_t)(end - from), name, strlen(name));
	const char *close;

	if (!hit)
		return 0;
	close = memchr(hit, ')', (size_t)(end - hit));
	*size = close ? (size_t)(close - hit) + 1 : strlen(name);
	return (size_t)(hit - t->text);
}

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does the macro stand for one clause `schedule`? */
static int is_clause(const struct sd_c_tokens *t, size_t i, size_t body)
{
	const char *at = t->text + body, *const end = t->text + t->token[i].at + t->token[i].length;

	while (at < end && isspace((unsigned char)*at))
		at++;
	if (end - at < 9 || memcmp(at, "schedule(", 9) != 0)
		return 0;
	at = memchr(at, ')', (size_t)(end - at));
	while (at && ++at < end)
		if (!isspace((unsigned char)*at))
			return 0;
	return at != NULL;
}

/* The word of a directive that is a macro of which every definition is a clause `schedule`. 0: it
 * has none. */
static size_t macro_clause(const struct sd_c_tokens *t, size_t directive, size_t *size)
{
	const size_t from = t->token[directive].at, end = from + t->token[directive].length;
	size_t found = 0, last = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t name, length, body, at = from;
		const int parameters = sd_c_statement_macro(t, i, &name, &length, &body);

		if (parameters < 0)
			continue;
		for (; at + length <= end; at++)
			if (memcmp(t->text + at, t->text + name, length) == 0 &&
				!is_name(t->text[at - 1]) &&
				(at + length == end || !is_name(t->text[at + length])))
				break;
		if (at + length > end)
			continue;
		if (parameters || !is_clause(t, i, body) || (found && found != at))
			return 0;
		found = at;
		last = length;
	}
	*size = last;
	return found;
}

static int has(const struct sd_c_tokens *t, size_t i, const char *word)
{
	return memmem(t->text + t->token[i].at, t->token[i].length, word, strlen(word)) != NULL;
}

static int schedule(struct sd_fix_case *c, struct sd_fix_source *in, const char *file,
	size_t directive, size_t end)
{
	const struct sd_c_tokens *const t = &in->compiled;
	size_t size = 0;
	size_t at = clause(t, directive, "schedule", &size);
	const size_t stop = t->token[directive].at + t->token[directive].length;
	const unsigned line = t->token[directive].line;
	const int direct = at != 0;
	char chunk[32];
	int rc;

	if (!at)
		at = macro_clause(t, directive, &size);
	if (has(t, directive, "nowait") || has(t, directive, "ordered") ||
		has(t, directive, "linear"))
		return sd_fix_case_refuse(c,
			"the loop at %s:%u says that its order matters, or that nobody waits for it",
			in->path, line);
	if (has(t, directive, "//") || has(t, directive, "/*"))
		return sd_fix_case_refuse(
			c, "a comment stands in the directive at %s:%u", in->path, line);
	if (direct && memmem(t->text + at, size, "runtime", 7))
		return sd_fix_case_refuse(c,
			"the loop at %s:%u is given out as OMP_SCHEDULE says: set it to dynamic",
			in->path, line);
	if (direct && !memmem(t->text + at, size, "static", 6))
		return sd_fix_case_refuse(c,
			"the loop at %s:%u is given out piece by piece already: its pieces are too "
			"large, or one iteration is",
			in->path, line);
	for (size_t i = directive + 1; i < end; i++)
		if (sd_c_tokens_is(t, i, "omp_get_thread_num") ||
			sd_c_tokens_is(t, i, "threadprivate"))
			return sd_fix_case_refuse(c,
				"%s:%u asks which thread it is: who does which iteration matters",
				in->path, t->token[i].line);
	snprintf(c->check, sizeof c->check,
		"that no other loop, or first touch of memory, counts on who does which iteration");
	chunk_of(c, t, file, directive, end, chunk);
	if (at) {
		rc = sd_fix_case_add(c, in, at, size, "schedule(dynamic%s)", chunk);
	} else {
		for (at = stop; at > 0 && strchr(" \t\r", in->text[at - 1]);)
			at--;
		rc = sd_fix_case_add(c, in, at, 0, " schedule(dynamic%s)", chunk);
	}
	snprintf(c->what, sizeof c->what,
		"iterations of the loop at %s:%u go to whoever is free, %s at a time", in->path,
		t->token[directive + 1].line, *chunk ? chunk + 2 : "one");
	return rc;
}

/* ---- blocks of threads ----------------------------------------------------------------------- */

/* The last token in [from, to) that is the sign, outside of brackets; `to`: none. */
static size_t last_sign(const struct sd_c_tokens *t, size_t from, size_t to, const char *sign)
{
	size_t found = to;

	for (size_t i = from; i < to; i++) {
		if (sd_c_tokens_is(t, i, "(") || sd_c_tokens_is(t, i, "["))
			i = sd_c_tokens_end(t, i);
		else if (sd_c_tokens_is(t, i, sign))
			found = i;
	}
	return found;
}

/*
 * "for (TYPE v = ALL * ID / N; v < ALL * (ID + 1) / N; v++)" gives each thread a block, and becomes
 * "for (TYPE v = ID; v < ALL; v += N)", which gives out the same ones in turn.
 */
static int take_turns(struct sd_fix_case *c, struct sd_fix_source *in, size_t loop)
{
	const struct sd_c_tokens *const t = &in->compiled;
	const size_t close = sd_c_tokens_end(t, loop + 1);
	size_t v, first, second, by, over, all, id, n, limit;

	for (v = loop + 2; v < close && !sd_c_tokens_is(t, v + 1, "="); v++)
		;
	for (first = v; first < close && !sd_c_tokens_is(t, first, ";"); first++)
		;
	for (second = first + 1; second < close && !sd_c_tokens_is(t, second, ";"); second++)
		;
	if (second >= close)
		return -ENOENT;
	over = last_sign(t, v + 2, first, "/");
	by = over < first ? last_sign(t, v + 2, over, "*") : first;
	if (by >= over || over >= first)
		return -ENOENT;
	all = by - (v + 2);
	id = over - by - 1;
	n = first - over - 1;
	limit = first + 3;
	/* v < ALL * ( ID + 1 ) / N ; v ++ */
	if (!all || !id || !n || second - limit != all + 3 + id + 2 + n + 1 ||
		!sd_c_statement_same(t, v, first + 1, 1) || !sd_c_tokens_is(t, first + 2, "<") ||
		!sd_c_statement_same(t, v + 2, limit, all + 1) ||
		!sd_c_tokens_is(t, limit + all + 1, "(") ||
		!sd_c_statement_same(t, by + 1, limit + all + 2, id) ||
		!sd_c_tokens_is(t, limit + all + 2 + id, "+") ||
		!sd_c_tokens_is(t, limit + all + 3 + id, "1") ||
		!sd_c_tokens_is(t, limit + all + 4 + id, ")") ||
		!sd_c_statement_same(t, over, limit + all + 5 + id, n + 1))
		return -ENOENT;
	if (close - second != 4 ||
		!(sd_c_tokens_is(t, second + 1, "+") || sd_c_tokens_is(t, second + 2, "+")))
		return -ENOENT;
	snprintf(c->what, sizeof c->what,
		"threads take turns at the iterations of the loop at %s:%u, instead of a block each",
		in->path, t->token[loop].line);
	snprintf(c->check, sizeof c->check,
		"that who does which iteration, and in which order, does not matter; neighbouring "
		"ones that are written should not lie in one cache line");
	return sd_fix_case_add(c, in, t->token[v + 2].at, t->token[close].at - t->token[v + 2].at,
		"%.*s; %.*s < %.*s; %.*s += %.*s",
		(int)(t->token[over - 1].at + t->token[over - 1].length - t->token[by + 1].at),
		t->text + t->token[by + 1].at, (int)t->token[v].length, t->text + t->token[v].at,
		(int)(t->token[by - 1].at + t->token[by - 1].length - t->token[v + 2].at),
		t->text + t->token[v + 2].at, (int)t->token[v].length, t->text + t->token[v].at,
		(int)(t->token[first - 1].at + t->token[first - 1].length - t->token[over + 1].at),
		t->text + t->token[over + 1].at);
}

/* ---- which loop ------------------------------------------------------------------------------ */

static int is_loop_of_openmp(const struct sd_c_tokens *t, size_t i)
{
	return t->token[i].kind == SD_C_DIRECTIVE && has(t, i, "pragma") && has(t, i, "omp") &&
	       has(t, i, "for") && sd_c_tokens_is(t, i + 1, "for");
}

/* The end of a loop, between the head and the body of which a condition may end that gave it one of
 * several heads. */
static size_t loop_end(const struct sd_c_tokens *t, size_t i)
{
	size_t body = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) + 1 : t->n;

	while (body < t->n && t->token[body].kind == SD_C_DIRECTIVE)
		body++;
	return body < t->n ? sd_c_statement_end(t, body) : t->n;
}

static int find_loop(struct sd_fix_case *c, const char *file, unsigned line)
{
	struct sd_fix_source *const in = sd_fix_sources_at(c->sources, file);
	const struct sd_c_tokens *t;

	if (!in)
		return -ENOMEM;
	if (!in->text)
		return sd_fix_case_refuse(c, "%s", in->why);
	t = &in->compiled;
	for (size_t i = t->n; i-- > 0;) {
		const int openmp = is_loop_of_openmp(t, i);
		const size_t end = openmp                        ? sd_c_statement_end(t, i)
				   : sd_c_tokens_is(t, i, "for") ? loop_end(t, i)
								 : t->n;

		if (end >= t->n || line < t->token[i].line || line > t->token[end].line)
			continue;
		if (openmp)
			return schedule(c, in, file, i, end);
		if (take_turns(c, in, i) == 0)
			return 0;
	}
	return sd_fix_case_refuse(c,
		"no loop that OpenMP gives out, or that threads divide into blocks, stands around "
		"%s:%u",
		in->path, line);
}

int sd_fix_loops_at(struct sd_fix_case *c, const char *file, unsigned line)
{
	return sd_fix_case_commit(c, find_loop(c, file, line));
}
