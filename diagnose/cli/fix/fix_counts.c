#include "fix/fix_counts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_lines.h"

#define TABLE_MOST 65536 /* bytes of a table that each thread may get on its stack */

/* One statement "atomic_fetch_add(&PLACE, VALUE...);", in tokens. */
struct count {
	size_t begin, end;       /* its first token, its ";" */
	size_t place, place_end; /* behind the "&" */
	size_t value, value_end;
	size_t index, index_end; /* of PLACE[INDEX]; 0: it is no element */
	size_t last;             /* the last word of PLACE, before the index */
};

/* C11, 7.17.7.5; GCC, 6.55 and 6.56: the result is not used, and sums come together in any order */
static const char *const adds[] = {"atomic_fetch_add", "atomic_fetch_add_explicit",
	"atomic_fetch_sub", "atomic_fetch_sub_explicit", "__atomic_fetch_add", "__atomic_add_fetch",
	"__atomic_fetch_sub", "__atomic_sub_fetch", "__sync_fetch_and_add", "__sync_add_and_fetch",
	"__sync_fetch_and_sub", "__sync_sub_and_fetch"};

static int is_add(const struct sd_c_tokens *t, size_t i)
{
	for (size_t k = 0; k < sizeof adds / sizeof *adds; k++)
		if (sd_c_tokens_is(t, i, adds[k]))
			return 1;
	return 0;
}

/* Behind the argument that begins at i: its "," or ")". */
static size_t argument_end(const struct sd_c_tokens *t, size_t i, size_t close)
{
	while (i < close && !sd_c_tokens_is(t, i, ","))
		i = sd_c_tokens_is(t, i, "(") || sd_c_tokens_is(t, i, "[")
			    ? sd_c_tokens_end(t, i) + 1
			    : i + 1;
	return i < close ? i : close;
}

/* The statement at token i. 1 or 0. */
static int read_count(const struct sd_c_tokens *t, size_t i, struct count *out)
{
	const size_t close = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) : t->n;
	size_t open;

	if (!is_add(t, i) || !sd_c_tokens_is(t, close + 1, ";") || !sd_c_tokens_is(t, i + 2, "&"))
		return 0;
	*out = (struct count){.begin = i, .end = close + 1, .place = i + 3};
	out->place_end = argument_end(t, out->place, close);
	out->value = out->place_end + 1;
	out->value_end = argument_end(t, out->value, close);
	if (out->value >= close || out->place == out->place_end)
		return 0;
	out->last = out->place_end - 1;
	if (sd_c_tokens_is(t, out->last, "]")) {
		for (open = out->place; open < out->place_end; open++)
			if (sd_c_tokens_is(t, open, "[") &&
				sd_c_tokens_end(t, open) == out->place_end - 1)
				break;
		if (open == out->place_end || open == out->place)
			return 0;
		out->index = open + 1;
		out->index_end = out->place_end - 1;
		out->last = open - 1;
	}
	return t->token[out->last].kind == SD_C_WORD;
}

/* Does something in [from, to) give the word another value? */
static int is_changed(const struct sd_c_tokens *t, size_t from, size_t to, size_t word)
{
	const char *const name = t->text + t->token[word].at;
	const size_t n = t->token[word].length;

	for (size_t i = from; (i = sd_c_statement_word(t, i, to, name, n)) < to; i++) {
		const int again = sd_c_tokens_is(t, i + 1, "=") && !sd_c_tokens_is(t, i + 2, "=");
		const int by =
			i + 2 < to && t->token[i + 1].kind == SD_C_SIGN &&
			strchr("+-*/%&|^<>", t->text[t->token[i + 1].at]) &&
			(sd_c_tokens_is(t, i + 2, "=") ||
				(t->text[t->token[i + 1].at] == t->text[t->token[i + 2].at] &&
					strchr("+-<>", t->text[t->token[i + 1].at])));
		/* "&NAME->..." is no address of NAME */
		const int addressed = i > 1 && sd_c_tokens_is(t, i - 1, "&") &&
				      t->token[i - 2].kind == SD_C_SIGN &&
				      !sd_c_tokens_is(t, i + 2, ">");
		const int before =
			i > 1 && (sd_c_tokens_is(t, i - 1, "+") || sd_c_tokens_is(t, i - 1, "-")) &&
			sd_c_statement_same(t, i - 1, i - 2, 1);

		if (again || by || addressed || before)
			return 1;
	}
	return 0;
}

