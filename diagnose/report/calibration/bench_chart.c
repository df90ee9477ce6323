#include "calibration/bench_chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/one_more.h"
#include "html/html_sections.h"
#include "page/plot.h"

/* In the picture's own units. */
enum { WIDTH = 760, HEIGHT = 300, LEFT = 64, RIGHT = 28, TOP = 24, BOTTOM = 40 };

struct axis {
	double low, high;
	int log;
	int whole; /* cores, threads: there is no half of one */
};

static const char *const colours[] = {
	"var(--accent)", "var(--good)", "var(--bad)", "var(--doubt)", "#8a63d2", "#1098ad"};
#define COLOURS (sizeof colours / sizeof *colours)

struct sd_chart_series *sd_chart_begin_series(
	struct sd_chart *c, const char *name, unsigned colour, int earlier)
{
	struct sd_chart_series *s;

	if (c->n == SD_CHART_SERIES)
		return NULL;
	s = &c->series[c->n++];
	*s = (struct sd_chart_series){.colour = colour, .earlier = earlier};
	snprintf(s->name, sizeof s->name, "%s%s", name, earlier ? ", before" : "");
	return s;
}

void sd_chart_add_point(struct sd_chart *c, struct sd_chart_series *s, struct sd_chart_point p)
{
	if (!s || !isfinite(p.x) || !isfinite(p.y) || (c->log_x && p.x <= 0) ||
		(c->log_y && p.y <= 0))
		return;
	if (SD_APPEND(s->point, s->n, &p)) {
		c->failed = 1;
		return;
	}
}

/* ---- axes ------------------------------------------------------------------------------------ */

static double place(const struct axis *a, double v, double from, double to)
{
	const double low = a->log ? log(a->low) : a->low, high = a->log ? log(a->high) : a->high;
	const double at = a->log ? log(fmax(v, a->low)) : v;

	return high > low ? from + (to - from) * fmin(fmax((at - low) / (high - low), 0), 1)
			  : (from + to) / 2;
}

static double x_of(const struct axis *a, double v)
{
	return place(a, v, LEFT, WIDTH - RIGHT);
}

static double y_of(const struct axis *a, double v)
{
	return place(a, v, HEIGHT - BOTTOM, TOP);
}

static void widen(struct axis *a, double v, int *any)
{
	a->low = *any ? fmin(a->low, v) : v;
	a->high = *any ? fmax(a->high, v) : v;
	*any = 1;
}

/* A value that is round to the eye: 1, 2 or 5 times a power of ten. */
static double round_step(double span)
{
	const double power = pow(10, floor(log10(span)));

	return span / power < 2 ? power / 2 : span / power < 5 ? power : 2 * power;
}

static void put_label(FILE *f, const struct axis *a, double v, int x, int bytes)
{
	char text[32];

	if (bytes)
		sd_plot_bytes(v, text, sizeof text);
	else
		snprintf(text, sizeof text, "%.4g", v);
	if (x)
		fprintf(f,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"var(--rule)\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x_of(a, v), x_of(a, v), TOP, HEIGHT - BOTTOM, x_of(a, v),
			HEIGHT - BOTTOM + 15, text);
	else
		fprintf(f,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"var(--rule)\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT, WIDTH - RIGHT, y_of(a, v), y_of(a, v), LEFT - 6, y_of(a, v) + 4,
			text);
}

