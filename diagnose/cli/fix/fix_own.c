#include "fix/fix_own.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CALLS 8 /* functions and macros within each other that are looked into */

/* The text in which a word is looked at. */
struct scope {
	const struct sd_fix_sources *sources;
	const struct sd_c_tokens *t,
		*file;   /* file: that it is used in; t: a macro's words, else it */
	size_t function; /* its "{"; t->n: none, as in a macro */
	int may_return;  /* it is a whole function */
	unsigned depth;
	int calls;
};

/* Words of the language that touch nothing. */
static int is_plain(const struct sd_c_tokens *t, size_t i)
{
	static const char *const words[] = {
		"if", "else", "for", "while", "do", "const", "volatile", "sizeof", NULL};

	return sd_c_tokens_is_any(t, i, words);
}

/* Is it a word of an arithmetic type, of which a variable leads to nothing else? */
static int is_number_type(const struct sd_c_tokens *t, size_t i)
{
	static const char *const words[] = {"const", "volatile", "unsigned", "signed", "int",
		"long", "short", "char", "float", "double", "bool", "_Bool", "size_t", "ssize_t",
		"ptrdiff_t", NULL};
	const struct sd_c_token *const o = &t->token[i];
	const char *const word = t->text + o->at;

	if (sd_c_tokens_is_any(t, i, words))
		return 1;
	/* int32_t, uint_fast64_t, uintmax_t (C11, 7.20.1) */
	return o->kind == SD_C_WORD && o->length > 5 &&
	       memcmp(word + o->length - 2, "_t", 2) == 0 &&
	       (memcmp(word, "int", 3) == 0 || memcmp(word, "uint", 4) == 0);
}

/* Does an arithmetic type, and nothing else, stand before token k in its declaration? */
static int is_declared(const struct sd_c_tokens *t, size_t k)
{
	static const char *const after[] = {"=", ";", ",", ")", "[", NULL};
	static const char *const before[] = {"(", ",", ";", "{", "}", ")", NULL};
	size_t w = k;

	if (!sd_c_tokens_is_any(t, k + 1, after))
		return 0;
	while (w > 0 && is_number_type(t, w - 1))
		w--;
	return w < k && (w == 0 || t->token[w - 1].kind == SD_C_DIRECTIVE ||
				sd_c_tokens_is_any(t, w - 1, before));
}

/* Does "&" before token k take its address? */
static int is_addressed(const struct sd_c_tokens *t, size_t k)
{
	if (k < 2 || !sd_c_tokens_is(t, k - 1, "&"))
		return 0;
	if (sd_c_tokens_is(t, k - 2, "&"))
		return t->token[k - 2].at + 1 != t->token[k - 1].at;
	return t->token[k - 2].kind == SD_C_SIGN && !sd_c_tokens_is(t, k - 2, ")") &&
	       !sd_c_tokens_is(t, k - 2, "]");
}

/* The first token of what one thread does around token i: of its function, or of what OpenMP has
 * several threads do in it, which share what is declared before. */
static size_t begins_alone(const struct scope *s, size_t i)
{
	static const char *const words[] = {"parallel", "task", "taskloop", "teams", NULL};
	const struct sd_c_tokens *const t = s->t;

	for (size_t d = i; d-- > s->function;) {
		int shares = 0;

		if (t->token[d].kind != SD_C_DIRECTIVE || !sd_c_tokens_directive_has(t, d, "omp"))
			continue;
		for (const char *const *w = words; *w; w++)
			shares |= sd_c_tokens_directive_has(t, d, *w);
		if (shares && sd_c_statement_end(t, d) >= i)
			return d;
	}
	return sd_c_tokens_begin(t, s->function);
}

/* Is it a variable of the function, a number or an array of numbers, whose address nobody takes? */
static int is_local(const struct scope *s, size_t i)
{
	const struct sd_c_tokens *const t = s->t;
	const char *const name = t->text + t->token[i].at;
	const size_t length = t->token[i].length;
	size_t end, alone, declared = 0;

	if (s->function >= t->n)
		return 0;
	alone = begins_alone(s, i);
	end = sd_c_tokens_end(t, s->function);
	for (size_t k = sd_c_tokens_begin(t, s->function);
		(k = sd_c_statement_word(t, k, end, name, length)) < end; k++) {
		if (is_addressed(t, k))
			return 0;
		if (!is_declared(t, k))
			continue;
		if (k < alone)
			return 0;
		/* an array that is a parameter lies elsewhere */
		if (sd_c_tokens_is(t, k + 1, "[") && k < s->function)
			return 0;
		declared++;
	}
	return declared == 1;
}

