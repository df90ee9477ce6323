#include "fix/c_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

#define RAW_WORD 16 /* characters of the word of a raw string, at most (C++11, 2.14.5) */

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	const char *text;
	size_t size, at;
	unsigned line;
	int begun; /* the line has a word already */
};

/* Bytes of a backslash that ends its line, with that end, which go before anything else is read
 * (C11, 5.1.1.2); 0: there is none at i. */
static size_t joint(const struct reading *r, size_t i)
{
	const size_t end = i + 1 + (i + 1 < r->size && r->text[i + 1] == '\r');

	return r->text[i] == '\\' && end < r->size && r->text[end] == '\n' ? end + 1 - i : 0;
}

static int is_comment(const struct reading *r, size_t i)
{
	return r->text[i] == '/' && i + 1 < r->size &&
	       (r->text[i + 1] == '*' || r->text[i + 1] == '/');
}

/* Behind the comment that begins at i; before the end of the line that ends it. */
static size_t comment_end(const struct reading *r, size_t i)
{
	const int block = r->text[i + 1] == '*';

	for (i += 2; i < r->size; i++) {
		if (!block && r->text[i] == '\n')
			break;
		if (!block && joint(r, i))
			i += joint(r, i) - 1;
		if (block && i + 1 < r->size && r->text[i] == '*' && r->text[i + 1] == '/')
			return i + 2;
	}
	return i < r->size ? i : r->size;
}

/* The end of a string or character that begins at i; one that does not end ends with its line. */
static size_t string_end(const struct reading *r, size_t i)
{
	const char quote = r->text[i++];

	while (i < r->size && r->text[i] != quote && r->text[i] != '\n') {
		const size_t more = joint(r, i);

		i += more ? more : r->text[i] == '\\' && i + 1 < r->size ? 2u : 1u;
	}
	return i < r->size && r->text[i] == quote ? i + 1 : i < r->size ? i : r->size;
}

/* The end of the raw string whose '"' is at i: R"WORD( ... )WORD", in which nothing else ends it
 * (C++11, 2.14.5). 0: it is none. */
static size_t raw_string_end(const struct reading *r, size_t i)
{
	const char *const word = r->text + i + 1, *end;
	size_t n = 0;

	while (n <= RAW_WORD && i + 1 + n < r->size && !strchr(" ()\\\t\v\f\n", word[n]))
		n++;
	if (n > RAW_WORD || i + 1 + n >= r->size || word[n] != '(')
		return 0;
	for (end = word + n; (end = memchr(end, ')', (size_t)(r->text + r->size - end))); end++)
		if ((size_t)(r->text + r->size - end) >= n + 2 && memcmp(end + 1, word, n) == 0 &&
			end[n + 1] == '"')
			return (size_t)(end - r->text) + n + 2;
	return r->size;
}

/* Do the bytes say that the string behind them is raw? */
static int is_raw(const char *word, size_t n)
{
	static const char *const prefix[] = {"R", "LR", "uR", "UR", "u8R"};

	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
		if (strlen(prefix[i]) == n && memcmp(prefix[i], word, n) == 0)
			return 1;
	return 0;
}

/* The end of a directive: of its line, with those that a backslash or a comment adds. */
static size_t directive_end(const struct reading *r)
{
	size_t i = r->at;

	while (i < r->size && r->text[i] != '\n') {
		const size_t more = joint(r, i);

		if (is_comment(r, i))
			i = comment_end(r, i);
		else if (r->text[i] == '"' || r->text[i] == '\'')
			i = string_end(r, i);
		else
			i += more ? more : 1;
	}
	return i;
}

/* The end of a word or number, which a line may part. */
static size_t word_end(const struct reading *r, int number)
{
	size_t i = r->at;

	while (i < r->size) {
		size_t k = i;

		while (k < r->size && joint(r, k))
			k += joint(r, k);
		if (k == r->size || (!is_word(r->text[k]) &&
					    !(number && (r->text[k] == '.' || r->text[k] == '\''))))
			break;
		i = k + 1;
	}
	return i;
}

static struct sd_c_token next(struct reading *r)
{
	struct sd_c_token t = {.kind = SD_C_SIGN, .at = r->at, .line = r->line};
	const char c = r->text[r->at];
	size_t end = r->at + 1;

	if (c == '#' && !r->begun) {
		t.kind = SD_C_DIRECTIVE;
		end = directive_end(r);
	} else if (c == '"' || c == '\'') {
		t.kind = SD_C_STRING;
		end = string_end(r, r->at);
	} else if (is_word(c)) {
		t.kind = isdigit((unsigned char)c) ? SD_C_NUMBER : SD_C_WORD;
		end = word_end(r, t.kind == SD_C_NUMBER);
		if (end < r->size && r->text[end] == '"' && is_raw(r->text + r->at, end - r->at) &&
			raw_string_end(r, end)) {
			t.kind = SD_C_STRING;
			end = raw_string_end(r, end);
		}
	}
	for (size_t i = r->at; i < end; i++)
		r->line += r->text[i] == '\n';
	t.length = end - r->at;
	r->at = end;
	r->begun = t.kind != SD_C_DIRECTIVE;
	return t;
}

