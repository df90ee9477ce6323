/*
 * Growth of user time by what the program's own samples tell of the lines it touches
 * (record/native_lines.h): whose threads use different bytes of a line, the same bytes, a lock's
 * word; what no sample tells; and what is surely none of these (METHODS 4.1.1).
 */
#ifndef SD_NATIVE_GROWTH_H
#define SD_NATIVE_GROWTH_H

#include "hotspots/code_places.h"
#include "record/record.h"
#include "runs/run_selection.h"

enum sd_native_kind {
	SD_NATIVE_FALSE, /* different bytes of a line */
	SD_NATIVE_TRUE,  /* the same bytes, of the program's own data */
	SD_NATIVE_LOCK,  /* a lock's word, and what moves under it */
	SD_NATIVE_ALLOCATOR,
	SD_NATIVE_SPLIT, /* atomic accesses that lie in two lines: they stop all cores' */
	SD_NATIVE_KINDS
};

/* A variable, or memory of one allocation site, in all runs. */
struct sd_native_object {
	const struct sd_native_line *line; /* borrowed; its most contested one of any run */
	const struct sd_native_lines *run; /* borrowed; that run's */
	unsigned site; /* node where its memory was allocated, as a run was told; 0 unknown */
	size_t lines;  /* contested ones of it in that run */
	double cores[SD_NATIVE_KINDS]; /* growth of the loops that it has most to do with */
	/* Cores that are at code which writes it, times the threads that touch it: so long others
	 * can have waited for what these wrote. */
	double answered;
	/* Cores that its moves cost at most: writes a second that watchpoints counted, times the
	 * threads that touch it, times the longest transfer; INFINITY: nobody counted. */
	double counted;
	const struct sd_native_line *proof; /* borrowed; the line of that; NULL: none */
	double met;                         /* s of all runs that it is contested, or may be */
	double read; /* s of all runs that threads take turns reading it, and no sample writes */
};

/* One place of the growth. */
struct sd_native_place {
	unsigned node;
	double cores[SD_NATIVE_KINDS];
};

struct sd_native_growth {
	int known;              /* both ends were looked at; else nothing below is */
	double samples;         /* looked at, at the judged point */
	struct sd_interval all; /* growth of user time without spinning; cores */
	/* Growth by kind: `least` is where a sure access touches such a line, as far as its writers
	 * can make others wait; `most` is all growth of loops that touch one, that may, or whose
	 * addresses are not known, and what no sample saw. */
	struct sd_interval least[SD_NATIVE_KINDS], most[SD_NATIVE_KINDS];
	/* written by several threads in functions that take the same locks: under one of them, as
	 * far as can be told */
	struct sd_interval under;
	/* At most of it at lines, or pages, that the loop had not touched before. */
	struct sd_interval cold_lines, cold_pages;
	/* Cores that the moves of all lines that were seen to be contested cost at most; INFINITY:
	 * of one of them nobody counted the writes. */
	double counted;
	double unlisted;  /* share of what may be skipped, or is unsure, at lines that are not told
			   */
	double unwatched; /* share of the time of lines that all read and no sample writes, at those
			     whose writes nobody counted */
	double read_most; /* cores that moves of the others of them cost at most */
	double read;      /* cores of growth at those that nobody counted */
	double unknown;   /* cores of it whose addresses are not known, or may be skipped */
	double spun_false; /* cores at the judged point that spin for locks of one line, whose
			      threads use different bytes of it */
	struct sd_native_object *object; /* owned */
	size_t n_object;
	struct sd_native_place *place; /* owned; most growth first */
	size_t n_place;
};

/* `places`: of the record's stacks, made. 0 or -ENOMEM; *out is to be freed in every case. */
int sd_native_growth_make(const struct sd_record *record, const struct sd_chosen *ref,
	const struct sd_chosen *now, const struct sd_code_places *places,
	struct sd_native_growth *out);
void sd_native_growth_free(struct sd_native_growth *g); /* accepts the zeroed value */

#endif
