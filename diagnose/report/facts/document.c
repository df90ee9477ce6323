#include "facts/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void put(struct sd_document *b, enum sd_block block, const char *id, const char *title,
	const char *format, va_list ap) __attribute__((format(printf, 5, 0)));
static void put(struct sd_document *b, enum sd_block block, const char *id, const char *title,
	const char *format, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, format, ap) < 0) {
		b->failed = 1;
		return;
	}
	b->put(b, block, id, title ? title : text, title ? text : NULL);
	free(text);
}

void sd_document_title(
	struct sd_document *b, const char *id, const char *title, const char *more, ...)
{
	va_list ap;

	va_start(ap, more);
	if (more)
		put(b, SD_BLOCK_TITLE, id, title, more, ap);
	else
		b->put(b, SD_BLOCK_TITLE, id, title, NULL);
	va_end(ap);
}

void sd_document_say(struct sd_document *b, enum sd_block block, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put(b, block, NULL, NULL, format, ap);
	va_end(ap);
}

void sd_document_term(struct sd_document *b, const char *term, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put(b, SD_BLOCK_TERM, NULL, term, format, ap);
	va_end(ap);
}

void sd_document_texts(struct sd_document *b, enum sd_block block, const struct sd_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		b->put(b, block, NULL, t->text[i], NULL);
}

void sd_document_table(struct sd_document *b, const struct sd_fact_rows *rows)
{
	if (sd_fact_any(rows))
		b->table(b, SD_BLOCK_TABLE, rows);
}

void sd_document_groups(struct sd_document *b, const struct sd_fact_rows *rows)
{
	if (sd_fact_any(rows))
		b->table(b, SD_BLOCK_GROUPS, rows);
}

void sd_document_picture(struct sd_document *b, const char *id, const void *of)
{
	if (b->picture)
		b->picture(b, id, of);
}

void sd_document_end(struct sd_document *b)
{
	b->put(b, SD_BLOCK_END, NULL, NULL, NULL);
}
