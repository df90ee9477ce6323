#include "history/history_report.h"

#include <stdlib.h>
#include <string.h>

#include "page/interval_text.h"
#include "page/page.h"
#include "page/sanitize.h"

enum { TIME = 18, CORES = 5, WALL = 9, CHANGE = 8, SPEEDUP = 9, EFFICIENCY = 12 };

static void put_head(struct sd_page *g, size_t commit)
{
	sd_page_cell(g, SD_TONE_DIM, "measured (UTC)", TIME, 0);
	sd_page_cell(g, SD_TONE_DIM, "commit", commit, 0);
	sd_page_cell(g, SD_TONE_DIM, "cores", CORES, 1);
	sd_page_cell(g, SD_TONE_DIM, "wall s", WALL, 1);
	sd_page_cell(g, SD_TONE_DIM, "", CHANGE, 1);
	sd_page_cell(g, SD_TONE_DIM, "speedup", SPEEDUP, 1);
	sd_page_cell(g, SD_TONE_DIM, "efficiency", EFFICIENCY, 1);
	sd_page_put(g, SD_TONE_DIM, "  main cause\n");
}

static void put_number(struct sd_page *g, struct sd_interval v, double factor, int decimals,
	const char *unit, size_t columns)
{
	char number[48] = "-", text[64];

	if (sd_interval_text_has(v))
		sd_interval_text_number(number, sizeof number, factor * v.value, decimals);
	snprintf(text, sizeof text, "%s%s", number, sd_interval_text_has(v) ? unit : "");
	sd_page_cell(g, SD_TONE_PLAIN, text, columns, 1);
}

static char *commit_text(const struct sd_history_row *row)
{
	char text[80];

	sd_history_commit(row, text);
	return sd_sanitize(*text ? text : "unknown");
}

static void put_row(struct sd_page *g, const struct sd_history_row *row, size_t commit)
{
	const struct sd_history_point *const p = &row->point[row->n_point - 1];
	char time[32], cause[128], cores[16];
	char *const clean = commit_text(row);
	const enum sd_tone tone = row->change == SD_CHANGE_MORE   ? SD_TONE_BAD
				  : row->change == SD_CHANGE_LESS ? SD_TONE_GOOD
								  : SD_TONE_PLAIN;

	sd_history_time(row, time);
	sd_history_cause(row, cause);
	snprintf(cores, sizeof cores, "%u", p->cores);
	sd_page_cell(g, SD_TONE_PLAIN, time, TIME, 0);
	sd_page_cell(g, SD_TONE_PLAIN, clean ? clean : "", commit, 0);
	sd_page_cell(g, SD_TONE_PLAIN, cores, CORES, 1);
	put_number(g, p->wall, 1, 3, "", WALL);
	sd_page_cell(g, tone, sd_history_change(row), CHANGE, 1);
	put_number(g, p->speedup, 1, 2, "x", SPEEDUP);
	put_number(g, p->efficiency, 100, 0, " %", EFFICIENCY);
	sd_page_put(g, SD_TONE_PLAIN, "  %s\n", cause);
	free(clean);
}

/* The widest commit of a program's rows, and two columns behind it. */
static size_t commit_columns(const struct sd_history *h, size_t from, size_t to)
{
	size_t most = strlen("commit");

	for (size_t i = from; i < to; i++) {
		char *const text = commit_text(&h->row[i]);
		const size_t n = text ? sd_page_columns(text) : 0;

		most = n > most ? n : most;
		free(text);
	}
	return most + 2;
}

int sd_history_text(FILE *f, const struct sd_history *h, const char *folder,
	const struct sd_report_style *style)
{
	struct sd_page g;
	size_t to;

	(void)folder;
	sd_page_begin(&g, f, style);
	for (size_t from = 0; from < h->n; from = to) {
		size_t commit;

		for (to = from; to < h->n && strcmp(h->row[to].program, h->row[from].program) == 0;)
			to++;
		commit = commit_columns(h, from, to);
		sd_page_wrap_tone(&g, SD_TONE_BOLD, "", 2, "%s", h->row[from].program);
		put_head(&g, commit);
		for (size_t i = from; i < to; i++)
			put_row(&g, &h->row[i], commit);
		sd_page_put(&g, SD_TONE_PLAIN, "%s", to < h->n ? "\n" : "");
	}
	return sd_page_end(&g);
}
