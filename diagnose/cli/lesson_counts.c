#include "lesson_counts.h"

#include <stdio.h>

#include "modelled.h"

enum { NAME_COLUMNS = 9, CORES_COLUMNS = 7, COUNT_COLUMNS = 14, TEXT_BYTES = 32 };

struct column {
	const char *title[2]; /* two lines of a head */
	double (*count)(const struct sd_modelled_counts *c);
};

static double instructions(const struct sd_modelled_counts *c)
{
	return c->instructions;
}

static double memory_lines(const struct sd_modelled_counts *c)
{
	return c->lines;
}

static double page_walks(const struct sd_modelled_counts *c)
{
	return c->walks;
}

static double moves(const struct sd_modelled_counts *c)
{
	return c->hitm;
}

static const struct column columns[] = {
	{{"", "instructions"}, instructions},
	{{"lines from", "and to memory"}, memory_lines},
	{{"", "page walks"}, page_walks},
	{{"lines moved", "between cores"}, moves},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void put_head(struct sd_page *p)
{
	for (int line = 0; line < 2; line++) {
		sd_page_put(p, SD_TONE_PLAIN, "  ");
		sd_page_cell(p, SD_TONE_DIM, "", NAME_COLUMNS, 0);
		sd_page_cell(p, SD_TONE_DIM, line ? "cores" : "", CORES_COLUMNS, 1);
		for (size_t i = 0; i < COLUMNS; i++)
			sd_page_cell(p, SD_TONE_DIM, columns[i].title[line], COUNT_COLUMNS, 1);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

static void put_row(struct sd_page *p, const char *name, unsigned cores,
	const struct sd_modelled_counts *counts)
{
	char text[TEXT_BYTES];

	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, name, NAME_COLUMNS, 0);
	snprintf(text, sizeof text, "%u%s", cores, counts->simulated->partial ? "*" : "");
	sd_page_cell(p, SD_TONE_PLAIN, text, CORES_COLUMNS, 1);
	for (size_t i = 0; i < COLUMNS; i++) {
		snprintf(text, sizeof text, "%.4g", columns[i].count(counts));
		sd_page_cell(p, SD_TONE_PLAIN, text, COUNT_COLUMNS, 1);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lesson_counts_put(
	struct sd_page *p, const char *const *name, const struct sd_record *record, size_t n_record)
{
	const struct sd_simulated *part = NULL;
	int begun = 0;

	for (size_t i = 0; i < n_record; i++)
		for (size_t point = 0; point < record[i].plan.n_point; point++) {
			struct sd_modelled_counts c;

			sd_modelled_counts(&record[i], point, &c);
			if (!c.simulated)
				continue;
			if (!begun++) {
				sd_page_put(
					p, SD_TONE_BOLD, "What the simulated machine counted\n\n");
				put_head(p);
			}
			put_row(p, name[i], record[i].plan.point[point].cores, &c);
			part = c.simulated->partial ? c.simulated : part;
		}
	if (part)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "  * ", 4,
			"of a part of the run, not to be compared with the others: %s", part->why);
	if (begun)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}
