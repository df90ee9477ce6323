#include "page/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 120u
#define ROWS_MAX 24u
#define AXIS 12u /* columns left of the box */

struct range {
	double low, high;
};

void sd_plot_bytes(double bytes, char *out, size_t size)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t u = 0;

	while (bytes >= 1024 && u + 1 < sizeof unit / sizeof *unit) {
		bytes /= 1024;
		u++;
	}
	snprintf(out, size, "%.*f %s", u > 0 && bytes < 10 ? 1 : 0, bytes, unit[u]);
}

static double scale(double v, int is_log)
{
	return is_log ? (v > 0 ? log(v) : NAN) : v;
}

static void widen(struct range *r, double v)
{
	if (!isfinite(v))
		return;
	r->low = v < r->low ? v : r->low;
	r->high = v > r->high ? v : r->high;
}

/* The ranges of all points, on the scale they are drawn in. 0 when there are fewer than
 * two points. */
static int find_ranges(const struct sd_plot *plot, struct range *x, struct range *y)
{
	size_t points = 0;

	*x = *y = (struct range){INFINITY, -INFINITY};
	for (size_t c = 0; c < plot->n_curve; c++)
		for (size_t i = 0; i < plot->curve[c].n; i++) {
			const double px = scale(plot->curve[c].x[i], plot->log_x),
				     py = scale(plot->curve[c].y[i], plot->log_y);

			if (!isfinite(px) || !isfinite(py))
				continue;
			widen(x, px);
			widen(y, py);
			points++;
		}
	if (!plot->log_y && y->low > 0)
		y->low = 0;
	return points >= 2;
}

static unsigned place(double v, struct range r, unsigned n)
{
	const double part = r.high > r.low ? (v - r.low) / (r.high - r.low) : 0;

	return (unsigned)lround(part * (n - 1));
}

static void draw_row(
	struct sd_page *p, const char *cells, unsigned columns, double value, int label)
{
	char text[COLUMNS_MAX + 1];

	memcpy(text, cells, columns);
	text[columns] = '\0';
	if (label)
		sd_page_put(p, SD_TONE_DIM, "  %8.3g ", value);
	else
		sd_page_put(p, SD_TONE_DIM, "           ");
	sd_page_put(p, SD_TONE_DIM, "%s", p->ascii ? "|" : "│");
	sd_page_put(p, SD_TONE_PLAIN, "%s\n", text);
}

static void draw_axis(
	struct sd_page *p, const struct sd_plot *plot, unsigned columns, struct range x)
{
	char low[32], high[32];
	const double from = plot->log_x ? exp(x.low) : x.low,
		     to = plot->log_x ? exp(x.high) : x.high;

	if (plot->x_bytes) {
		sd_plot_bytes(from, low, sizeof low);
		sd_plot_bytes(to, high, sizeof high);
	} else {
		snprintf(low, sizeof low, "%.4g", from);
		snprintf(high, sizeof high, to < 1e6 && to >= 1e4 ? "%.0f" : "%.4g", to);
	}
	sd_page_put(p, SD_TONE_DIM, "           %s", p->ascii ? "+" : "└");
	for (unsigned i = 0; i < columns; i++)
		sd_page_put(p, SD_TONE_DIM, "%s", p->ascii ? "-" : "─");
	sd_page_put(p, SD_TONE_DIM, "\n            %-*s%*s\n", (int)(columns / 2), low,
		(int)(columns - columns / 2), high);
}

void sd_plot_draw(struct sd_page *p, const struct sd_plot *plot)
{
	char cell[ROWS_MAX][COLUMNS_MAX];
	const unsigned room = p->width > AXIS ? p->width - AXIS : 0,
		       wanted = plot->columns < COLUMNS_MAX ? plot->columns : COLUMNS_MAX,
		       columns = wanted < room ? wanted : room,
		       rows = plot->rows < ROWS_MAX ? plot->rows : ROWS_MAX;
	struct range x, y;

	if (columns < 2 || rows < 2 || !find_ranges(plot, &x, &y))
		return;
	memset(cell, ' ', sizeof cell);
	for (size_t c = 0; c < plot->n_curve; c++)
		for (size_t i = 0; i < plot->curve[c].n; i++) {
			const double px = scale(plot->curve[c].x[i], plot->log_x),
				     py = scale(plot->curve[c].y[i], plot->log_y);

			if (isfinite(px) && isfinite(py))
				cell[rows - 1 - place(py, y, rows)][place(px, x, columns)] =
					plot->curve[c].mark;
		}
	sd_page_put(p, SD_TONE_DIM, "  %s over %s:", plot->y_label, plot->x_label);
	for (size_t c = 0; c < plot->n_curve; c++)
		sd_page_put(p, SD_TONE_DIM, "  %c %s", plot->curve[c].mark, plot->curve[c].name);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	for (unsigned r = 0; r < rows; r++) {
		/* the last one exactly: a difference would leave a rest of rounding */
		const double at =
			r == rows - 1 ? y.low : y.high - (y.high - y.low) * r / (rows - 1);

		draw_row(p, cell[r], columns, plot->log_y ? exp(at) : at,
			r == 0 || r == rows - 1 || r == rows / 2);
	}
	draw_axis(p, plot, columns, x);
}
