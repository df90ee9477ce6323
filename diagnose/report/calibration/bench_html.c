#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/node_numbers.h"
#include "calibration/bench_chart.h"
#include "calibration/bench_curves.h"
#include "calibration/bench_report.h"
#include "calibration/bench_sections.h"
#include "html/html_sections.h"

#define COUNTS 64u
#define LOCKS 6u  /* curves, each with its earlier one */
#define KNEE 0.95 /* of the most that all counts reach */

/* This calibration and the earlier one, NULL: there is none. */
struct both {
	const struct sd_profile *p[2];
};

static struct sd_chart_point point_of(double x, const struct sd_bench_row *r, double factor)
{
	const struct sd_interval v = sd_bench_row_value(r);

	return (struct sd_chart_point){x, factor * v.value, factor * v.low, factor * v.high};
}

/* ---- the curves ------------------------------------------------------------------------------ */

/* A series while it grows. */
struct growing {
	struct sd_chart *chart;
	struct sd_chart_series *series;
};

static void add_point(void *to, double x, const struct sd_bench_row *r)
{
	struct growing *const g = to;

	sd_chart_add_point(g->chart, g->series, point_of(x, r, 1));
}

static void add_staircase(struct sd_chart *c, const struct sd_profile *p, int huge, int earlier)
{
	struct growing g = {c, sd_chart_begin_series(c, huge ? "huge pages" : "4 KiB pages",
				       (unsigned)huge, earlier)};

	sd_bench_curve_latency(p, huge, add_point, &g);
}

static void add_loaded(struct sd_chart *c, const struct sd_profile *p, const char *mix,
	unsigned colour, int earlier)
{
	struct growing g = {c, sd_chart_begin_series(c, mix, colour, earlier)};

	sd_bench_curve_loaded(p, mix, 0, add_point, &g);
}

static void add_over_cores(struct sd_chart *c, const struct sd_profile *p, const char *name,
	struct sd_pick_query q, double factor, unsigned colour, int earlier)
{
	struct sd_chart_series *const s = sd_chart_begin_series(c, name, colour, earlier);
	unsigned count[COUNTS];
	const size_t n = sd_profile_counts(p, q.kernel, count, COUNTS);

	q.state = p->states.n > 1 ? (int)sd_profile_main_state(p) : SD_PICK_ANY_STATE;
	for (size_t i = 0; i < n; i++) {
		const struct sd_bench_row *r;

		q.cores = count[i];
		r = sd_profile_pick(p, &q);
		if (r && sd_bench_row_has(r))
			sd_chart_add_point(c, s, point_of(count[i], r, factor));
	}
}

static int put_latency(FILE *f, const struct both *b)
{
	struct sd_chart stairs = {.title = "Latency of a dependent load",
		.x_label = "working set",
		.y_label = "ns",
		.log_x = 1,
		.log_y = 1,
		.x_bytes = 1};
	static const char *const mix[] = {"read", "2:1", "1:1"};
	struct sd_chart loaded = {.title = "Latency beside other cores' traffic (reads:writes)",
		.x_label = "GB/s of the others",
		.y_label = "ns"};
	int rc;

	for (int e = 0; e < 2 && b->p[e]; e++) {
		add_staircase(&stairs, b->p[e], 0, e);
		add_staircase(&stairs, b->p[e], 1, e);
		for (unsigned i = 0; i < 3; i++)
			add_loaded(&loaded, b->p[e], mix[i], i, e);
	}
	rc = sd_chart_put(f, &stairs);
	return sd_chart_put(f, &loaded) ? -ENOMEM : rc;
}

