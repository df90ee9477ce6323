#include "calibration/bench_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/bench_curves.h"
#include "calibration/bench_table.h"

#define TABLE_PAIRS 6u /* that many are a table, with their quartiles; more are a matrix */

/* Shades from near to far, in quarters of the range. */
static const char *shade(const struct sd_page *g, const struct sd_bench_matrix *m, double ns)
{
	static const char *const block[] = {"░", "▒", "▓", "█"}, *const plain[] = {
									 ".", ":", "+", "#"};
	const double part = m->high > m->low ? (ns - m->low) / (m->high - m->low) : 0;
	const size_t i = part >= 1 ? 3 : (size_t)(4 * part);

	return g->ascii ? plain[i] : block[i];
}

static void draw(struct sd_page *g, const struct sd_bench_matrix *m)
{
	const unsigned wide = m->n <= 12 ? 7 : 2; /* numbers while they fit, else shades */
	char text[16];

	sd_page_put(g, SD_TONE_DIM, "  CPU   ");
	for (size_t i = 0; i < m->n; i++) {
		snprintf(text, sizeof text, "%u", m->cpu[i]);
		sd_page_cell(g, SD_TONE_DIM,
			wide > 2 || m->cpu[i] < 10 ? text : text + strlen(text) - 1, wide, 1);
	}
	sd_page_put(g, SD_TONE_PLAIN, "\n");
	for (size_t a = 0; a < m->n; a++) {
		sd_page_put(g, SD_TONE_DIM, "  %5u ", m->cpu[a]);
		for (size_t b = 0; b < m->n; b++) {
			const struct sd_bench_row *const r = m->row[a][b];

			if (!r)
				sd_page_cell(g, SD_TONE_DIM, "-", wide, 1);
			else if (wide > 2) {
				snprintf(text, sizeof text, "%s%.0f", shade(g, m, r->median),
					r->median);
				sd_page_cell(g, SD_TONE_PLAIN, text, wide, 1);
			} else
				sd_page_cell(g, SD_TONE_PLAIN, shade(g, m, r->median), wide, 1);
		}
		sd_page_put(g, SD_TONE_PLAIN, "\n");
	}
	sd_page_put(g, SD_TONE_DIM, "  %s near %.0f ns  %s far %.0f ns\n", shade(g, m, m->low),
		m->low, shade(g, m, m->high), m->high);
}

static const char *const op[] = {"load-store", "cas"};

static void draw_matrices(struct sd_page *g, const struct sd_profile *p)
{
	struct sd_bench_matrix *m = malloc(sizeof *m);

	g->failed |= !m;
	for (unsigned s = 0; m && s < SD_STATES_MAX; s++)
		for (size_t o = 0; o < sizeof op / sizeof *op; o++) {
			sd_bench_matrix_fill(m, p, op[o], s);
			if (m->n < 2)
				continue;
			sd_page_put(g, SD_TONE_BOLD,
				"\nRound trip of a line between two CPUs, ns, %s%s\n", op[o],
				sd_bench_state_title(p, s));
			draw(g, m);
		}
	free(m);
}

/* Pairs are told apart by their CPUs, which are no part of the variant. */
static void put_pair(
	struct sd_table *t, const struct sd_profile *p, const struct sd_bench_row *pair, int state)
{
	static const char *const line[] = {"median", "nearest"};

	sd_table_line(t, "%s", pair->cpus);
	for (size_t o = 0; o < sizeof op / sizeof *op; o++)
		for (size_t l = 0; l < sizeof line / sizeof *line; l++) {
			char words[64];
			const struct sd_pick_query q = {.kernel = "transfer",
				.words = words,
				.cpus = pair->cpus,
				.state = state};

			snprintf(words, sizeof words, "op=%s line=%s", op[o], line[l]);
			sd_table_value(t, sd_profile_pick(p, &q), SD_SCALE_PLAIN);
		}
}

/* The first row of each pair; how many pairs there are, TABLE_PAIRS + 1 for more than that. */
static size_t find_pairs(
	const struct sd_profile *p, const struct sd_bench_row *pair[TABLE_PAIRS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < p->rows.n && n <= TABLE_PAIRS; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		int is_new = strcmp(r->kernel, "transfer") == 0 && r->cores == 2;

		for (size_t k = 0; is_new && k < n; k++)
			is_new = strcmp(pair[k]->cpus, r->cpus) != 0;
		if (is_new)
			pair[n++] = r;
	}
	return n;
}

void sd_bench_section_pairs(struct sd_page *g, const struct sd_profile *p, int all)
{
	const struct sd_bench_row *pair[TABLE_PAIRS + 1];
	const size_t n = find_pairs(p, pair);

	if (n > 1)
		draw_matrices(g, p);
	for (unsigned s = 0; n <= TABLE_PAIRS && s < sd_bench_states(p); s++) {
		struct sd_table t;

		sd_table_begin(&t, g, "Round trip of a line between two CPUs, ns%s",
			sd_bench_state_title(p, s));
		sd_table_column(&t, "", "CPUs");
		for (size_t o = 0; o < sizeof op / sizeof *op; o++) {
			sd_table_column(&t, op[o], "median line");
			sd_table_column(&t, "", "nearest");
		}
		for (size_t i = 0; i < n; i++)
			put_pair(&t, p, pair[i], sd_bench_state(p, s));
		sd_table_end(&t);
	}
	sd_bench_section_end(g, p, "transfer", all);
}
