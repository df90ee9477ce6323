#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#define ROWS_SHOWN 16u

/* Columns of the variants of a kernel and of their parameters, and two between. */
struct widths {
	size_t variant, parameter;
};

static void put_row(struct sd_page *g, const struct sd_bench_row *r, unsigned states,
	const struct widths *width)
{
	const struct sd_interval v = sd_bench_row_value(r);
	char median[24], low[24], high[24], parameter[64], value[160], state[16] = "";

	if (states > 1)
		snprintf(state, sizeof state, " s%u", r->state);
	sd_bench_parameter(r, parameter, sizeof parameter);
	sd_page_put(g, SD_TONE_PLAIN, "  ");
	sd_page_cell(g, SD_TONE_PLAIN, r->variant, width->variant, 0);
	snprintf(value, sizeof value, "%3u%s", r->cores, state);
	sd_page_cell(g, SD_TONE_DIM, value, states > 1 ? 7 : 4, 0);
	sd_page_cell(g, SD_TONE_DIM, parameter, width->parameter, 1);
	if (!sd_bench_row_has(r)) {
		sd_page_put(
			g, SD_TONE_DOUBT, "  %s\n", r->why[0] ? r->why : sd_status_name(r->status));
		return;
	}
	sd_bench_quantity(r->median, r->unit, median, sizeof median);
	sd_bench_quantity(v.low, r->unit, low, sizeof low);
	sd_bench_quantity(v.high, r->unit, high, sizeof high);
	sd_page_cell(g, SD_TONE_BOLD, median, 9, 1);
	snprintf(value, sizeof value, " %-5s (%s-%s)%s", strcmp(r->unit, "B") == 0 ? "" : r->unit,
		low, high, r->status == SD_STATUS_NOISY ? " noisy" : "");
	sd_page_put(g, r->status == SD_STATUS_NOISY ? SD_TONE_DOUBT : SD_TONE_PLAIN, "%s\n", value);
}

static struct widths widest(const struct sd_profile *p, const char *kernel)
{
	struct widths w = {strlen("variant"), 0};
	char text[64];

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, kernel) != 0)
			continue;
		sd_bench_parameter(r, text, sizeof text);
		w.variant = strlen(r->variant) > w.variant ? strlen(r->variant) : w.variant;
		w.parameter = strlen(text) > w.parameter ? strlen(text) : w.parameter;
	}
	w.variant += 2;
	return w;
}

void sd_bench_section_rows(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all)
{
	const struct widths width = widest(p, kernel);
	size_t shown = 0, hidden = 0;

	sd_page_put(g, SD_TONE_BOLD, "\n%s\n", kernel);
	sd_page_put(g, SD_TONE_DIM, "  %-*s%s\n", (int)width.variant, "variant",
		p->states.n > 1 ? "cores s" : "cores");
	for (size_t i = 0; i < p->rows.n; i++) {
		if (strcmp(p->rows.row[i].kernel, kernel) != 0)
			continue;
		if (!all && shown == ROWS_SHOWN) {
			hidden++;
			continue;
		}
		put_row(g, &p->rows.row[i], p->states.n, &width);
		shown++;
	}
	if (hidden > 0)
		sd_page_put(g, SD_TONE_DIM,
			"  and %zu more: scalediag calibrate %s, or --format csv\n", hidden,
			kernel);
}
