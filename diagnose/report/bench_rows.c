#include "bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "plot.h"

#define ROWS_SHOWN 16u

static void put_parameter(const struct sd_bench_row *r, char *out, size_t size)
{
	if (r->parameter_unit[0] == '\0')
		snprintf(out, size, "%s", "");
	else if (r->parameter_unit[0] == 'B' && r->parameter > 0)
		sd_plot_bytes(r->parameter, out, size);
	else
		snprintf(out, size, "%.4g %s", r->parameter, r->parameter_unit);
}

static void put_row(struct sd_page *g, const struct sd_bench_row *r, unsigned states, size_t width)
{
	char median[24], q1[24], q3[24], parameter[64], value[160], state[16] = "";

	if (states > 1)
		snprintf(state, sizeof state, " s%u", r->state);
	put_parameter(r, parameter, sizeof parameter);
	sd_page_put(g, SD_TONE_PLAIN, "  ");
	sd_page_cell(g, SD_TONE_PLAIN, r->variant, width, 0);
	snprintf(value, sizeof value, "%3u%s", r->cores, state);
	sd_page_cell(g, SD_TONE_DIM, value, states > 1 ? 7 : 4, 0);
	sd_page_cell(g, SD_TONE_DIM, parameter, 12, 1);
	if (!sd_bench_has(r)) {
		sd_page_put(
			g, SD_TONE_DOUBT, "  %s\n", r->why[0] ? r->why : sd_status_name(r->status));
		return;
	}
	sd_bench_number(r->median, median, sizeof median);
	sd_bench_number(r->q1, q1, sizeof q1);
	sd_bench_number(r->q3, q3, sizeof q3);
	sd_page_cell(g, SD_TONE_BOLD, median, 9, 1);
	snprintf(value, sizeof value, " %-5s (%s-%s)%s", r->unit, q1, q3,
		r->status == SD_STATUS_NOISY ? " noisy" : "");
	sd_page_put(g, r->status == SD_STATUS_NOISY ? SD_TONE_DOUBT : SD_TONE_PLAIN, "%s\n", value);
}

/* Columns for the variants of a kernel, and two between. */
static size_t widest(const struct sd_profile *p, const char *kernel)
{
	size_t width = strlen("variant");

	for (size_t i = 0; i < p->rows.n; i++) {
		const size_t n = strlen(p->rows.row[i].variant);

		if (strcmp(p->rows.row[i].kernel, kernel) == 0 && n > width)
			width = n;
	}
	return width + 2;
}

void sd_bench_section_rows(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all)
{
	const size_t width = widest(p, kernel);
	size_t shown = 0, hidden = 0;

	sd_page_put(g, SD_TONE_BOLD, "\n%s\n", kernel);
	sd_page_put(g, SD_TONE_DIM, "  %-*s%s\n", (int)width, "variant",
		p->states.n > 1 ? "cores s" : "cores");
	for (size_t i = 0; i < p->rows.n; i++) {
		if (strcmp(p->rows.row[i].kernel, kernel) != 0)
			continue;
		if (!all && shown == ROWS_SHOWN) {
			hidden++;
			continue;
		}
		put_row(g, &p->rows.row[i], p->states.n, width);
		shown++;
	}
	if (hidden > 0)
		sd_page_put(g, SD_TONE_DIM,
			"  and %zu more: scalediag calibrate %s, or --format csv\n", hidden,
			kernel);
}
