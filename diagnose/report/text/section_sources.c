#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/short_names.h"
#include "page/interval_text.h"
#include "page/page.h"

#define SHOWN 0.005

/* Cores that a line costs; 0 when it is none of those known. */
static double cores_of(const struct sd_losses *l, size_t row, unsigned line)
{
	for (size_t i = 0; i < l->n_line; i++)
		if (l->line[i].row == row && l->line[i].line == line)
			return l->line[i].cores;
	return 0;
}

/* A line of source, cut at the page's edge; a tab is two spaces here. */
static char *flat(const char *text, size_t columns)
{
	char *out = NULL;
	size_t size = 0, n = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (; *text && n < columns; text++) {
		if (*text == '\t')
			fputs("  ", f);
		else
			fputc(*text, f);
		n += *text == '\t' ? 2 : ((unsigned char)*text & 0xc0) != 0x80;
	}
	/* a character that was begun is ended */
	for (; ((unsigned char)*text & 0xc0) == 0x80; text++)
		fputc(*text, f);
	return sd_page_written(f, &out);
}

static void put_line(struct sd_page *p, const struct sd_losses *l, const struct sd_source *s,
	unsigned line, const char *text)
{
	const double cores = cores_of(l, s->row, line);
	const int hot = line == l->row[s->row].at.line;
	char number[32] = "", *shown = flat(text, p->width > 40 ? p->width - 22 : 18);

	p->failed |= !shown;
	if (!shown)
		return;
	if (cores >= SHOWN)
		sd_interval_text_number(number, sizeof number, cores, 2);
	sd_page_put(p, hot ? SD_TONE_BOLD : SD_TONE_PLAIN, "  %c%7s %6u  ", hot ? '>' : ' ', number,
		line);
	sd_page_put(p, hot ? SD_TONE_BOLD : SD_TONE_PLAIN, "%s", shown);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	free(shown);
}

/* The same was said of the same file for a function above. */
static int is_said(
	const struct sd_losses *l, const struct sd_source *first, const struct sd_source *s)
{
	for (const struct sd_source *e = first; e < s; e++)
		if (e->row < l->n_row && e->state == s->state &&
			strcmp(l->row[e->row].at.file, l->row[s->row].at.file) == 0)
			return 1;
	return 0;
}

const char *sd_section_sources_why(enum sd_source_state state)
{
	switch (state) {
	case SD_SOURCE_NEWER:
		return "changed after the program was built: its lines are not shown";
	case SD_SOURCE_MISSING:
		return "could not be read when this was measured: its lines are not shown";
	default:
		return "the record has no lines of it";
	}
}

static void put_source(struct sd_page *p, const struct sd_losses *l, const struct sd_source *first,
	const struct sd_source *s)
{
	const struct sd_loss_row *r = &l->row[s->row];
	char *name = sd_name_place(&r->at, p->width > 20 ? p->width - 4 : 16);

	p->failed |= !name;
	if (name)
		sd_page_wrap(p, "  ", 4, "%s", name);
	free(name);
	if (s->state != SD_SOURCE_READ && !is_said(l, first, s))
		sd_page_wrap_tone(p, SD_TONE_DIM, "    ", 4, "%s: %s", r->at.file,
			sd_section_sources_why(s->state));
	for (size_t i = 0; i < s->n && s->state == SD_SOURCE_READ; i++)
		put_line(p, l, s, s->first + (unsigned)i, s->line[i]);
}

void sd_section_sources(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	size_t n = 0;

	for (size_t i = 0; s && i < s->n_source; i++) {
		if (s->source[i].row >= a->losses.n_row)
			continue;
		if (n++ == 0)
			sd_page_put(p, SD_TONE_BOLD, "Source lines");
		if (n == 1)
			sd_page_put(
				p, SD_TONE_DIM, " (cores lost; > is the worst of the function)\n");
		put_source(p, &a->losses, s->source, &s->source[i]);
	}
	if (n > 0)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}