/* The least cores that have nearly all of the bandwidth. */
static void put_knee(FILE *f, const struct sd_profile *p)
{
	struct sd_pick_query q = {.words = "bytes=counted",
		.unit = "GB/s",
		.state = p->states.n > 1 ? (int)sd_profile_main_state(p) : SD_PICK_ANY_STATE,
		.pick = SD_PICK_MOST};
	unsigned count[COUNTS], knee = 0;
	const size_t n = sd_profile_counts(p, "read", count, COUNTS);
	double most = 0;

	q.kernel = "read";
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct sd_bench_row *r;

			q.cores = count[i];
			r = sd_profile_pick(p, &q);
			if (!r || !sd_bench_row_has(r))
				continue;
			if (pass == 0)
				most = fmax(most, r->median);
			else if (!knee && r->median >= KNEE * most)
				knee = count[i];
		}
	if (knee)
		fprintf(f,
			"<p>Knee: %u core%s read %.0f %% of the most that any count reads.</p>\n",
			knee, knee == 1 ? "" : "s", 100 * KNEE);
	if (sd_has(p->memory_peak) && p->memory_peak.value > 0 && most > 0)
		fprintf(f,
			"<p>The memory modules could deliver %.1f GB/s; reading reaches %.1f GB/s, "
			"%.0f %% of it.</p>\n",
			p->memory_peak.value / 1e9, most, 100 * most * 1e9 / p->memory_peak.value);
	else if (p->memory_peak.status == SD_STATUS_DENIED)
		fputs("<p>What the memory modules could deliver is known to root only.</p>\n", f);
}

static int put_bandwidth(FILE *f, const struct both *b)
{
	static const struct {
		const char *name, *kernel, *words;
	} loops[] = {
		{"read", "read", "bytes=counted"},
		{"triad, regular stores", "triad", "bytes=counted stores=regular"},
		{"triad, non-temporal stores", "triad", "bytes=counted stores=nt"},
	};
	struct sd_chart c = {
		.title = "Memory bandwidth over cores", .x_label = "cores", .y_label = "GB/s"};
	int rc;

	for (int e = 0; e < 2 && b->p[e]; e++)
		for (unsigned i = 0; i < 3; i++)
			add_over_cores(&c, b->p[e], loops[i].name,
				(struct sd_pick_query){.kernel = loops[i].kernel,
					.words = loops[i].words,
					.unit = "GB/s",
					.pick = SD_PICK_MOST},
				1, i, e);
	rc = sd_chart_put(f, &c);
	put_knee(f, b->p[0]);
	return rc;
}

