#include "history/history_report.h"

#include <math.h>

#include "html/html_sections.h"
#include "page/interval_text.h"

/* The picture: efficiency over the records, a line a core count. In its own units. */
enum { WIDTH = 720, HEIGHT = 240, LEFT = 44, RIGHT = 70, TOP = 12, BOTTOM = 24 };

struct span {
	const struct sd_history *h;
	double most; /* of the axis */
};

static const struct sd_history_point *point_at(const struct sd_history_row *row, unsigned cores)
{
	for (size_t i = 0; i < row->n_point; i++)
		if (row->point[i].cores == cores && sd_status_measured(row->point[i].efficiency))
			return &row->point[i];
	return NULL;
}

static double x_of(const struct span *s, size_t i)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * ((double)i + .5) / (double)s->h->n;
}

static double y_of(const struct span *s, double efficiency)
{
	const double share = fmin(fmax(efficiency / s->most, 0), 1);

	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static void put_axis(FILE *f, const struct span *s)
{
	for (int i = 0; i <= 4; i++) {
		const double at = s->most * i / 4, y = y_of(s, at);

		fprintf(f,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"var(--rule)\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" "
			"fill=\"var(--soft)\" font-size=\"12\">%.0f %%</text>\n",
			LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, 100 * at);
	}
}

static void put_title(FILE *f, const struct sd_history_row *row, const struct sd_history_point *p)
{
	char commit[80], time[32], cause[128];

	sd_history_commit(row, commit);
	sd_history_time(row, time);
	sd_history_cause(row, cause);
	fputs("<title>", f);
	sd_html_text(f, commit);
	fprintf(f, " %s: %.0f %% at %u cores; ", time, 100 * p->efficiency.value, p->cores);
	sd_html_text(f, cause);
	fputs("</title>", f);
}

/* Counts are told apart by the line's pattern and a label as well as by colour. */
static void put_line(FILE *f, const struct span *s, unsigned cores, size_t number)
{
	static const char *const colour[] = {
		"var(--accent)", "var(--good)", "var(--bad)", "var(--doubt)", "var(--soft)"};
	static const char *const dash[] = {"none", "6 3", "2 3", "8 3 2 3"};
	const char *const stroke = colour[number % 5];
	double x = 0, y = 0;

	fprintf(f,
		"<g fill=\"none\" stroke=\"%s\" stroke-width=\"2\"><polyline "
		"stroke-dasharray=\"%s\" points=\"",
		stroke, dash[number / 5 % 4]);
	for (size_t i = 0; i < s->h->n; i++) {
		const struct sd_history_point *const p = point_at(&s->h->row[i], cores);

		if (p) {
			x = x_of(s, i);
			y = y_of(s, p->efficiency.value);
			fprintf(f, "%.1f,%.1f ", x, y);
		}
	}
	fputs("\"/>\n", f);
	for (size_t i = 0; i < s->h->n; i++) {
		const struct sd_history_row *const row = &s->h->row[i];
		const struct sd_history_point *const p = point_at(row, cores);

		if (!p)
			continue;
		if (sd_status_bounded(p->efficiency) && p->runs > 1)
			fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
				x_of(s, i), x_of(s, i), y_of(s, p->efficiency.low),
				y_of(s, p->efficiency.high));
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\">", x_of(s, i),
			y_of(s, p->efficiency.value), stroke);
		put_title(f, row, p);
		fputs("</circle>\n", f);
	}
	fprintf(f, "</g><text x=\"%d\" y=\"%.1f\" fill=\"%s\" font-size=\"12\">%u cores</text>\n",
		WIDTH - RIGHT + 6, y + 4, stroke, cores);
}

/* The core counts of all rows above one, rising: the smallest that is greater than `last`; 0 none.
 */
static unsigned next_cores(const struct span *s, unsigned last)
{
	unsigned next = 0;

	for (size_t i = 0; i < s->h->n; i++)
		for (size_t k = 0; k < s->h->row[i].n_point; k++) {
			const unsigned cores = s->h->row[i].point[k].cores;

			if (cores > last && (!next || cores < next))
				next = cores;
		}
	return next;
}

void sd_history_picture(FILE *f, const struct sd_history *h)
{
	struct span span = {.h = h, .most = 1}, *const s = &span;
	size_t number = 0;

	for (size_t i = 0; i < s->h->n; i++)
		for (size_t k = 0; k < s->h->row[i].n_point; k++) {
			const struct sd_interval e = s->h->row[i].point[k].efficiency;

			if (sd_status_measured(e) && isfinite(e.value))
				s->most = fmax(s->most, ceil(4 * fmin(e.value, 1e6)) / 4);
		}
	fprintf(f,
		"<figure><figcaption>Efficiency, 95 %% intervals</figcaption><div "
		"class=\"scroll\"><svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
		"aria-label=\"Efficiency over the records; the table below has the numbers\">\n",
		WIDTH, HEIGHT);
	put_axis(f, s);
	/* the first count is what the others are compared with: always 100 % */
	for (unsigned cores = next_cores(s, next_cores(s, 0)); cores; cores = next_cores(s, cores))
		put_line(f, s, cores, number++);
	fputs("</svg></div></figure>\n", f);
}
