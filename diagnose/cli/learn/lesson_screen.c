#include "learn/lesson_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison/comparison_report.h"
#include "learn/lesson_diff.h"
#include "learn/lesson_folder.h"
#include "learn/lesson_rows.h"
#include "learn/lesson_view.h"
#include "page/interval_text.h"

enum {
	NAME_COLUMNS = 10,
	TIME_COLUMNS = 19,
	LABEL_COLUMNS = 36,
	NUMBER_COLUMNS = 6,
	BAR_MOST = 24
};

int sd_lesson_screen_decimals(const struct sd_comparison *c)
{
	double least = INFINITY;
	int d;

	for (size_t i = 0; i < c->n_point; i++)
		if (sd_status_measured(c->point[i].wall_after) && c->point[i].wall_after.value > 0)
			least = fmin(least, c->point[i].wall_after.value);
	d = isfinite(least) ? 2 - (int)floor(log10(least)) : 2;
	return d < 2 ? 2 : d > 6 ? 6 : d;
}

/* "0.676 ±0.014 s" */
static void put_value(
	struct sd_page *p, struct sd_interval v, int decimals, const char *unit, enum sd_tone tone)
{
	char number[48] = "-", half[48], text[128];

	if (sd_status_measured(v))
		sd_interval_text_number(number, sizeof number, v.value, decimals);
	sd_interval_text_half(half, sizeof half, v, 2, 1, decimals);
	snprintf(text, sizeof text, "%s%s ±%s", number, unit, half);
	sd_page_cell(p, tone, text, TIME_COLUMNS, 1);
}

static void put_times(
	struct sd_page *p, const struct sd_diagnosis d[2], const struct sd_comparison *c)
{
	const size_t shown[] = {0, c->n_point - 1}, n = c->n_point > 1 ? 2 : 1;
	const int decimals = c->work > 0 ? 0 : sd_lesson_screen_decimals(c);
	char text[64];

	sd_page_cell(p, SD_TONE_DIM, "", NAME_COLUMNS, 0);
	for (size_t i = 0; i < n; i++) {
		const unsigned cores = c->point[shown[i]].cores;

		snprintf(text, sizeof text, "%u core%s", cores, cores == 1 ? "" : "s");
		sd_page_cell(p, SD_TONE_DIM, text, TIME_COLUMNS, 1);
	}
	sd_page_cell(p, SD_TONE_DIM, n > 1 ? "speedup" : "", TIME_COLUMNS, 1);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	for (int v = 0; v < SD_VERSIONS; v++) {
		const struct sd_analysis *const a = &d[v].analysis;

		snprintf(text, sizeof text, "%s.c", sd_lesson_folder_version[v]);
		sd_page_cell(p, SD_TONE_BOLD, text, NAME_COLUMNS, 0);
		for (size_t i = 0; i < n; i++) {
			const struct sd_compared_point *const x = &c->point[shown[i]];
			const struct sd_interval wall =
				v == SD_BROKEN ? x->wall_before : x->wall_after;

			put_value(p, sd_comparison_amount(c, wall), decimals,
				c->work > 0 ? "/s" : " s", SD_TONE_PLAIN);
		}
		if (n > 1)
			put_value(p, a->point[a->n_point - 1].speedup, 2, "x",
				v == SD_BROKEN ? SD_TONE_BAD : SD_TONE_GOOD);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

/* The ratio, with its interval. */
static void put_gain(struct sd_page *p, const struct sd_comparison *c)
{
	char *const sentence = sd_comparison_sentence(c);
	const enum sd_change time = c->point[c->n_point - 1].time;

	if (sentence)
		sd_page_put(p,
			time == SD_CHANGE_LESS   ? SD_TONE_GOOD
			: time == SD_CHANGE_MORE ? SD_TONE_BAD
						 : SD_TONE_BOLD,
			"fixed.c: %s\n\n", sentence);
	else
		p->failed = 1;
	free(sentence);
}

/* In the colour of what it is; spaces up to its end. */
static void put_bar(struct sd_page *p, double fraction, unsigned columns, enum sd_tone tone)
{
	unsigned drawn;

	if (p->colour)
		fputs(tone == SD_TONE_GOOD    ? "\033[32m"
			: tone == SD_TONE_BAD ? "\033[31m"
					      : "",
			p->f);
	drawn = sd_page_bar(p, fabs(fraction), columns, fraction < 0);
	if (p->colour)
		fputs("\033[0m", p->f);
	sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)(columns > drawn ? columns - drawn : 0), "");
}

