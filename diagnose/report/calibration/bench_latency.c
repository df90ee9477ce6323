#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "calibration/bench_curves.h"
#include "calibration/bench_points.h"
#include "page/plot.h"

#define PLOT_COLUMNS 64u
#define PLOT_ROWS 12u

static void add_point(void *to, double x, const struct sd_bench_row *r)
{
	struct sd_points *const c = to;

	c->x[c->n] = x;
	c->y[c->n++] = r->median;
}

static void plot_latency(struct sd_page *g, const struct sd_profile *p)
{
	struct sd_points base = {0}, huge = {0};

	if (sd_points_open(&base, p) && sd_points_open(&huge, p)) {
		struct sd_plot plot = {.x_label = "size",
			.y_label = "ns",
			.log_x = 1,
			.log_y = 1,
			.columns = PLOT_COLUMNS,
			.rows = PLOT_ROWS,
			.x_bytes = 1};

		sd_bench_curve_latency(p, 0, add_point, &base);
		sd_bench_curve_latency(p, 1, add_point, &huge);
		sd_points_draw(&base, &plot, 0, 'o', "4 KiB pages");
		sd_points_draw(&huge, &plot, 1, '*', "huge pages");
		sd_plot_draw(g, &plot);
	}
	sd_points_free(&base);
	sd_points_free(&huge);
}

static void put_level(struct sd_page *g, const struct sd_profile *p, const struct sd_bench_row *r)
{
	const struct sd_interval v = sd_bench_row_value(r);
	char level[16] = "", pages[16] = "", size[32], ns[24], low[24], high[24];

	sd_bench_row_key(r, "level", level, sizeof level);
	sd_bench_row_key(r, "pages", pages, sizeof pages);
	sd_plot_bytes(r->parameter, size, sizeof size);
	sd_bench_number(r->median, ns, sizeof ns);
	sd_bench_number(v.low, low, sizeof low);
	sd_bench_number(v.high, high, sizeof high);
	sd_page_put(g, SD_TONE_PLAIN, "  %-5s %5s pages", level, pages);
	if (p->states.n > 1)
		sd_page_put(g, SD_TONE_DOUBT, " s%u", r->state);
	sd_page_cell(g, SD_TONE_BOLD, ns, 8, 1);
	sd_page_put(g, SD_TONE_PLAIN, " ns%s (%s-%s)", r->status == SD_STATUS_NOISY ? "?" : "", low,
		high);
	sd_page_put(g, SD_TONE_DIM, "  up to %s\n", size);
}

static void put_effective(struct sd_page *g, const struct sd_bench_row *r)
{
	char real[32], seen[32];

	sd_plot_bytes(r->median, real, sizeof real);
	sd_plot_bytes(r->parameter, seen, sizeof seen);
	if (r->parameter > 0)
		sd_page_wrap(g, "  ", 2,
			"the last-level cache really holds about %s of the %s the machine shows",
			real, seen);
	else
		sd_page_wrap(g, "  ", 2, "the last-level cache really holds about %s", real);
}

static void put_benefit(struct sd_page *g, const struct sd_bench_row *r)
{
	const struct sd_interval v = sd_bench_row_value(r);
	char pages[16] = "";

	sd_bench_row_key(r, "benefit", pages, sizeof pages);
	sd_page_wrap(g, "  ", 2,
		"%s pages: memory answers %.2fx as fast (%.2f-%.2f) to random loads", pages,
		v.value, v.low, v.high);
}

static void put_missing(struct sd_page *g, const struct sd_bench_row *r)
{
	sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 4, "%s: %s", r->variant,
		r->why[0] ? r->why : sd_status_name(r->status));
}

void sd_bench_section_latency(struct sd_page *g, const struct sd_profile *p, int all)
{
	size_t shown = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, "latency") != 0)
			continue;
		if (shown++ == 0)
			sd_page_put(g, SD_TONE_BOLD, "\nLatency of a dependent load\n");
		if (!sd_bench_row_has(r))
			put_missing(g, r);
		else if (sd_bench_row_is(r, "effective", NULL))
			put_effective(g, r);
		else if (sd_bench_row_is(r, "benefit", NULL))
			put_benefit(g, r);
		else if (sd_bench_row_is(r, "level", NULL))
			put_level(g, p, r);
	}
	if (shown)
		plot_latency(g, p);
	if (shown && all)
		sd_bench_section_rows(g, p, "latency", 1);
}

/* ---- loaded latency -------------------------------------------------------------------------- */

void sd_bench_section_loaded(struct sd_page *g, const struct sd_profile *p, int all)
{
	static const char *const mix[] = {"read", "2:1", "1:1"};
	static const char mark[] = {'r', '2', '1'};
	struct sd_points c[3] = {{0}};
	struct sd_plot plot = {.x_label = "GB/s of the other cores",
		.y_label = "ns",
		.columns = PLOT_COLUMNS,
		.rows = PLOT_ROWS};
	unsigned cores = 0;
	int ok = 1;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, "loaded") != 0)
			continue;
		if (!sd_bench_row_has(r) && cores == 0)
			sd_page_put(g, SD_TONE_DOUBT, "\nloaded latency: %s\n", r->why);
		cores = r->cores > cores ? r->cores : cores;
	}
	for (int i = 0; i < 3 && ok && cores > 0; i++) {
		ok = sd_points_open(&c[i], p);
		if (ok)
			sd_bench_curve_loaded(p, mix[i], cores, add_point, &c[i]);
		sd_points_draw(&c[i], &plot, (size_t)i, mark[i], mix[i]);
	}
	if (ok && c[0].n + c[1].n + c[2].n > 1) {
		sd_page_put(g, SD_TONE_PLAIN, "\n");
		sd_page_wrap_tone(g, SD_TONE_BOLD, "", 2,
			"Latency on one core while %u other%s data (reads:writes)", cores - 1,
			cores == 2 ? " moves" : "s move");
		sd_plot_draw(g, &plot);
		if (all)
			sd_bench_section_rows(g, p, "loaded", 1);
	}
	for (int i = 0; i < 3; i++)
		sd_points_free(&c[i]);
}
