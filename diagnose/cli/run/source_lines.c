#include "run/source_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "run/config_tables.h"
#include "target/target_trees.h"

#define FILE_MAX (16 << 20)
#define LINE_MAX_BYTES ((ssize_t)SD_SOURCE_TEXT_BYTES + 2)

/* How many functions are shown, and how many lines before and after the worst one; with --long all
 * that the record has. */
#define FUNCTIONS 2u
#define AROUND 2u

/* Cores that a line must cost to be worth looking at. */
#define LEAST .05

/* The file, open for reading, when it is what the program was made from. */
static FILE *open_source(const struct sd_target_trees *trees, const struct sd_where *at,
	double measured, enum sd_source_state *state)
{
	struct stat file, module;
	FILE *f = NULL;
	const int fd = sd_target_trees_open(trees, at->module, at->file, &module, &file);

	*state = SD_SOURCE_MISSING;
	if (fd < 0)
		return NULL;
	if (file.st_size <= FILE_MAX) {
		*state = SD_SOURCE_READ;
		if (module.st_ino ? file.st_mtime > module.st_mtime
				  : (double)file.st_mtime > measured)
			*state = SD_SOURCE_NEWER;
	}
	if (*state == SD_SOURCE_READ)
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static int add_line(struct sd_source_text *s, char *text, ssize_t n)
{
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	if (n > (ssize_t)SD_SOURCE_TEXT_BYTES) {
		n = SD_SOURCE_TEXT_BYTES;
		/* not within a character */
		while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		text[n] = '\0';
	}
	return sd_texts_add(&s->line, "%s", text);
}

/* The next line as far as it is kept, and whether more of it is cut off; -1: none. No more than
 * *left bytes are read of a file, which somebody may write to all the while. */
static ssize_t read_line(FILE *f, char text[LINE_MAX_BYTES], size_t *left)
{
	ssize_t n = 0;
	int c = EOF;

	while (*left > 0 && (c = getc_unlocked(f)) != EOF) {
		--*left;
		if (n < LINE_MAX_BYTES - 1)
			text[n++] = (char)c;
		if (c == '\n')
			break;
	}
	text[n] = '\0';
	return n > 0 ? n : -1;
}

int sd_source_lines_read(FILE *f, unsigned from, unsigned to, struct sd_source_text *s)
{
	const unsigned around = SD_SOURCE_TEXT_AROUND, half = SD_SOURCE_TEXT_COUNT / 2;
	const unsigned nearest = s->hot > half ? s->hot - half + 1 : 1;
	char text[LINE_MAX_BYTES];
	size_t left = FILE_MAX;
	ssize_t n;
	unsigned last;
	int rc = 0;

	s->first = from > around ? from - around : 1;
	if (s->first < nearest)
		s->first = nearest;
	last = to - s->first + around < SD_SOURCE_TEXT_COUNT ? to + around
							     : s->first + SD_SOURCE_TEXT_COUNT - 1;
	for (unsigned line = 1; rc == 0 && line <= last; line++) {
		n = read_line(f, text, &left);
		if (n < 0)
			break;
		if (line >= s->first)
			rc = add_line(s, text, n);
	}
	/* a file that ends before the line is not what the program was made from */
	if (rc == 0 && s->first + s->line.n <= s->hot) {
		s->state = SD_SOURCE_MISSING;
		sd_texts_free(&s->line);
		s->first = 0;
	}
	return rc;
}

static int is_text(const struct sd_stacks *s, unsigned number, const char *text)
{
	return number && number < s->n_text && strcmp(s->text[number], text) == 0;
}

/* The first and last line of its function that any sample was in. */
static void find_ends(
	const struct sd_stacks *s, const struct sd_where *at, unsigned *from, unsigned *to)
{
	*from = *to = at->line;
	for (size_t i = 0; at->function && i < s->n_frame; i++) {
		const struct sd_frame *const f = &s->frame[i];

		if (!f->line || (f->line >= *from && f->line <= *to) ||
			f->line >= SD_SOURCE_TEXT_LAST || !is_text(s, f->file, at->file) ||
			!is_text(s, f->function, at->function))
			continue;
		*from = f->line < *from ? f->line : *from;
		*to = f->line > *to ? f->line : *to;
	}
}

/* Whether the source of this row is shown. */
static int is_shown(const struct sd_loss_row *r)
{
	return r->own && r->at.file && r->at.line && r->at.line < SD_SOURCE_TEXT_LAST;
}

static int store_lines(
	struct sd_record *record, const struct sd_target_trees *trees, const struct sd_analysis *a)
{
	const double measured = record->n_run ? record->run[0].start : 0;
	struct sd_source_text *const all = calloc(SD_SOURCE_TEXT_PLACES, sizeof *all);
	size_t n = 0;
	int rc = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < a->losses.n_row && n < SD_SOURCE_TEXT_PLACES; i++) {
		const struct sd_loss_row *r = &a->losses.row[i];
		struct sd_source_text *s = &all[n];
		unsigned from, to;
		FILE *f;

		if (r->total.value < LEAST)
			break;
		if (!is_shown(r))
			continue;
		n++;
		s->hot = r->at.line;
		s->file = strdup(r->at.file);
		if (!s->file) {
			rc = -ENOMEM;
			break;
		}
		f = open_source(trees, &r->at, measured, &s->state);
		if (!f)
			continue;
		find_ends(&record->stacks, &r->at, &from, &to);
		rc = sd_source_lines_read(f, from, to, s);
		fclose(f);
	}
	for (size_t i = 0; i < record->n_source; i++)
		sd_source_text_free(&record->source[i]);
	free(record->source);
	record->source = all;
	record->n_source = n;
	return rc;
}

