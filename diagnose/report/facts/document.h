/*
 * A document as the blocks it is made of, one after the other: what says facts puts blocks, and a
 * printer of render draws each as its format does.
 */
#ifndef SD_DOCUMENT_H
#define SD_DOCUMENT_H

#include "facts/fact_table.h"

enum sd_block {
	SD_BLOCK_TITLE,    /* of a section; `more` in brackets behind it */
	SD_BLOCK_SENTENCE, /* a paragraph */
	SD_BLOCK_NOTE,     /* one that is less important */
	SD_BLOCK_DOUBT,    /* one that says what is missing */
	SD_BLOCK_ITEM,     /* of a list */
	SD_BLOCK_TERM,     /* and what is to say of it, in `more` */
	SD_BLOCK_TABLE,
	SD_BLOCK_GROUPS, /* a row is a name, a table and notes: its first columns of TEXT, ROWS,
			    TEXTS */
	SD_BLOCK_END,    /* of a section */
};

struct sd_document {
	/* `id`: of a title; `text` is clean or not: the printer cleans it */
	void (*put)(struct sd_document *b, enum sd_block block, const char *id, const char *text,
		const char *more);
	void (*table)(struct sd_document *b, enum sd_block block, const struct sd_fact_rows *rows);
	/* what is drawn where there is room for pictures; NULL: nowhere */
	void (*picture)(struct sd_document *b, const char *id, const void *of);
	void *to;   /* the page or stream */
	int all;    /* everything, however long; else what a reader can take in */
	int failed; /* out of memory */
};

/* `more` NULL: none; else a format, of what follows. */
void sd_document_title(struct sd_document *b, const char *id, const char *title, const char *more,
	...) __attribute__((format(printf, 4, 5)));
void sd_document_say(struct sd_document *b, enum sd_block block, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void sd_document_term(struct sd_document *b, const char *term, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Each as a block. */
void sd_document_texts(struct sd_document *b, enum sd_block block, const struct sd_texts *t);
/* Nothing of no rows that are wanted. */
void sd_document_table(struct sd_document *b, const struct sd_fact_rows *rows);
void sd_document_groups(struct sd_document *b, const struct sd_fact_rows *rows);
void sd_document_picture(struct sd_document *b, const char *id, const void *of);
void sd_document_end(struct sd_document *b);

#endif
