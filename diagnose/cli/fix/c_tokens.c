#include "fix/c_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	const char *text;
	size_t size, at;
	unsigned line;
	int begun; /* the line has a word already */
};

/* Goes on behind the end of a comment. */
static void skip_comment(struct reading *r)
{
	const int block = r->text[r->at + 1] == '*';

	r->at += 2;
	for (; r->at < r->size; r->at++) {
		if (!block && r->text[r->at] == '\n')
			return;
		if (block && r->at + 1 < r->size && r->text[r->at] == '*' &&
			r->text[r->at + 1] == '/') {
			r->at += 2;
			return;
		}
		r->line += r->text[r->at] == '\n';
	}
}

/* The end of a directive, with the lines that a backslash adds. */
static size_t directive_end(const struct reading *r)
{
	size_t i = r->at;

	for (; i < r->size; i++)
		if (r->text[i] == '\n' && r->text[i - 1] != '\\' &&
			!(i > 1 && r->text[i - 1] == '\r' && r->text[i - 2] == '\\'))
			break;
	return i;
}

/* The end of a string or character that begins at `at`; one that does not end ends with its line.
 */
static size_t string_end(const struct reading *r)
{
	const char quote = r->text[r->at];
	size_t i = r->at + 1;

	for (; i < r->size && r->text[i] != quote && r->text[i] != '\n'; i++)
		i += r->text[i] == '\\' && i + 1 < r->size;
	return i < r->size && r->text[i] == quote ? i + 1 : i;
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
		end = string_end(r);
	} else if (is_word(c)) {
		t.kind = isdigit((unsigned char)c) ? SD_C_NUMBER : SD_C_WORD;
		while (end < r->size &&
			(is_word(r->text[end]) ||
				(t.kind == SD_C_NUMBER &&
					(r->text[end] == '.' || r->text[end] == '\''))))
			end++;
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
		} else if (isspace((unsigned char)c) || c == '\\' || !c) {
			r.at++;
		} else if (c == '/' && r.at + 1 < size &&
			   (text[r.at + 1] == '*' || text[r.at + 1] == '/')) {
			skip_comment(&r);
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
