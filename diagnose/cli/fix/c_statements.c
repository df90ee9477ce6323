#include "fix/c_statements.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define DEPTH 64 /* of statements or conditions within each other; deeper ones are not seen */

/* ---- statements ------------------------------------------------------------------------------ */

static int is_pragma(const struct sd_c_tokens *t, size_t i)
{
	return t->token[i].kind == SD_C_DIRECTIVE &&
	       memmem(t->text + t->token[i].at, t->token[i].length, "pragma", 6);
}

/* The ";" of the expression or declaration that begins at i. */
static size_t plain_end(const struct sd_c_tokens *t, size_t i)
{
	while (i < t->n && !sd_c_tokens_is(t, i, ";")) {
		if (t->token[i].kind == SD_C_DIRECTIVE || sd_c_tokens_is(t, i, "}"))
			return t->n;
		i = sd_c_tokens_is(t, i, "(") || sd_c_tokens_is(t, i, "[") ||
				    sd_c_tokens_is(t, i, "{")
			    ? sd_c_tokens_end(t, i) + 1
			    : i + 1;
	}
	return i < t->n ? i : t->n;
}

static size_t end_of(const struct sd_c_tokens *t, size_t i, unsigned depth);

/* That behind the brackets of "if", "for", "while" and "switch". */
static size_t body_end(const struct sd_c_tokens *t, size_t i, unsigned depth)
{
	const size_t brackets = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) : t->n;

	return brackets < t->n ? end_of(t, brackets + 1, depth) : t->n;
}

static size_t end_of(const struct sd_c_tokens *t, size_t i, unsigned depth)
{
	size_t end;

	if (i >= t->n || depth == DEPTH)
		return t->n;
	if (t->token[i].kind == SD_C_DIRECTIVE)
		return is_pragma(t, i) ? end_of(t, i + 1, depth + 1) : t->n;
	if (sd_c_tokens_is(t, i, "{")) {
		end = sd_c_tokens_end(t, i);
		return end < t->n ? end : t->n;
	}
	if (sd_c_tokens_is(t, i, "if")) {
		end = body_end(t, i, depth + 1);
		return sd_c_tokens_is(t, end + 1, "else") ? end_of(t, end + 2, depth + 1) : end;
	}
	if (sd_c_tokens_is_any(t, i, (const char *const[]){"for", "while", "switch", NULL}))
		return body_end(t, i, depth + 1);
	if (sd_c_tokens_is(t, i, "do")) {
		end = end_of(t, i + 1, depth + 1);
		return sd_c_tokens_is(t, end + 1, "while") ? plain_end(t, end + 1) : t->n;
	}
	return plain_end(t, i);
}

size_t sd_c_statement_end(const struct sd_c_tokens *t, size_t i)
{
	return end_of(t, i, 0);
}

enum head { NO_HEAD, FUNCTION, LAMBDA };

/* The kind of code whose body begins with "{" at i. */
static enum head head_before(const struct sd_c_tokens *t, size_t i)
{
	static const char *const not [] = {"if", "for", "while", "switch", "catch", NULL};
	static const char *const behind[] = {
		"const", "noexcept", "override", "final", "mutable", NULL};
	size_t k = i;
	int brackets;

	while (k > 0 && sd_c_tokens_is_any(t, k - 1, behind))
		k--;
	/* "-> TYPE" */
	if (k > 3 && t->token[k - 1].kind == SD_C_WORD && sd_c_tokens_is(t, k - 2, ">") &&
		sd_c_tokens_is(t, k - 3, "-"))
		k -= 3;
	if (k < 3)
		return NO_HEAD;
	brackets = sd_c_tokens_is(t, k - 1, ")");
	if (!brackets && !sd_c_tokens_is(t, k - 1, "]"))
		return NO_HEAD;
	k = sd_c_tokens_open(t, k - 1);
	if (k == 0 || k >= t->n)
		return NO_HEAD;
	if (!brackets) /* "[...] {", but not "a[...] {" */
		return t->token[k - 1].kind == SD_C_SIGN ? LAMBDA : NO_HEAD;
	if (sd_c_tokens_is(t, k - 1, "]"))
		return LAMBDA;
	return t->token[k - 1].kind == SD_C_WORD && !sd_c_tokens_is_any(t, k - 1, not ) ? FUNCTION
											: NO_HEAD;
}

size_t sd_c_statement_function(const struct sd_c_tokens *t, size_t i)
{
	size_t found = t->n;

	for (size_t k = 0; k < i && k < t->n; k++) {
		enum head head;
		size_t end;

		if (!sd_c_tokens_is(t, k, "{"))
			continue;
		head = head_before(t, k);
		if (head == NO_HEAD || (head == FUNCTION && found < t->n))
			continue;
		end = sd_c_tokens_end(t, k);
		if (end < i)
			k = end;
		else
			found = end < t->n ? k : t->n;
	}
	return found;
}

