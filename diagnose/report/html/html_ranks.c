#include "html/html_sections.h"

#include <math.h>

/* Ranks of a node are cells of its row: as many as a row of the map has. */
#define CELLS 64u

/* From what is idle to what computes all the time: one hue, more of it. */
static void put_cell(FILE *f, double share)
{
	const int percent = (int)lround(100 * fmin(1, fmax(0, share)));

	fprintf(f,
		"<i style=\"display:inline-block;width:.6em;height:1em;background:hsl(212 70%% %d%%)\" "
		"title=\"%d %%\"></i>",
		95 - percent * 6 / 10, percent);
}

/* Of more ranks than cells a cell has the mean of those next to each other. */
static void put_cells(FILE *f, const struct sd_rank_losses *l, const struct sd_rank_node *n)
{
	const unsigned cells = n->ranks < CELLS ? n->ranks : CELLS;

	for (unsigned i = 0; i < cells; i++) {
		const unsigned from = (unsigned)((unsigned long)i * n->ranks / cells);
		const unsigned to = (unsigned)((unsigned long)(i + 1) * n->ranks / cells);
		double sum = 0;

		for (unsigned k = from; k < to; k++)
			sum += (double)l->share[n->first + k];
		put_cell(f, sum / (to - from));
	}
}

static void put_nodes(FILE *f, const struct sd_rank_losses *l)
{
	fputs("<div class=\"scroll\"><table><thead><tr><th class=\"left\">node</th><th>ranks</th><th>computes least</th><th>mean</th><th>most</th><th>rank</th><th class=\"left\">its ranks, darker computes more</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < l->n_node; i++) {
		const struct sd_rank_node *const n = &l->node[i];

		fputs("<tr><td class=\"left\">", f);
		sd_html_text(f, n->name);
		fprintf(f,
			"</td><td>%u%s</td><td>%.0f %%</td><td>%.0f %%</td><td>%.0f %%</td><td>%u</td><td class=\"left\">",
			n->ranks, n->lost ? ", some lost" : "", 100 * n->least, 100 * n->mean,
			100 * n->most, n->busiest);
		put_cells(f, l, n);
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_rows(FILE *f, const struct sd_rank_losses *l)
{
	fputs("<div class=\"scroll\"><table><thead><tr><th>rank</th><th>computes s</th><th>in MPI s</th><th>MPI-IO s</th><th>without a CPU s</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < l->n_row; i++)
		fprintf(f,
			"<tr><td>%u%s</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n",
			l->row[i].rank, l->row[i].lost ? " (lost)" : "", l->row[i].useful,
			l->row[i].mpi, l->row[i].io, l->row[i].delay);
	fputs("</tbody></table></div>\n", f);
	if (l->ranks > l->n_row)
		fprintf(f,
			"<p class=\"soft\">The %zu ranks that differ most from the mean, of %u.</p>\n",
			l->n_row, l->ranks);
}

void sd_html_ranks(FILE *f, const struct sd_analysis *a)
{
	const struct sd_rank_losses *const l = &a->ranks;

	if (!l->known)
		return;
	fprintf(f,
		"<h2 id=\"ranks\">MPI ranks</h2><p class=\"soft\">%u ranks of %s, %.3f s from MPI_Init to MPI_Finalize. ",
		l->ranks, l->library, l->elapsed);
	if (l->divided)
		fprintf(f, "Load balance %.1f %%, serialisation %.1f %%, transfer %.1f %%.</p>\n",
			100 * l->load_balance, 100 * l->serialisation, 100 * l->transfer);
	else {
		fprintf(f, "Load balance %.1f %%; not divided further: ", 100 * l->load_balance);
		sd_html_text(f, l->why);
		fputs(".</p>\n", f);
	}
	put_nodes(f, l);
	put_rows(f, l);
	if (l->waits.n)
		fputs("<ul>\n", f);
	for (size_t i = 0; i < l->waits.n; i++) {
		fputs("<li>", f);
		sd_html_text(f, l->waits.text[i]);
		fputs("</li>\n", f);
	}
	if (l->waits.n)
		fputs("</ul>\n", f);
}