/* Is it "static const TYPE NAME =" of the file, which nothing changes? */
static int is_constant(const struct sd_c_tokens *t, const char *name, size_t length)
{
	for (size_t k = 0; (k = sd_c_statement_word(t, k, t->n, name, length)) < t->n; k++) {
		const size_t begin = sd_c_tokens_begin(t, k);
		int constant = 0;

		for (size_t w = begin; w < k; w++) {
			if (t->token[w].kind == SD_C_SIGN &&
				strchr("*([&", t->text[t->token[w].at]))
				constant = -2;
			constant += sd_c_tokens_is(t, w, "const");
		}
		if (constant == 1 && sd_c_statement_function(t, k) == t->n)
			return 1;
	}
	return 0;
}

static int own(struct scope *s, size_t from, size_t to, char shared[128]);

/* Every definition of a macro in the file, as far as it was compiled. 1; 0; -1: it is none. */
static int macro_is_own(const struct scope *s, const struct sd_c_tokens *t, const char *name,
	size_t length, char shared[128])
{
	int found = -1;

	for (size_t i = 0; i < t->n; i++) {
		struct scope inner = {
			.sources = s->sources, .file = s->file, .depth = s->depth + 1};
		struct sd_c_tokens words;
		size_t at, n, body;
		const int parameters = sd_c_statement_macro(t, i, &at, &n, &body);

		if (parameters < 0 || n != length || memcmp(t->text + at, name, n) != 0)
			continue;
		if (parameters || sd_c_tokens_read(&words, t->text + body,
					  t->token[i].at + t->token[i].length - body) != 0)
			return 0;
		inner.t = &words;
		inner.function = words.n;
		found = own(&inner, 0, words.n, shared);
		sd_c_tokens_free(&words);
		if (!found)
			return 0;
	}
	return found;
}

/* The "{" of the one function of that name in a file; t->n: none, or several. */
static size_t find_function(const struct sd_c_tokens *t, const char *name, size_t length)
{
	size_t found = t->n;

	for (size_t k = 0; (k = sd_c_statement_word(t, k, t->n, name, length)) < t->n; k++) {
		const size_t end = sd_c_tokens_is(t, k + 1, "(") ? sd_c_tokens_end(t, k + 1) : t->n;

		if (!sd_c_tokens_is(t, end + 1, "{"))
			continue;
		if (found < t->n)
			return t->n;
		found = end + 1;
	}
	return found;
}

/* Does a directive of the file include this source, by the last part of its name? */
static int includes(const struct sd_c_tokens *file, const struct sd_fix_source *one)
{
	const char *const slash = strrchr(one->path, '/');

	return sd_c_tokens_in_directive(file, slash ? slash + 1 : one->path);
}

/* The "{" of the function that a name in a file means, and *out, the file that it is in: this one,
 * one that it includes, or the only one that has a function of that name for others. NULL: none. */
static size_t look_up(const struct sd_fix_sources *s, const struct sd_c_tokens *in,
	const char *name, size_t length, const struct sd_c_tokens **out)
{
	size_t found = find_function(in, name, length);

	*out = in;
	if (found < in->n)
		return found;
	*out = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct sd_c_tokens *const t = &s->source[i]->compiled;
		const size_t at = s->source[i]->text ? find_function(t, name, length) : t->n;

		if (at >= t->n)
			continue;
		if (!includes(in, s->source[i]) &&
			sd_c_statement_word(t, sd_c_tokens_begin(t, at), at, "static", 6) < at)
			continue;
		if (*out) {
			*out = NULL;
			return 0;
		}
		*out = t;
		found = at;
	}
	return found;
}

static int function_is_own(const struct scope *s, const char *name, size_t length, char shared[128])
{
	struct scope inner = {.sources = s->sources, .may_return = 1, .depth = s->depth + 1};

	inner.function = look_up(s->sources, s->file, name, length, &inner.t);
	inner.file = inner.t;
	return inner.t &&
	       own(&inner, inner.function, sd_c_tokens_end(inner.t, inner.function), shared);
}

/* Functions of <math.h>, which touch nothing but errno, the thread's own (C11, 7.12, 7.5). */
static int is_arithmetic(const struct sd_c_tokens *t, size_t i)
{
	static const char *const words[] = {"sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10",
		"pow", "hypot", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
		"cosh", "tanh", "fabs", "floor", "ceil", "round", "trunc", "fmod", "fmin", "fmax",
		"sqrtf", "expf", "logf", "powf", "sinf", "cosf", "fabsf", NULL};

	return sd_c_tokens_is_any(t, i, words);
}

/* "asm volatile ("" : ...)" is no instruction: it only ties the values that it names, unless it
 * stands for all memory. */
static size_t empty_asm_end(const struct sd_c_tokens *t, size_t i)
{
	const size_t open =
		i + 1 +
		(sd_c_tokens_is(t, i + 1, "volatile") || sd_c_tokens_is(t, i + 1, "__volatile__"));
	const size_t end = sd_c_tokens_is(t, open, "(") ? sd_c_tokens_end(t, open) : t->n;

	if (end >= t->n || !sd_c_tokens_is(t, open + 1, "\"\""))
		return t->n;
	for (size_t k = open; k < end; k++)
		if (sd_c_tokens_is(t, k, "\"memory\""))
			return t->n;
	return end;
}