int sd_c_statement_same(const struct sd_c_tokens *t, size_t a, size_t b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a + i >= t->n || b + i >= t->n ||
			t->token[a + i].length != t->token[b + i].length ||
			memcmp(t->text + t->token[a + i].at, t->text + t->token[b + i].at,
				t->token[a + i].length) != 0)
			return 0;
	return 1;
}

size_t sd_c_statement_word(
	const struct sd_c_tokens *t, size_t from, size_t to, const char *word, size_t length)
{
	for (; from < to; from++)
		if (t->token[from].kind == SD_C_WORD && t->token[from].length == length &&
			memcmp(t->text + t->token[from].at, word, length) == 0)
			break;
	return from;
}

/* ---- directives ------------------------------------------------------------------------------ */

/* The word of a directive behind which byte *at is then: "ifdef". Its length, 0: none. */
static size_t next_word(const struct sd_c_tokens *t, size_t i, size_t *at, const char **word)
{
	const size_t end = t->token[i].at + t->token[i].length;
	size_t from = *at;

	while (from < end && (isspace((unsigned char)t->text[from]) || t->text[from] == '#'))
		from++;
	*word = t->text + from;
	*at = from;
	while (*at < end && (isalnum((unsigned char)t->text[*at]) || t->text[*at] == '_'))
		++*at;
	return *at - from;
}

static int is_word(const char *a, size_t n, const char *b)
{
	return strlen(b) == n && memcmp(a, b, n) == 0;
}

int sd_c_statement_macro(
	const struct sd_c_tokens *t, size_t i, size_t *name, size_t *length, size_t *body)
{
	size_t at = t->token[i].at;
	const char *word;
	size_t n;

	if (t->token[i].kind != SD_C_DIRECTIVE)
		return -1;
	n = next_word(t, i, &at, &word);
	if (!is_word(word, n, "define"))
		return -1;
	*length = next_word(t, i, &at, &word);
	*name = (size_t)(word - t->text);
	*body = at;
	if (!*length)
		return -1;
	return at < t->token[i].at + t->token[i].length && t->text[at] == '(';
}

enum part { NO_PART, IF_PART, ELSE_PART, END_PART };

/* A branch of a condition: "#if..", "#elif..", "#else" at `at`, up to the next one at `end`. */
struct branch {
	size_t at, end, group;
	const char *name; /* of "#ifdef NAME" and "#ifndef NAME" alone; NULL: another condition */
	size_t length;
	int defined;      /* is NAME defined in it? */
	int number;       /* 0, 1: of "#if 0" and "#if 1"; else -1 */
	int first, other; /* other: behind the first, "#else" and not "#elif" */
	int compiled;     /* 1, 0; -1: not known */
};

struct branches {
	struct branch *row; /* owned */
	size_t n, groups;
	int nested_too_deep;
};

static enum part part_of(const struct sd_c_tokens *t, size_t i, struct branch *b)
{
	size_t at = t->token[i].at, n;
	const char *word;

	if (t->token[i].kind != SD_C_DIRECTIVE)
		return NO_PART;
	*b = (struct branch){.at = i, .number = -1, .compiled = -1};
	n = next_word(t, i, &at, &word);
	if (is_word(word, n, "endif"))
		return END_PART;
	if (is_word(word, n, "else")) {
		b->other = 1;
		return ELSE_PART;
	}
	if (n >= 4 && memcmp(word, "elif", 4) == 0)
		return ELSE_PART;
	if (is_word(word, n, "ifdef") || is_word(word, n, "ifndef")) {
		b->defined = word[2] == 'd';
		b->length = next_word(t, i, &at, &word);
		b->name = word;
		return IF_PART;
	}
	if (!is_word(word, n, "if"))
		return NO_PART;
	n = next_word(t, i, &at, &word);
	if (n == 1 && (*word == '0' || *word == '1')) {
		const char *const number = word;

		if (!next_word(t, i, &at, &word) &&
			word == t->text + t->token[i].at + t->token[i].length)
			b->number = *number - '0';
	}
	return IF_PART;
}

