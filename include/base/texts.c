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

int sd_texts_add_once(struct sd_texts *t, const char *text)
{
	char *copy;

	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->text[i], text) == 0)
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