static void put_stack(struct sd_page *p, const struct sd_diagnosis d[2])
{
	struct sd_lesson_row row[SD_COMPONENT_COUNT + 1];
	const size_t n = sd_lesson_rows(d, row);
	const struct sd_analysis *const a = &d[0].analysis;
	const unsigned cores = a->point[a->n_point - 1].n;
	const unsigned used = LABEL_COLUMNS + 2 * (NUMBER_COLUMNS + 3) + 2;
	const unsigned room = p->width > used ? (p->width - used) / 2 : 0;
	const unsigned bar = room > BAR_MOST ? BAR_MOST : room;
	char text[64];

	snprintf(text, sizeof text, "Where the time of %u core%s goes", cores,
		cores == 1 ? "" : "s");
	sd_page_cell(p, SD_TONE_BOLD, text, LABEL_COLUMNS + NUMBER_COLUMNS - 4, 0);
	sd_page_cell(p, SD_TONE_DIM, "broken.c", bar + NUMBER_COLUMNS + 3, 0);
	sd_page_put(p, SD_TONE_DIM, "fixed.c\n");
	for (size_t i = 0; i < n; i++) {
		sd_page_put(p, SD_TONE_PLAIN, "  ");
		/* without what explains it in brackets */
		snprintf(text, sizeof text, "%s", sd_lesson_row_label(&row[i]));
		text[strcspn(text, "(")] = '\0';
		sd_page_cell(p, SD_TONE_PLAIN, text, LABEL_COLUMNS - 2, 0);
		for (int v = 0; v < SD_VERSIONS; v++) {
			sd_interval_text_number(text, sizeof text, row[i].cores[v], 2);
			sd_page_cell(p, SD_TONE_PLAIN, text, NUMBER_COLUMNS, 1);
			sd_page_put(p, SD_TONE_PLAIN, "  ");
			if (v == SD_BROKEN || row[i].cores[v] >= .005)
				put_bar(p, row[i].cores[v] / cores, bar,
					row[i].component == SD_COMPONENT_USEFUL  ? SD_TONE_GOOD
					: row[i].component == SD_COMPONENT_COUNT ? SD_TONE_PLAIN
										 : SD_TONE_BAD);
			sd_page_put(p, SD_TONE_PLAIN, " ");
		}
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* The sources are ours: nothing in them moves a cursor. */
static void put_code(struct sd_page *p, const struct sd_lesson_files *files)
{
	struct sd_lesson_changed line[2 * SD_LESSON_DIFF_SHOWN];
	int more;
	const size_t n = sd_lesson_diff_code(files->broken, files->fixed, line, &more);

	for (size_t i = 0; i < n; i++) {
		const enum sd_tone tone = line[i].fixed ? SD_TONE_GOOD : SD_TONE_BAD;
		size_t at = 0;

		sd_page_put(p, tone, "%c %3u  ", line[i].fixed ? '+' : '-', line[i].number);
		for (; at < line[i].length && line[i].at[at] == '\t'; at++)
			sd_page_put(p, tone, "  ");
		sd_page_put(p, tone, "%.*s\n", (int)(line[i].length - at), line[i].at + at);
	}
	if (more)
		sd_page_put(p, SD_TONE_DIM, "  and more lines of the change\n");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lesson_screen(struct sd_page *p, const struct sd_lesson_files *files,
	const struct sd_diagnosis d[2], const struct sd_comparison *c)
{
	const size_t warnings = d[0].analysis.warnings.n + d[1].analysis.warnings.n;

	put_times(p, d, c);
	put_gain(p, c);
	put_stack(p, d);
	put_code(p, files);
	if (warnings)
		sd_page_put(p, SD_TONE_DIM, "%zu warning%s of these runs: --long shows all\n",
			warnings, warnings == 1 ? "" : "s");
}

static struct sd_sides sides_of(const struct sd_diagnosis d[2])
{
	return (struct sd_sides){.before = "broken",
		.after = "fixed",
		.before_record = &d[0].record,
		.after_record = &d[1].record};
}

void sd_lesson_screen_full(FILE *f, const struct sd_lesson *l, const struct sd_diagnosis d[2],
	const struct sd_comparison *c, const struct sd_report_style *style)
{
	const struct sd_sides sides = sides_of(d);
	struct sd_page p;

	sd_page_begin(&p, f, style);
	for (int v = 0; v < SD_VERSIONS; v++)
		sd_lesson_view_diagnosis(&p, l, sd_lesson_folder_version[v], &d[v]);
	sd_page_put(&p, SD_TONE_BOLD, "broken against fixed\n\n");
	sd_page_end(&p);
	sd_comparison_text(f, c, &sides, style);
	fputc('\n', f);
}

void sd_lesson_screen_json(FILE *f, const struct sd_diagnosis d[2], const struct sd_comparison *c)
{
	const struct sd_sides sides = sides_of(d);

	sd_comparison_json(f, c, &sides);
}