/* Bytes by powers of four; other logarithms by 1, 2, 5. */
static void put_ticks(FILE *f, const struct axis *a, int x, int bytes)
{
	static const double steps[] = {1, 2, 5};

	if (!a->log) {
		const double fine = round_step(a->high - a->low > 0 ? a->high - a->low : 1);
		const double step = a->whole ? fmax(1, fine) : fine;

		for (long i = lround(ceil(a->low / step)), n = lround(floor(a->high / step + 1e-9));
			i <= n; i++)
			put_label(f, a, (double)i * step, x, bytes);
		return;
	}
	if (bytes) {
		for (int power = 10; ldexp(1, power) <= a->high * 1.001; power += 2)
			if (ldexp(1, power) >= a->low * .999)
				put_label(f, a, ldexp(1, power), x, 1);
		return;
	}
	for (int power = (int)floor(log10(a->low)); pow(10, power) <= a->high; power++)
		for (size_t i = 0; i < 3; i++) {
			const double v = pow(10, power) * steps[i];

			if (v >= a->low * .999 && v <= a->high * 1.001)
				put_label(f, a, v, x, 0);
		}
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void put_series(
	FILE *f, const struct sd_chart_series *s, const struct axis *x, const struct axis *y)
{
	const char *const colour = colours[s->colour % COLOURS];

	fprintf(f, "<g stroke=\"%s\" fill=\"none\"%s><polyline stroke-width=\"2\"%s points=\"",
		colour, s->earlier ? " opacity=\".6\"" : "",
		s->earlier ? " stroke-dasharray=\"5 4\"" : "");
	for (size_t i = 0; i < s->n; i++)
		fprintf(f, "%.1f,%.1f ", x_of(x, s->point[i].x), y_of(y, s->point[i].y));
	fputs("\"/>\n", f);
	for (size_t i = 0; i < s->n; i++) {
		const struct sd_chart_point *const p = &s->point[i];

		fprintf(f,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>",
			x_of(x, p->x), x_of(x, p->x), y_of(y, p->low), y_of(y, p->high),
			x_of(x, p->x), y_of(y, p->y), colour);
		sd_html_text(f, s->name);
		fprintf(f, ": %.4g (%.4g–%.4g)</title></circle>\n", p->y, p->low, p->high);
	}
	fputs("</g>\n", f);
}

static void put_legend(FILE *f, const struct sd_chart *c)
{
	fputs("<p class=\"legend\">", f);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->series[i].n)
			continue;
		fprintf(f, "<span style=\"color:%s\">%s</span> ",
			colours[c->series[i].colour % COLOURS], c->series[i].earlier ? "╌╌" : "━━");
		sd_html_text(f, c->series[i].name);
		fputs(" &emsp;", f);
	}
	fputs("</p>\n", f);
}

static void put_table(FILE *f, const struct sd_chart *c)
{
	fprintf(f,
		"<details><summary>The numbers</summary><table><thead><tr><th>curve</th>"
		"<th>%s</th><th>%s</th><th>interval</th></tr></thead><tbody>\n",
		c->x_label, c->y_label);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->series[i].n; k++) {
			const struct sd_chart_point *const p = &c->series[i].point[k];
			char x[32];

			if (c->x_bytes)
				sd_plot_bytes(p->x, x, sizeof x);
			else
				snprintf(x, sizeof x, "%.4g", p->x);
			fputs("<tr><td>", f);
			sd_html_text(f, c->series[i].name);
			fprintf(f, "</td><td>%s</td><td>%.4g</td><td>%.4g–%.4g</td></tr>\n", x,
				p->y, p->low, p->high);
		}
	fputs("</tbody></table></details>\n", f);
}

static int find_axes(const struct sd_chart *c, struct axis *x, struct axis *y)
{
	int any_x = 0, any_y = 0;

	*x = (struct axis){.log = c->log_x, .whole = 1};
	*y = (struct axis){.log = c->log_y};
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->series[i].n; k++) {
			const struct sd_chart_point *const p = &c->series[i].point[k];

			widen(x, p->x, &any_x);
			x->whole &= !(p->x > floor(p->x));
			widen(y, p->y, &any_y);
			widen(y, c->log_y ? fmax(p->low, p->y / 10) : p->low, &any_y);
			widen(y, p->high, &any_y);
		}
	if (!c->log_y)
		y->low = fmin(y->low, 0);
	return any_x;
}

int sd_chart_put(FILE *f, struct sd_chart *c)
{
	struct axis x, y;
	const int failed = c->failed;

	if (find_axes(c, &x, &y)) {
		fprintf(f,
			"<section><h2>%s</h2>\n<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" "
			"aria-label=\"%s; the numbers are in the table below\" font-size=\"12\" "
			"fill=\"var(--soft)\" style=\"max-width:%dpx;width:100%%\">\n",
			c->title, WIDTH, HEIGHT, c->title, WIDTH + 140);
		put_ticks(f, &x, 1, c->x_bytes);
		put_ticks(f, &y, 0, 0);
		fprintf(f,
			"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
			"<text x=\"%d\" y=\"%d\">%s</text>\n",
			WIDTH - RIGHT, HEIGHT - 8, c->x_label, LEFT, TOP - 8, c->y_label);
		for (size_t i = 0; i < c->n; i++)
			put_series(f, &c->series[i], &x, &y);
		fputs("</svg></figure>\n", f);
		put_legend(f, c);
		put_table(f, c);
		fputs("</section>\n", f);
	}
	for (size_t i = 0; i < c->n; i++)
		free(c->series[i].point);
	c->n = 0;
	return failed ? -ENOMEM : 0;
}
