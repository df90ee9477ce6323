/*
 * Tables of facts: a column is declared once, with its key, head, unit and decimals, and every
 * format prints it (render). A table reads the rows of the analysis where they lie.
 */
#ifndef SD_FACT_TABLE_H
#define SD_FACT_TABLE_H

#include <stddef.h>

#include "analysis/analysis.h"

enum sd_cell_type {
	SD_CELL_NONE,     /* an empty cell */
	SD_CELL_TEXT,     /* const char *; any bytes */
	SD_CELL_CHARS,    /* char[] */
	SD_CELL_NAME,     /* enum: of `names` */
	SD_CELL_COUNT,    /* unsigned */
	SD_CELL_SIZE,     /* size_t */
	SD_CELL_INT,      /* int */
	SD_CELL_REAL,     /* double */
	SD_CELL_VALUE,    /* struct sd_value */
	SD_CELL_INTERVAL, /* struct sd_interval */
	SD_CELL_FLAG,     /* int: yes or no */
	SD_CELL_RATIO,    /* struct sd_interval around 1: drawn in HTML, nowhere else */
	SD_CELL_BAR,      /* double, 0 to 1: drawn in text, nowhere else */
	SD_CELL_PLACES,   /* struct sd_where *, and their number at `n_at` */
	SD_CELL_TEXTS,    /* struct sd_texts */
	SD_CELL_SHADES,   /* const float *, each 0 to 1, and their number at `n_at`: a shade each */
	SD_CELL_ROWS,     /* of the table `rows`: pointer, and number at `n_at`; or by `make` */
	SD_CELL_ROW,      /* of the table `rows`, at `at`; none where it does not have it */
};

struct sd_fact_rows {
	const struct sd_fact_table *table;
	const void *row;
	size_t n;
	size_t runs;
	unsigned kind;               /* 0: what columns say of kinds does not matter */
	const struct sd_analysis *a; /* what cells may have to look at; may be NULL */
	const void *whole;           /* likewise, where the rows are of something else */
	const char *folder;          /* files are named from there; NULL: in full */
	int decimals;                /* of columns whose `decimals` are SD_FACT_OF_ROWS */
	size_t most;                 /* for `wanted` */
	/* by people; NULL: all */
	int (*wanted)(const struct sd_fact_rows *rows, size_t i);
};

enum sd_cell_tone { SD_CELL_NEUTRAL, SD_CELL_GOOD, SD_CELL_BAD };

/* A cell. */
struct sd_cell {
	enum sd_cell_type type;
	enum sd_cell_tone tone;
	struct sd_interval number; /* of every type that is one */
	size_t runs;               /* of an interval; SD_INTERVAL_TEXT_EXACT: by definition */
	const char *text;          /* borrowed of the row, or `made` */
	char made[128];
	const struct sd_where *place;
	const struct sd_texts *texts;
	const float *shade;
	size_t n;
	struct sd_fact_rows table;
};

/* Places of a cell in text. */
enum sd_fact_layout {
	SD_LAYOUT_CELL,  /* numbers to the right, texts to the left */
	SD_LAYOUT_TAIL,  /* behind the others, wrapped */
	SD_LAYOUT_BELOW, /* a paragraph below the row, behind its `head` */
};

enum sd_fact_format { SD_IN_TEXT = 1, SD_IN_HTML = 2, SD_IN_MARKDOWN = 4 };

struct sd_fact_column {
	const char *key;  /* of JSON and CSV; NULL: not there */
	const char *head; /* of what people read; NULL: not there */
	enum sd_cell_type type;
	size_t at, n_at;  /* offsets in the row */
	double factor;    /* people read so many times the value; 0: the value */
	const char *unit; /* behind the number: " %" */
	unsigned char decimals, half_decimals; /* half_decimals 0: the same */
	unsigned char width,
		half;           /* columns of text at least: of the number, of "±"; half 0: none */
	const char *half_head;  /* NULL: "±" */
	unsigned char optional; /* 1 and more: left out of a narrow text, the largest first */
	unsigned char half_optional;
	unsigned char kind, key_kind; /* rows of these kinds alone have the head, the key; 0: all */
	unsigned char most;           /* places shown in a short text; 0: all */
	unsigned char sparse; /* left out where all of it prints as 0; a 0 is an empty cell */
	unsigned char not_in; /* formats that have no room for it */
	enum sd_fact_layout layout;
	void (*make)(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out);
	/* instead of `make`: writes at most sizeof made */
	void (*say)(const void *row, char *out);
	const char *const *names; /* by number, `stride` bytes apart; 0: an array */
	size_t stride;
	const struct sd_fact_table *rows;
	unsigned char empty_is_none; /* "" is no text */
	unsigned char
		chain; /* text says who called the place, or what it called, with room for it */
	const char *attribute; /* of a row of HTML, which has the text for its value */
	unsigned char beneath; /* HTML puts it, of rows of these kinds, below the column before */
	/* where `at` counts from; NULL: the row */
	const void *(*of)(const struct sd_fact_rows *rows, size_t i);
};

struct sd_fact_table {
	const struct sd_fact_column *column;
	size_t n_column;
	size_t size;    /* of a row */
	size_t runs_at; /* offset of the row's number of runs, a size_t, plus 1: without any its
			   measured cells are empty; 0: `runs` of all rows */
	int (*has)(const void *row);     /* has the row measured cells? NULL: all have */
	size_t (*runs)(const void *row); /* instead of runs_at; NULL: it */
	unsigned tail;                   /* columns of text that stay free behind the cells */
};

#define SD_FACT_OF_ROWS 255

#define SD_FACT_TABLE(columns, row_type, ...)                                    \
	{                                                                        \
		.column = columns, .n_column = sizeof columns / sizeof *columns, \
		.size = sizeof(row_type), __VA_ARGS__                            \
	}

const void *sd_fact_row(const struct sd_fact_rows *rows, size_t i);
/* Defines such a function, `name`, of rows of a type. */
#define SD_FACT_ROW(row_type, name)                                            \
	static const row_type *name(const struct sd_fact_rows *rows, size_t i) \
	{                                                                      \
		return sd_fact_row(rows, i);                                   \
	}
int sd_fact_wanted(const struct sd_fact_rows *rows, size_t i);
int sd_fact_any(const struct sd_fact_rows *rows); /* is any row wanted? */

/* The cell of a column. */
void sd_fact_read(const struct sd_fact_rows *rows, const struct sd_fact_column *c, size_t i,
	struct sd_cell *out);

/* A number without an interval; none where it is not finite. */
struct sd_interval sd_fact_exact(double v);

/* Is there a number? */
int sd_fact_has(const struct sd_cell *f);
int sd_fact_is_number(const struct sd_cell *f);
/* Written from the left. */
int sd_fact_is_word(const struct sd_fact_column *c);

/* Do people read the column of these rows in that format? A sparse one may have nothing to say. */
int sd_fact_shown(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	enum sd_fact_format format);

/* "12.3 %": the number as people read it; "–" and why there is none, `status` where it has a name
 * worth saying. */
void sd_fact_number(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *f, char *out, size_t size);
/* Half of its interval; "" where it is exact. */
void sd_fact_half(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *f, char *out, size_t size);
/* The mean of those that the i-th of n cells stands for. */
double sd_fact_shade(const struct sd_cell *f, size_t i, size_t n);
int sd_fact_decimals(const struct sd_fact_rows *rows, const struct sd_fact_column *c);
double sd_fact_factor(const struct sd_fact_column *c);

#endif