/* Is the place the same in every round of [from, to), and named there by these two alone? */
static int is_steady(const struct sd_c_tokens *t, size_t from, size_t to, const struct count *one,
	const struct count *other)
{
	const char *const name = t->text + t->token[one->last].at;

	for (size_t i = one->place; i <= one->last; i++)
		if (sd_c_tokens_is(t, i, "(") || (t->token[i].kind == SD_C_WORD && i != one->last &&
							 is_changed(t, from, to, i)))
			return 0;
	for (size_t i = from; i < to; i++) {
		i = sd_c_statement_word(t, i, to, name, t->token[one->last].length);
		if (i < to && i != one->last && (!other || i != other->last))
			return 0;
	}
	return 1;
}

/* The innermost "for" or "while" around token i, as a statement of a block; t->n: none. */
static size_t loop_around(const struct sd_c_tokens *t, size_t i, size_t *end)
{
	for (size_t k = i; k-- > 0;) {
		if (!sd_c_tokens_is(t, k, "for") && !sd_c_tokens_is(t, k, "while"))
			continue;
		*end = sd_c_statement_end(t, k);
		if (*end < t->n && *end >= i)
			return k > 0 && sd_c_tokens_begin(t, k) == k ? k : t->n;
	}
	return t->n;
}

/* The one other statement of the loop that takes back what this adds, both in its own block. */
static int find_opposite(const struct sd_c_tokens *t, size_t loop, size_t end,
	const struct count *one, struct count *other)
{
	const size_t block = sd_c_tokens_end(t, loop + 1) + 1;
	unsigned found = 0, in_block = 0;

	if (!sd_c_tokens_is(t, block, "{") || one->index)
		return 0;
	for (size_t i = block + 1; i < end; i = sd_c_statement_end(t, i) + 1) {
		struct count c;

		if (sd_c_statement_end(t, i) >= t->n)
			return 0;
		in_block |= i == one->begin;
		if (i == one->begin || !read_count(t, i, &c) ||
			c.place_end - c.place != one->place_end - one->place ||
			!sd_c_statement_same(t, c.place, one->place, c.place_end - c.place))
			continue;
		found++;
		*other = c;
	}
	return in_block && found == 1 &&
	       !memmem(t->text + t->token[one->begin].at, t->token[one->begin].length, "sub", 3) !=
		       !memmem(t->text + t->token[other->begin].at, t->token[other->begin].length,
			       "sub", 3) &&
	       one->value_end - one->value == 1 && other->value_end - other->value == 1 &&
	       t->token[one->value].kind == SD_C_NUMBER &&
	       sd_c_statement_same(t, one->value, other->value, 1);
}

static size_t end_of(const struct sd_c_tokens *t, size_t i)
{
	return t->token[i].at + t->token[i].length;
}

/* The words from token `from` up to token `to`, as they stand. */
#define WORDS(t, from, to)                                                  \
	(int)((to) > (from) ? end_of(t, (to)-1) - (t)->token[from].at : 0), \
		(t)->text + (t)->token[from].at