int sd_c_tokens_read(struct sd_c_tokens *t, const char *text, size_t size)
{
	struct reading r = {.text = text, .size = size, .line = 1};

	*t = (struct sd_c_tokens){.text = text, .size = size};
	while (r.at < size) {
		const char c = text[r.at];

		if (c == '\n') {
			r.line++;
			r.begun = 0;
			r.at++;
		} else if (joint(&r, r.at)) {
			r.line++; /* the same line goes on */
			r.at += joint(&r, r.at);
		} else if (isspace((unsigned char)c) || c == '\\' || !c) {
			r.at++;
		} else if (is_comment(&r, r.at)) {
			const size_t from = r.at;

			r.at = comment_end(&r, from);
			for (size_t i = from; i < r.at; i++)
				r.line += text[i] == '\n';
		} else {
			const struct sd_c_token one = next(&r);

			if (SD_APPEND(t->token, t->n, &one)) {
				sd_c_tokens_free(t);
				return -ENOMEM;
			}
		}
	}
	return 0;
}

void sd_c_tokens_free(struct sd_c_tokens *t)
{
	free(t->token);
	t->token = NULL;
	t->n = 0;
}

/* ---- asking ---------------------------------------------------------------------------------- */

int sd_c_tokens_is(const struct sd_c_tokens *t, size_t i, const char *word)
{
	const size_t n = strlen(word);

	return i < t->n && t->token[i].kind != SD_C_DIRECTIVE && t->token[i].length == n &&
	       memcmp(t->text + t->token[i].at, word, n) == 0;
}

int sd_c_tokens_is_any(const struct sd_c_tokens *t, size_t i, const char *const *words)
{
	for (; *words; words++)
		if (sd_c_tokens_is(t, i, *words))
			return 1;
	return 0;
}

size_t sd_c_tokens_end(const struct sd_c_tokens *t, size_t i)
{
	size_t depth = 0;

	for (; i < t->n; i++) {
		const char c = t->token[i].kind == SD_C_SIGN ? t->text[t->token[i].at] : ' ';

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && (depth == 0 || --depth == 0))
			break;
	}
	return i;
}

size_t sd_c_tokens_open(const struct sd_c_tokens *t, size_t i)
{
	size_t depth = 0, k = i + 1;

	while (k-- > 0) {
		const char c = t->token[k].kind == SD_C_SIGN ? t->text[t->token[k].at] : ' ';

		depth += c == ')' || c == ']' || c == '}';
		if ((c == '(' || c == '[' || c == '{') && --depth == 0)
			return k;
	}
	return t->n;
}

size_t sd_c_tokens_begin(const struct sd_c_tokens *t, size_t i)
{
	for (; i > 0; i--) {
		const struct sd_c_token *const o = &t->token[i - 1];
		const char c = o->kind == SD_C_SIGN ? t->text[o->at] : ' ';
		/* the two of "::" are no label's */
		const int label = c == ':' && !sd_c_tokens_is(t, i, ":") &&
				  !(i > 1 && sd_c_tokens_is(t, i - 2, ":"));

		if (o->kind == SD_C_DIRECTIVE || c == ';' || c == '{' || c == '}' || label)
			break;
	}
	return i;
}

size_t sd_c_tokens_find(
	const struct sd_c_tokens *t, const char *word, unsigned line, unsigned around)
{
	size_t near = t->n;

	for (size_t i = 0; i < t->n; i++) {
		const unsigned at = t->token[i].line;

		if (!sd_c_tokens_is(t, i, word) || at + around < line || at > line + around)
			continue;
		if (at == line)
			return i;
		near = near == t->n ? i : near;
	}
	return near;
}

int sd_c_tokens_directive_has(const struct sd_c_tokens *t, size_t i, const char *word)
{
	const size_t n = strlen(word);
	const struct sd_c_token *const o = &t->token[i];
	const char *const from = t->text + o->at;

	for (size_t k = 0; o->kind == SD_C_DIRECTIVE && k + n <= o->length; k++)
		if (memcmp(from + k, word, n) == 0 && (k == 0 || !is_word(from[k - 1])) &&
			(k + n == o->length || !is_word(from[k + n])))
			return 1;
	return 0;
}

int sd_c_tokens_in_directive(const struct sd_c_tokens *t, const char *word)
{
	for (size_t i = 0; i < t->n; i++)
		if (sd_c_tokens_directive_has(t, i, word))
			return 1;
	return 0;
}
