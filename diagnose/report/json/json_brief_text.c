#include "json/json_brief_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_values.h"

/* Bytes of the character at *s, of valid UTF-8, and of its escape in ASCII. */
static size_t character(const char *s, size_t *escaped)
{
	const unsigned char c = (unsigned char)*s;
	const size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	*escaped = n == 4 ? 12 : n > 1 || c < 0x20 || c == 0x7f ? 6 : c == '"' || c == '\\' ? 2 : 1;
	return n;
}

/* Bytes from the start that fit; all of them where `out` is the whole length. */
static size_t fitting(const char *s, size_t room)
{
	size_t used = 0, at = 0;

	while (s[at]) {
		size_t escaped;
		const size_t n = character(s + at, &escaped);

		if (used + escaped > room)
			break;
		used += escaped;
		at += n;
	}
	return at;
}

json_t *sd_json_brief_text(const char *text, size_t room)
{
	json_t *const whole = sd_json_text(text);
	const char *const s = json_string_value(whole);
	char *cut = NULL;
	json_t *out;

	if (!s || s[fitting(s, room)] == '\0')
		return whole;
	/* "…" is six bytes */
	out = asprintf(&cut, "%.*s…", (int)fitting(s, room - 6), s) < 0 ? NULL : json_string(cut);
	free(cut);
	json_decref(whole);
	return out;
}

json_t *sd_json_brief_name(const char *text, size_t room)
{
	json_t *const whole = sd_json_text(text);
	const char *const s = json_string_value(whole);

	if (!s || s[fitting(s, room)] == '\0')
		return whole;
	json_decref(whole);
	return json_null();
}

json_t *sd_json_brief_texts(const struct sd_texts *t, size_t most, size_t room)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n && i < most; i++)
		sd_json_add(&out, sd_json_brief_text(t->text[i], room));
	return out;
}

json_t *sd_json_brief_words(const struct sd_texts *words, size_t room)
{
	size_t left = room;
	json_t *out = words->n ? json_array() : json_null();

	for (size_t i = 0; out && i < words->n; i++) {
		const size_t n = strlen(words->text[i]) + 3; /* its quotes and comma */

		if (n > left || words->text[i][fitting(words->text[i], left)] != '\0') {
			json_decref(out);
			return json_null();
		}
		left -= n;
		sd_json_add(&out, sd_json_text(words->text[i]));
	}
	return out;
}

const char *sd_json_brief_certainty(const struct sd_finding *f)
{
	return f ? sd_verdict_name[f->verdict] : "not-found";
}
