#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/interval_text.h"
#include "page/sanitize.h"

#define BRIEF 5u  /* rows of the short report */
#define SMALL .02 /* of the run's time: not in it */

static void put_cell(struct sd_page *p, int known, double v, int decimals, size_t columns)
{
	char text[32] = "–";

	if (known)
		sd_interval_text_number(text, sizeof text, v, decimals);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

static void put_percent(struct sd_page *p, int known, double v, size_t columns)
{
	char text[32] = "–";

	if (known)
		snprintf(text, sizeof text, "%.0f %%", 100 * v);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

static void put_name(struct sd_page *p, const struct sd_region_row *r, size_t columns)
{
	char *const name = sd_sanitize(r->name);

	p->failed |= !name;
	sd_page_put(p, SD_TONE_PLAIN, "  ");
	if (name)
		sd_page_cell(p, SD_TONE_PLAIN, name, columns, 0);
	/* a longer one has a line of its own */
	if (name && sd_page_columns(name) > columns)
		sd_page_put(p, SD_TONE_PLAIN, "\n  %*s", (int)columns, "");
	free(name);
}

static void put_half(struct sd_page *p, struct sd_interval v, size_t runs, int decimals)
{
	char half[32];

	sd_interval_text_half(half, sizeof half, v, runs, 1, decimals);
	sd_page_cell(p, SD_TONE_DIM, half, 6, 1);
}

static void put_notes(struct sd_page *p, const struct sd_texts *notes, const char *first)
{
	for (size_t i = 0; i < notes->n; i++) {
		char *const text = sd_sanitize(notes->text[i]);

		p->failed |= !text;
		if (text)
			sd_page_wrap_tone(p, SD_TONE_DIM, first, 6, "%s", text);
		free(text);
	}
}

/* ---- marked ones ----------------------------------------------------------------------------- */

static void put_marked_point(struct sd_page *p, const struct sd_region_point *t)
{
	sd_page_put(p, SD_TONE_PLAIN, "    %5u", t->cores);
	put_cell(p, t->runs > 0, t->entries, 0, 9);
	put_cell(p, t->runs > 0, t->elapsed.value, 3, 11);
	put_half(p, t->elapsed, t->runs, 3);
	put_percent(p, t->runs > 0, t->share, 7);
	put_cell(p, sd_interval_text_has(t->speedup), t->speedup.value, 2, 9);
	put_percent(p, sd_interval_text_has(t->efficiency), t->efficiency.value, 7);
	put_cell(p, t->runs > 0, t->threads, 1, 9);
	put_cell(p, sd_has(t->used), t->used.value, 2, 7);
	put_cell(p, sd_has(t->lost), t->lost.value, 2, 7);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_marked(struct sd_page *p, const struct sd_region_losses *l)
{
	int any = 0;

	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_region_row *const r = &l->row[i];

		if (r->kind != SD_REGION_MARKED)
			continue;
		if (!any++) {
			sd_page_put(p, SD_TONE_BOLD, "Regions that the program marks");
			sd_page_put(p, SD_TONE_DIM,
				" (lost: cores of the whole run)\n"
				"    cores  entries  elapsed s     ±   time  speedup  effic.  threads   used   lost\n");
		}
		sd_page_wrap(p, "  ", 4, "%s", r->name);
		for (size_t k = 0; k < r->n_point; k++)
			put_marked_point(p, &r->point[k]);
		put_notes(p, &r->notes, "    ");
	}
}

/* ---- OpenMP's -------------------------------------------------------------------------------- */

static void put_openmp_point(struct sd_page *p, const struct sd_region_point *t)
{
	sd_page_put(p, SD_TONE_PLAIN, "    %5u", t->cores);
	put_cell(p, t->runs > 0, t->entries, 0, 9);
	put_cell(p, t->runs > 0, t->elapsed.value, 3, 8);
	put_cell(p, t->runs > 0, t->threads, 1, 6);
	put_cell(p, t->runs > 0, t->ideal, 3, 8);
	put_cell(p, t->runs > 0, t->gain, 3, 8);
	put_cell(p, t->runs > 0, t->imbalance, 3, 8);
	put_cell(p, t->runs > 0, t->lock, 3, 7);
	put_cell(p, t->runs > 0, t->scheduling, 3, 7);
	put_cell(p, t->runs > 0, t->barrier, 3, 8);
	put_cell(p, t->runs > 0, t->serial, 3, 8);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_openmp(struct sd_page *p, const struct sd_region_losses *l)
{
	int any = 0;

	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_region_row *const r = &l->row[i];
		const struct sd_region_point *const last = &r->point[r->n_point - 1];

		if (r->kind != SD_REGION_OPENMP)
			continue;
		if (!any++) {
			sd_page_put(p, SD_TONE_BOLD, "OpenMP regions");
			sd_page_put(p, SD_TONE_DIM,
				" (s a run; gain: elapsed less ideal; before: serial, ahead of it)\n"
				"    cores  entries elapsed  team   ideal    gain  imbal.   lock sched. barrier  before\n");
		}
		sd_page_wrap(p, "  ", 4, "%s", r->name);
		for (size_t k = 0; k < r->n_point; k++)
			put_openmp_point(p, &r->point[k]);
		if (last->tasks > 0 || last->nested > 0)
			sd_page_wrap_tone(p, SD_TONE_DIM, "    ", 6,
				"%.0f tasks; %.0f of %.0f entries from inside another region",
				last->tasks, last->nested, last->entries);
		put_notes(p, &r->notes, "    ");
	}
}

void sd_section_regions(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_region_losses *const l = &a->regions;

	if (l->n_row)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_marked(p, l);
	put_openmp(p, l);
	put_notes(p, &l->notes, "  ");
	if (l->n_seen > l->n_row)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%zu more regions, of less time",
			l->n_seen - l->n_row);
	if (l->n_row)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* Those that the program marks, at the largest count. */
void sd_section_regions_brief(struct sd_page *p, const struct sd_analysis *a)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->regions.n_row && n < BRIEF; i++) {
		const struct sd_region_row *const r = &a->regions.row[i];
		const struct sd_region_point *const t = &r->point[r->n_point - 1];

		if (r->kind != SD_REGION_MARKED || !t->runs || t->share < SMALL)
			continue;
		if (!n++) {
			sd_page_put(p, SD_TONE_BOLD, "Regions at %u cores", t->cores);
			sd_page_put(p, SD_TONE_DIM,
				"          time  speedup  efficiency  cores lost\n");
		}
		put_name(p, r, 24);
		put_percent(p, 1, t->share, 7);
		put_cell(p, sd_interval_text_has(t->speedup), t->speedup.value, 2, 9);
		put_percent(p, sd_interval_text_has(t->efficiency), t->efficiency.value, 12);
		put_cell(p, sd_has(t->lost), t->lost.value, 2, 12);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}