/* Finds all branches, each with its end. 0 or -ENOMEM. */
static int find_branches(const struct sd_c_tokens *t, struct branches *out)
{
	size_t open[DEPTH], depth = 0; /* rows whose end is not known yet */

	for (size_t i = 0; i < t->n; i++) {
		struct branch b;
		const enum part part = part_of(t, i, &b);

		if (part == NO_PART)
			continue;
		if (part == IF_PART) {
			if (depth == DEPTH) {
				out->nested_too_deep = 1;
				return 0;
			}
			b.group = out->groups++;
			b.first = 1;
		} else if (!depth) {
			out->nested_too_deep = 1; /* an end without its beginning */
			return 0;
		} else {
			struct branch *const last = &out->row[open[--depth]];

			last->end = i;
			b.group = last->group;
			/* "#else" of "#ifdef" alone says the opposite */
			if (b.other && last->first) {
				b.name = last->name;
				b.length = last->length;
				b.defined = !last->defined;
				b.number = last->number < 0 ? -1 : !last->number;
			}
		}
		if (part == END_PART)
			continue;
		if (SD_APPEND(out->row, out->n, &b))
			return -ENOMEM;
		open[depth++] = out->n - 1;
	}
	out->nested_too_deep |= depth > 0;
	return 0;
}

/* Sets what is known of a branch, and what follows for the others of its condition. */
static int decide(struct branches *b, size_t i, int compiled)
{
	int changed = 0;

	for (size_t k = 0; k < b->n; k++) {
		struct branch *const o = &b->row[k];
		const int is = k == i ? compiled : 0;

		if (o->group != b->row[i].group || (k != i && !compiled) || o->compiled == is)
			continue;
		o->compiled = is;
		changed = 1;
	}
	return changed;
}

/* Does the file itself define or undefine the name? */
static int is_defined_here(const struct sd_c_tokens *t, const struct branch *b)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t at = t->token[i].at, n;
		const char *word;

		if (t->token[i].kind != SD_C_DIRECTIVE)
			continue;
		n = next_word(t, i, &at, &word);
		if (!is_word(word, n, "define") && !is_word(word, n, "undef"))
			continue;
		n = next_word(t, i, &at, &word);
		if (n == b->length && memcmp(word, b->name, n) == 0)
			return 1;
	}
	return 0;
}

/* Gives what is known of a name to its other conditions. Returns whether that changed any. */
static int spread(struct branches *b, const struct sd_c_tokens *t, size_t i)
{
	const struct branch *const from = &b->row[i];
	int changed = 0;

	if (!from->name || from->compiled < 0 || is_defined_here(t, from))
		return 0;
	for (size_t k = 0; k < b->n; k++) {
		const struct branch *const o = &b->row[k];

		if (o->name && o->compiled < 0 && o->length == from->length &&
			memcmp(o->name, from->name, o->length) == 0)
			changed |= decide(b, k, from->compiled == (o->defined == from->defined));
	}
	return changed;
}

static void decide_all(
	struct branches *b, const struct sd_c_tokens *t, const unsigned *line, size_t n)
{
	int changed = 1;

	for (size_t i = 0; i < b->n; i++) {
		if (b->row[i].number >= 0)
			decide(b, i, b->row[i].number);
		for (size_t k = 0; k < n; k++)
			if (line[k] > t->token[b->row[i].at].line &&
				line[k] < t->token[b->row[i].end].line)
				decide(b, i, 1);
	}
	while (changed) {
		changed = 0;
		for (size_t i = 0; i < b->n; i++)
			changed |= spread(b, t, i);
	}
}

/* Is every branch of the group decided, so that its directives say nothing any more? */
static int is_decided(const struct branches *b, size_t group)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->row[i].group == group && b->row[i].compiled < 0)
			return 0;
	return 1;
}

int sd_c_statement_compiled(
	const struct sd_c_tokens *t, const unsigned *line, size_t n, struct sd_c_tokens *out)
{
	struct branches b = {0};
	unsigned char *const leave = calloc(t->n + 1, 1);
	int rc = leave ? find_branches(t, &b) : -ENOMEM;

	*out = (struct sd_c_tokens){.text = t->text, .size = t->size};
	if (!rc && !b.nested_too_deep)
		decide_all(&b, t, line, n);
	for (size_t i = 0; !rc && !b.nested_too_deep && i < b.n; i++) {
		const struct branch *const o = &b.row[i];

		if (o->compiled == 0)
			memset(leave + o->at + 1, 1, o->end - o->at - 1);
		if (is_decided(&b, o->group))
			leave[o->at] = leave[o->end] = 1;
	}
	for (size_t i = 0; !rc && i < t->n; i++)
		if (!leave[i] && SD_APPEND(out->token, out->n, &t->token[i]))
			rc = -ENOMEM;
	if (rc)
		sd_c_tokens_free(out);
	free(b.row);
	free(leave);
	return rc;
}
