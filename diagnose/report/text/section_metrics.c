#include "text/sections.h"
#include "page/short_names.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_MOST 8u /* the rest is in JSON */

static const struct sd_shown *find(const struct sd_point *pt, const char *name)
{
	for (size_t i = 0; i < pt->n_shown; i++)
		if (pt->shown[i].meaning && strcmp(pt->shown[i].name, name) == 0)
			return &pt->shown[i];
	return NULL;
}

/* "0.92 ratio" */
static void value_text(const struct sd_shown *s, char *out, size_t size)
{
	snprintf(out, size, "%.3g%s%s", s->value.value, *s->unit ? " " : "", s->unit);
}

static void put_metric(struct sd_page *p, const struct sd_analysis *a, const struct sd_shown *s)
{
	const struct sd_shown *const first = a->n_point > 1 ? find(&a->point[0], s->name) : NULL;
	const struct sd_event_cell *cell = NULL;
	const struct sd_event_row *const row = sd_event_hotspots_most(&a->events, s->name, &cell);
	char now[64], before[96] = "", was[64], where[192] = "";
	char *const name = row ? sd_name_place(row->at, 120) : NULL;

	value_text(s, now, sizeof now);
	if (first && sd_status_measured(first->value)) {
		value_text(first, was, sizeof was);
		snprintf(before, sizeof before, " (%s at %u)", was, a->point[0].cores);
	}
	if (name)
		snprintf(where, sizeof where, ", %.0f %% of it in %s", 100 * cell->share, name);
	sd_page_wrap(p, "  ", 4, "%s %s%s%s%s: %s%s%s%s%s", s->name, now, before, where,
		s->quality == SD_QUALITY_PROXY ? ", by a proxy" : "", s->meaning,
		s->shared ? "; SMT siblings may be in it" : "",
		s->multiplexed ? "; its counts took turns with others, each less than 90 % of the "
				 "time, and are scaled up: less reliable, most of all in short runs"
			       : "",
		s->advice ? ". Do: " : "", s->advice ? s->advice : "");
	free(name);
}

/* The parts of a metric, and theirs, each a step further in. */
static void put_parts(
	struct sd_page *p, const struct sd_analysis *a, const char *of, const char *indent)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];
	char deeper[32];

	snprintf(deeper, sizeof deeper, "  %s", indent);
	for (size_t i = 0; i < pt->n_shown; i++) {
		const struct sd_shown *const s = &pt->shown[i];
		const struct sd_shown *const first =
			a->n_point > 1 ? find(&a->point[0], s->name) : NULL;

		if (!s->part_of || strcmp(s->part_of, of) != 0 || !sd_status_measured(s->value) ||
			strlen(deeper) + 1 >= sizeof deeper)
			continue;
		sd_page_put(p, s->over ? SD_TONE_BOLD : SD_TONE_PLAIN, "  %s%-*s %5.1f %%", indent,
			(int)(28 - strlen(indent)), s->name, 100 * s->value.value);
		if (first && sd_status_measured(first->value))
			sd_page_put(p, SD_TONE_PLAIN, " (%.1f %% at %u)", 100 * first->value.value,
				a->point[0].cores);
		sd_page_put(p, SD_TONE_PLAIN, s->over ? "  <-\n" : "\n");
		put_parts(p, a, s->name, deeper);
	}
}

/* Draws the issue slots (top-down): the four parts of all, and theirs. */
static void put_tree(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];

	for (size_t i = 0; i < pt->n_shown; i++)
		if (pt->shown[i].part_of && strcmp(pt->shown[i].part_of, "slots") == 0 &&
			sd_status_measured(pt->shown[i].value)) {
			sd_page_put(p, SD_TONE_BOLD,
				"Issue slots at %u cores, top-down (<- beyond its threshold)\n",
				pt->cores);
			put_parts(p, a, "slots", "");
			return;
		}
}

void sd_section_metrics(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];
	size_t metrics = 0, over = 0, shown = 0;

	for (size_t i = 0; i < pt->n_shown; i++)
		if (pt->shown[i].meaning && sd_status_measured(pt->shown[i].value)) {
			metrics++;
			over += pt->shown[i].over != 0;
		}
	if (metrics == 0)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_tree(p, a);
	sd_page_wrap_tone(p, over ? SD_TONE_BOLD : SD_TONE_DIM, "", 2,
		"Counters at %u cores: %zu of %zu metrics past the threshold of their text%s",
		pt->cores, over, metrics, over ? "" : "; --format json lists them");
	for (size_t i = 0; i < pt->n_shown && shown < SHOWN_MOST; i++)
		if (pt->shown[i].meaning && pt->shown[i].over &&
			sd_status_measured(pt->shown[i].value)) {
			put_metric(p, a, &pt->shown[i]);
			shown++;
		}
	if (over > shown)
		sd_page_wrap_tone(
			p, SD_TONE_DIM, "  ", 2, "and %zu more: --format json", over - shown);
}
