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

/* Slow requests of the largest count, in words. */
void sd_section_requests_brief(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;
	const struct sd_slow_point *const last = s->n_point ? &s->point[s->n_point - 1] : NULL;
	const struct sd_texts *const notes = last ? &last->notes : &s->notes;

	if (!s->region)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Slow requests\n");
	if (last)
		sd_page_wrap(p, "  ", 4, "%s", last->name);
	for (size_t i = 0; i < notes->n; i++)
		sd_page_wrap(p, "  ", 4, "%s", notes->text[i]);
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
		put_cell(p, sd_status_measured(t->speedup), t->speedup.value, 2, 9);
		put_percent(p, sd_status_measured(t->efficiency), t->efficiency.value, 12);
		put_cell(p, sd_has(t->lost), t->lost.value, 2, 12);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}