int sd_source_lines_store(
	struct sd_record *record, const struct sd_target_trees *trees, const struct sd_sink *sink)
{
	struct sd_config_tables tables = {0};
	struct sd_analysis a = {0};
	int rc = sd_config_tables_load_for(&tables, record, sink);

	if (rc == 0)
		rc = sd_analyse(record, &tables.formulas, &tables.advice, &a);
	if (rc == 0)
		rc = store_lines(record, trees, &a);
	sd_analysis_free(&a);
	sd_config_tables_free(&tables);
	return rc;
}

static const struct sd_source_text *find_stored(
	const struct sd_record *record, const struct sd_where *at)
{
	for (size_t i = 0; i < record->n_source; i++)
		if (record->source[i].hot == at->line &&
			strcmp(record->source[i].file, at->file) == 0)
			return &record->source[i];
	return NULL;
}

/* The lines of `from` that are at most `around` from the worst one. */
static void take_lines(struct sd_source *s, const struct sd_source_text *from, unsigned around)
{
	const unsigned first = from->hot > around ? from->hot - around : 1;
	const size_t skip = first > from->first ? first - from->first : 0;

	s->state = from->state;
	if (from->state != SD_SOURCE_READ || skip >= from->line.n)
		return;
	s->first = from->first + (unsigned)skip;
	s->line = from->line.text + skip;
	s->n = from->line.n - skip;
	if (s->n > from->hot + around + 1 - s->first)
		s->n = from->hot + around + 1 - s->first;
}

int sd_source_lines_find(const struct sd_record *record, const struct sd_analysis *a,
	enum sd_source_lines_extent extent, struct sd_source_lines *out)
{
	static const unsigned around[] = {[SD_SOURCE_LINES_BRIEF] = AROUND,
		[SD_SOURCE_LINES_LONG] = SD_SOURCE_TEXT_AROUND,
		[SD_SOURCE_LINES_WHOLE] = SD_SOURCE_TEXT_COUNT};
	const size_t most = extent == SD_SOURCE_LINES_BRIEF ? FUNCTIONS : SD_SOURCE_TEXT_PLACES;

	*out = (struct sd_source_lines){.source = calloc(most, sizeof *out->source)};
	if (!out->source)
		return -ENOMEM;
	for (size_t i = 0; i < a->losses.n_row && out->n < most; i++) {
		const struct sd_loss_row *r = &a->losses.row[i];
		const struct sd_source_text *stored;
		struct sd_source *s;

		if (r->total.value < LEAST)
			break;
		if (!is_shown(r))
			continue;
		s = &out->source[out->n++];
		*s = (struct sd_source){.row = i, .state = SD_SOURCE_UNSTORED};
		stored = find_stored(record, &r->at);
		if (stored)
			take_lines(s, stored, around[extent]);
	}
	return 0;
}

void sd_source_lines_free(struct sd_source_lines *s)
{
	free(s->source);
	*s = (struct sd_source_lines){0};
}
