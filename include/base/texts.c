#include "base/texts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes `text`, also on failure. */
static int append(struct sd_texts *t, char *text)
{
	char **grown = realloc(t->text, (t->n + 1) * sizeof *grown);

	if (!grown) {
		free(text);
		return -ENOMEM;
	}
	t->text = grown;
	t->text[t->n++] = text;
	return 0;
}

int sd_texts_add(struct sd_texts *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? -ENOMEM : append(t, text);
}

/* The number of characters that a number at `s` without its sign has, when it is 0 as printed. */
static size_t zero_at(const char *s)
{
	const size_t whole = strspn(s, "0"), point = whole && s[whole] == '.';
	const size_t n = whole + point + (point ? strspn(s + whole + 1, "0") : 0);

	return whole == 1 && !strchr("0123456789.e", s[n] ? s[n] : ' ') ? n : 0;
}

void sd_texts_unsign_zeroes(struct sd_texts *t)
{
	for (char *s = t->n ? t->text[t->n - 1] : NULL; s && (s = strchr(s, '-')); s++)
		if ((s == t->text[t->n - 1] || strchr(" (", s[-1])) && zero_at(s + 1))
			memmove(s, s + 1, strlen(s));
}

int sd_texts_has(const struct sd_texts *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->text[i], text) == 0)
			return 1;
	return 0;
}

int sd_texts_add_once(struct sd_texts *t, const char *text)
{
	char *copy;

	if (sd_texts_has(t, text))
		return 0;
	copy = strdup(text);
	return copy ? append(t, copy) : -ENOMEM;
}

void sd_texts_free(struct sd_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->text[i]);
	free(t->text);
	*t = (struct sd_texts){0};
}