static int word_is_own(struct scope *s, size_t i, char shared[128])
{
	const struct sd_c_tokens *const t = s->t;
	const char *const name = t->text + t->token[i].at;
	const size_t length = t->token[i].length;
	int rc = -1;

	s->calls |= sd_c_tokens_is(t, i, "for") || sd_c_tokens_is(t, i, "while");
	if (is_plain(t, i) || is_number_type(t, i) ||
		(s->may_return && sd_c_tokens_is(t, i, "return")))
		return 1;
	if (is_local(s, i))
		return 1;
	if (s->depth == CALLS)
		return 0;
	if (sd_c_tokens_is(t, i + 1, "(")) {
		s->calls = 1;
		return function_is_own(s, name, length, shared) ||
		       (is_arithmetic(t, i) && !*shared);
	}
	if (is_constant(s->file, name, length))
		return 1;
	rc = macro_is_own(s, s->file, name, length, shared);
	for (size_t k = 0; k < s->sources->n && rc < 0; k++)
		if (s->sources->source[k]->text && includes(s->file, s->sources->source[k]))
			rc = macro_is_own(
				s, &s->sources->source[k]->compiled, name, length, shared);
	return rc == 1;
}

static int own(struct scope *s, size_t from, size_t to, char shared[128])
{
	const struct sd_c_tokens *const t = s->t;

	for (size_t i = from; i < to; i++) {
		const struct sd_c_token *const o = &t->token[i];
		int is = o->kind != SD_C_DIRECTIVE;

		if (o->kind == SD_C_WORD &&
			(sd_c_tokens_is(t, i, "__asm__") || sd_c_tokens_is(t, i, "asm"))) {
			is = empty_asm_end(t, i) < t->n;
			i = is ? i + 1 : i;
			/* its operands are looked at like others */
		} else if (o->kind == SD_C_WORD) {
			is = word_is_own(s, i, shared);
		} else if (o->kind == SD_C_SIGN) {
			/* what a member or a pointer leads to is not known; ".5" is a number */
			is = (t->text[o->at] != '.' ||
				     (i + 1 < to && t->token[i + 1].kind == SD_C_NUMBER)) &&
			     !(t->text[o->at] == '-' && sd_c_tokens_is(t, i + 1, ">"));
		}
		if (!is) {
			if (!*shared)
				snprintf(shared, 128, "%.*s",
					(int)(o->length < 100 ? o->length : 100), t->text + o->at);
			return 0;
		}
	}
	return 1;
}

int sd_fix_own_code(struct sd_fix_own *o, size_t function, size_t from, size_t to)
{
	struct scope s = {.sources = o->sources,
		.t = &o->in->compiled,
		.file = &o->in->compiled,
		.function = function};
	int rc;

	*o->shared = '\0';
	rc = own(&s, from, to, o->shared);
	o->calls = s.calls;
	return rc;
}

int sd_fix_own_leaves(const struct sd_c_tokens *t, size_t from, size_t to)
{
	static const char *const words[] = {
		"return", "goto", "break", "continue", "case", "default", "throw", NULL};

	for (; from < to; from++)
		if (sd_c_tokens_is_any(t, from, words) ||
			(t->token[from].kind == SD_C_WORD && sd_c_tokens_is(t, from + 1, ":") &&
				!sd_c_tokens_is(t, from + 2, ":") && from > 0 &&
				(sd_c_tokens_is(t, from - 1, ";") ||
					sd_c_tokens_is(t, from - 1, "}") ||
					sd_c_tokens_is(t, from - 1, "{"))))
			return 1;
	return 0;
}

int sd_fix_own_declares(const struct sd_c_tokens *t, size_t from)
{
	return from < t->n && is_number_type(t, from);
}

int sd_fix_own_returns(
	const struct sd_fix_own *o, const char *name, size_t length, char *out, size_t size)
{
	static const char *const storage[] = {"static", "inline", "extern", "constexpr", NULL};
	const struct sd_c_tokens *t;
	const size_t brace = look_up(o->sources, &o->in->compiled, name, length, &t);
	size_t used = 0;

	for (size_t k = t ? sd_c_tokens_begin(t, brace) : 0; t && k < brace; k++) {
		if (t->token[k].length == length &&
			memcmp(t->text + t->token[k].at, name, length) == 0)
			return used ? 0 : -ENOENT;
		if (sd_c_tokens_is_any(t, k, storage))
			continue;
		if (!is_number_type(t, k))
			return -ENOENT;
		used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "",
			(int)t->token[k].length, t->text + t->token[k].at);
		if (used >= size)
			return -ENOENT;
	}
	return -ENOENT;
}