/* Takes once, before the loop, what each round takes and gives back. */
static int hold_longer(struct sd_fix_case *c, struct sd_fix_source *in, size_t loop, size_t end,
	const struct count *one, const struct count *other)
{
	const struct sd_c_tokens *const t = &in->compiled;
	const struct count *const first = one->begin < other->begin ? one : other;
	const struct count *const second = first == one ? other : one;
	int rc = sd_fix_lines_put(
		c, in, t->token[loop].at, "", "%.*s", WORDS(t, first->begin, first->end + 1));

	rc = rc ? rc : sd_fix_lines_remove(c, in, t->token[first->begin].at, end_of(t, first->end));
	rc = rc ? rc
		: sd_fix_lines_remove(c, in, t->token[second->begin].at, end_of(t, second->end));
	rc = rc ? rc
		: sd_fix_case_add(c, in, sd_fix_lines_end(in, t->token[end].at), 0, "%.*s%.*s\n",
			  (int)sd_fix_lines_indent(in, t->token[loop].at),
			  in->text + sd_fix_lines_begin(in, t->token[loop].at),
			  WORDS(t, second->begin, second->end + 1));
	snprintf(c->what, sizeof c->what,
		"%.*s is taken before the loop at %s:%u and given back behind it, not in each round",
		WORDS(t, one->place, one->place_end), in->path, t->token[loop].line);
	snprintf(c->check, sizeof c->check,
		"that nobody waits in the meantime for it to be given back");
	return rc;
}

/* Is the word declared as an array, and as nothing else, in the sources at hand? */
static int is_array(const struct sd_fix_case *c, const char *name, size_t length)
{
	int arrays = 0;

	for (size_t i = 0; i < c->sources->n; i++) {
		const struct sd_c_tokens *const t = &c->sources->source[i]->tokens;

		for (size_t k = 1; (k = sd_c_statement_word(t, k, t->n, name, length)) < t->n;
			k++) {
			const int declared =
				t->token[k - 1].kind == SD_C_WORD || sd_c_tokens_is(t, k - 1, "*");

			if (!declared || sd_c_tokens_is(t, k - 1, "return"))
				continue;
			if (!sd_c_tokens_is(t, k + 1, "[") || sd_c_tokens_is(t, k - 1, "*") ||
				!sd_c_tokens_is(t, sd_c_tokens_end(t, k + 1) + 1, ";"))
				return 0;
			arrays++;
		}
	}
	return arrays == 1;
}

static int add_once(struct sd_fix_case *c, struct sd_fix_source *in, size_t loop, size_t end,
	const struct count *one)
{
	const struct sd_c_tokens *const t = &in->compiled;
	const int table = one->index != 0;
	const size_t base_end = one->last + 1, behind = sd_fix_lines_end(in, t->token[end].at);
	const char *const indent = in->text + sd_fix_lines_begin(in, t->token[loop].at);
	const int wide = (int)sd_fix_lines_indent(in, t->token[loop].at);
	char own[96], base[128];
	int rc;

	snprintf(own, sizeof own, "own_%.*s", WORDS(t, one->last, one->last + 1));
	snprintf(base, sizeof base, "%.*s", WORDS(t, one->place, base_end));
	if (strlen(base) + 1 >= sizeof base ||
		sd_c_statement_word(&in->tokens, 0, in->tokens.n, own, strlen(own)) < in->tokens.n)
		return sd_fix_case_refuse(
			c, "%s has no free name for a count of the thread", in->path);
	rc = table ? sd_fix_lines_put(c, in, t->token[loop].at, "",
			     "unsigned long long %s[sizeof %s / sizeof *%s] = {0};", own, base,
			     base)
		   : sd_fix_lines_put(
			     c, in, t->token[loop].at, "", "unsigned long long %s = 0;", own);
	rc = rc ? rc
		: sd_fix_case_add(c, in, t->token[one->begin].at,
			  end_of(t, one->end) - t->token[one->begin].at, "%s%s%.*s%s += %.*s;", own,
			  table ? "[" : "",
			  table ? (int)(end_of(t, one->index_end - 1) - t->token[one->index].at)
				: 0,
			  in->text + t->token[table ? one->index : one->begin].at, table ? "]" : "",
			  WORDS(t, one->value, one->value_end));
	if (!rc && table)
		rc = sd_fix_case_add(c, in, behind, 0,
			"%.*sfor (unsigned each = 0; each < sizeof %s / sizeof *%s; each++)\n"
			"%.*s\t%.*s(&%s[each], %s[each]%.*s;\n",
			wide, indent, base, base, wide, indent,
			WORDS(t, one->begin, one->begin + 1), base, own,
			WORDS(t, one->value_end, one->end));
	else if (!rc)
		rc = sd_fix_case_add(c, in, behind, 0, "%.*s%.*s(&%s, %s%.*s;\n", wide, indent,
			WORDS(t, one->begin, one->begin + 1), base, own,
			WORDS(t, one->value_end, one->end));
	snprintf(c->what, sizeof c->what,
		"each thread counts in the loop at %s:%u by itself, and adds that to %s once behind "
		"it",
		in->path, t->token[loop].line, base);
	snprintf(c->check, sizeof c->check,
		"that nobody reads %s while the loop goes on, functions that it calls neither",
		base);
	return rc;
}