static int put_locks(FILE *f, const struct both *b)
{
	char lock[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = sd_bench_words(b->p[0], "locks", "lock", lock, SD_BENCH_WORDS);
	struct sd_chart c = {.title = "Locks: acquisitions over threads, nothing inside",
		.x_label = "threads",
		.y_label = "million/s"};

	for (int e = 0; e < 2 && b->p[e]; e++)
		for (unsigned i = 0; i < n && i < LOCKS; i++) {
			char words[128];

			snprintf(words, sizeof words,
				"lock=%.48s quantity=throughput inside=0ns outside=0ns", lock[i]);
			add_over_cores(&c, b->p[e], lock[i],
				(struct sd_pick_query){.kernel = "locks",
					.words = words,
					.unit = "1/s",
					.pick = SD_PICK_MOST},
				1e-6, i, e);
		}
	return sd_chart_put(f, &c);
}

/* ---- line transfer --------------------------------------------------------------------------- */

static void put_cell(FILE *f, const struct sd_bench_matrix *m, size_t i, size_t k)
{
	const struct sd_bench_row *const r = m->row[i][k];
	struct sd_interval v;

	if (!r) {
		fputs("<td>–</td>", f);
		return;
	}
	v = sd_bench_row_value(r);
	fprintf(f,
		"<td style=\"text-align:right;background:rgba(217,72,15,%.2f)\" title=\"CPUs %u and "
		"%u: %.4g–%.4g ns\">%.0f</td>",
		m->high > m->low ? .6 * (r->median - m->low) / (m->high - m->low) : 0, m->cpu[i],
		m->cpu[k], v.low, v.high, v.value);
}

static void put_transfer(FILE *f, const struct sd_profile *p, const char *title)
{
	struct sd_bench_matrix m;

	sd_bench_matrix_fill(&m, p, "load-store", sd_profile_main_state(p));
	if (m.n < 2)
		return;
	fprintf(f,
		"<section><h2>%s</h2><p>Round trip of a contested line between two CPUs, ns; "
		"%.4g to %.4g.</p><table><thead><tr><th>CPU</th>",
		title, m.low, m.high);
	for (size_t i = 0; i < m.n; i++)
		fprintf(f, "<th>%u</th>", m.cpu[i]);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < m.n; i++) {
		fprintf(f, "<tr><th>%u</th>", m.cpu[i]);
		for (size_t k = 0; k < m.n; k++)
			put_cell(f, &m, i, k);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></section>\n", f);
}

/* ---- what matters first ---------------------------------------------------------------------- */

static void put_number(FILE *f, const struct both *b, size_t i)
{
	const struct sd_interval v = sd_node_numbers_value(b->p[0], i);
	const struct sd_interval w = b->p[1] ? sd_node_numbers_value(b->p[1], i)
					     : (struct sd_interval){.status = SD_STATUS_ABSENT};

	if (!sd_status_bounded(v) && !sd_status_bounded(w))
		return;
	fprintf(f, "<tr><td>%s</td>", sd_node_numbers_name(i));
	if (sd_status_bounded(v))
		fprintf(f, "<td>%.4g %s</td><td>%.4g–%.4g</td>", v.value, sd_node_numbers_unit(i),
			v.low, v.high);
	else
		fputs("<td>–</td><td></td>", f);
	if (b->p[1] && sd_status_bounded(w))
		fprintf(f, "<td>%.4g</td><td>%.4g–%.4g</td>", w.value, w.low, w.high);
	else if (b->p[1])
		fputs("<td>–</td><td></td>", f);
	if (b->p[1] && sd_status_bounded(v) && sd_status_bounded(w) && w.value > 0)
		fprintf(f, "<td>%+.1f %%%s</td>", 100 * (v.value / w.value - 1),
			v.low > w.high || v.high < w.low ? " *" : "");
	fputs("</tr>\n", f);
}

static void put_numbers(FILE *f, const struct both *b)
{
	fprintf(f,
		"<section><h2>Numbers of all cores</h2><table><thead><tr><th>number</th>"
		"<th>now</th><th>interval</th>%s</tr></thead><tbody>\n",
		b->p[1] ? "<th>before</th><th>interval</th><th>change</th>" : "");
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		put_number(f, b, i);
	fprintf(f, "</tbody></table>%s</section>\n",
		b->p[1] ? "<p>* the intervals do not overlap.</p>" : "");
}

static void put_facts(FILE *f, const struct both *b)
{
	fputs("<section><h2>How the node is set up</h2><table><tbody>\n", f);
	for (int i = 0; i < SD_NODE_FACT_COUNT; i++) {
		const char *const now = b->p[0]->facts.text[i];
		const char *const before = b->p[1] ? b->p[1]->facts.text[i] : now;

		if (!now[0] && !before[0])
			continue;
		fprintf(f, "<tr><td>%s</td><td class=\"wrap\">", sd_node_fact_label[i]);
		sd_html_text(f, now[0] ? now : "not known");
		if (strcmp(now, before) != 0) {
			fputs("; before: ", f);
			sd_html_text(f, before[0] ? before : "not known");
		}
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></section>\n", f);
}

int sd_bench_html(FILE *f, const struct sd_profile *p, const struct sd_profile *earlier)
{
	const struct both b = {{p, earlier}};
	char missing[200];
	int rc;

	sd_html_head(f, p->key.host);
	sd_html_around(f, "<main>\n<h1>", p->key.host, "</h1>\n<p>");
	sd_html_text(f, p->key.cpu);
	fprintf(f, ", %u CPUs, kernel ", p->granted);
	sd_html_text(f, p->key.kernel);
	fprintf(f, "%s%s</p>\n", p->quick ? "; a quick calibration" : "",
		sd_profile_was_quiet(p) ? ""
					: "; the machine was not quiet: numbers are less certain");
	if (sd_node_numbers_missing(p, missing, sizeof missing))
		fprintf(f, "<p><b>Not measured: %s.</b></p>\n", missing);
	put_numbers(f, &b);
	rc = put_bandwidth(f, &b);
	rc = put_latency(f, &b) ? -ENOMEM : rc;
	put_transfer(f, p, "Line transfer");
	if (earlier)
		put_transfer(f, earlier, "Line transfer, before");
	rc = put_locks(f, &b) ? -ENOMEM : rc;
	put_facts(f, &b);
	fputs("</main>\n</body>\n</html>\n", f);
	return rc ? rc : ferror(f) ? -EIO : 0;
}