static int change_count(
	struct sd_fix_case *c, struct sd_fix_source *in, const struct count *one, uint64_t bytes)
{
	const struct sd_c_tokens *const t = &in->compiled;
	size_t end = 0;
	const size_t loop = loop_around(t, one->begin, &end);
	struct count other;
	int opposite;

	if (loop == t->n)
		return sd_fix_case_refuse(c,
			"no loop stands around %s:%u in its function: count by thread in who calls "
			"it, and add that up once",
			in->path, t->token[one->begin].line);
	for (size_t i = loop - 1; i <= end; i++)
		if (sd_c_tokens_is(t, i, "return") || sd_c_tokens_is(t, i, "goto") ||
			t->token[i].kind == SD_C_DIRECTIVE)
			return sd_fix_case_refuse(c,
				"the loop at %s:%u may be left, or is given out, at line %u",
				in->path, t->token[loop].line, t->token[i].line);
	if (!sd_fix_lines_alone(in, t->token[loop].at, end_of(t, end)))
		return sd_fix_case_refuse(c, "%s:%u has more on its line than the loop", in->path,
			t->token[loop].line);
	opposite = find_opposite(t, loop, end, one, &other);
	if (!is_steady(t, loop, end, one, opposite ? &other : NULL))
		return sd_fix_case_refuse(c,
			"the loop at %s:%u may change or ask for %.*s, which it counts in",
			in->path, t->token[loop].line, WORDS(t, one->place, one->place_end));
	if (opposite)
		return hold_longer(c, in, loop, end, one, &other);
	if (one->index &&
		(!bytes || bytes > TABLE_MOST ||
			!is_array(c, t->text + t->token[one->last].at, t->token[one->last].length)))
		return sd_fix_case_refuse(c, "%.*s is no array of a known, small size",
			WORDS(t, one->place, one->last + 1));
	return add_once(c, in, loop, end, one);
}

int sd_fix_counts_at(struct sd_fix_case *c, const char *file, unsigned line, uint64_t bytes)
{
	struct sd_fix_source *const in = sd_fix_sources_at(c->sources, file);

	if (!in)
		return -ENOMEM;
	if (!in->text)
		return sd_fix_case_refuse(c, "%s", in->why);
	for (size_t i = 0; i < in->compiled.n; i++) {
		struct count one;

		if (in->compiled.token[i].line > line || !read_count(&in->compiled, i, &one) ||
			in->compiled.token[one.end].line < line)
			continue;
		return change_count(c, in, &one, bytes);
	}
	return sd_fix_case_refuse(c,
		"threads use the same bytes: no layout of them ends that, and no sum that OpenMP "
		"guards, or that is atomic, stands at %s:%u",
		in->path, line);
}
