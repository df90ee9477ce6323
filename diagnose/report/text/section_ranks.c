#include "text/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/sanitize.h"

#define NODES 16 /* rows of nodes at most */
#define CELLS 16 /* of a row's ranks */
#define BAR 20

static void put_ratios(struct sd_page *p, const struct sd_rank_losses *l)
{
	sd_page_put(p, SD_TONE_BOLD, "MPI ranks");
	sd_page_put(p, SD_TONE_DIM,
		" (%u of %s on %zu node%s, %.3f s from MPI_Init to MPI_Finalize)\n", l->ranks,
		l->library, l->n_node, l->n_node == 1 ? "" : "s", l->elapsed);
	if (l->divided)
		sd_page_wrap(p, "  ", 2,
			"load balance %.1f %%, serialisation %.1f %%, transfer %.1f %% (POP: replayed with "
			"messages that take no time)",
			100 * l->load_balance, 100 * l->serialisation, 100 * l->transfer);
	else
		sd_page_wrap(p, "  ", 2, "load balance %.1f %%; not divided further: %s",
			100 * l->load_balance, l->why);
}

static void put_rows(struct sd_page *p, const struct sd_rank_losses *l)
{
	sd_page_put(p, SD_TONE_DIM, "     rank  computes s   in MPI s   MPI-IO s  no CPU s\n");
	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_rank_row *const r = &l->row[i];

		sd_page_put(p, SD_TONE_PLAIN, "  %7u  %10.3f %10.3f %10.3f %9.3f  ", r->rank,
			r->useful, r->mpi, r->io, r->delay);
		sd_page_bar(p, l->elapsed > 0 ? r->useful / l->elapsed : 0, BAR, 0);
		sd_page_put(p, SD_TONE_PLAIN, "%s\n", r->lost ? "  lost: it did not end" : "");
	}
	if (l->ranks > l->n_row)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%zu more ranks, nearer to the mean",
			(size_t)l->ranks - l->n_row);
}

/* From what is idle to what computes all the time. */
static void put_cell(struct sd_page *p, double share)
{
	static const char *const shade[] = {" ", "░", "▒", "▓", "█"};
	static const char *const plain[] = {" ", ".", ":", "*", "#"};
	const int level = (int)lround(4 * fmin(1, fmax(0, share)));

	sd_page_put(p, SD_TONE_PLAIN, "%s", (p->ascii ? plain : shade)[level]);
}

/* Of more ranks than cells a cell has the mean of those next to each other. */
static void put_cells(struct sd_page *p, const float *share, size_t n)
{
	const size_t cells = n < CELLS ? n : CELLS;

	for (size_t i = 0; i < cells; i++) {
		const size_t from = i * n / cells, to = (i + 1) * n / cells;
		double sum = 0;

		for (size_t k = from; k < to; k++)
			sum += (double)share[k];
		put_cell(p, sum / (double)(to - from));
	}
}

/* Nodes next to each other as one. */
static struct sd_rank_node together(const struct sd_rank_node *node, size_t n)
{
	struct sd_rank_node all = node[0];

	all.mean *= node[0].ranks;
	for (size_t i = 1; i < n; i++) {
		all.ranks += node[i].ranks;
		all.lost += node[i].lost;
		all.mean += node[i].mean * node[i].ranks;
		all.least = fmin(all.least, node[i].least);
		if (node[i].most > all.most) {
			all.most = node[i].most;
			all.busiest = node[i].busiest;
		}
	}
	all.mean = all.ranks ? all.mean / all.ranks : 0;
	return all;
}

static void put_node(struct sd_page *p, const struct sd_rank_losses *l, size_t first, size_t n)
{
	const struct sd_rank_node all = together(&l->node[first], n);
	char *const name = sd_sanitize(all.name), *const last =
							  sd_sanitize(l->node[first + n - 1].name);
	char both[sizeof all.name * 2 + 8] = "";

	p->failed |= !name || !last;
	if (name && last)
		snprintf(both, sizeof both, n > 1 ? "%s to %s" : "%s", name, last);
	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, both, 22, 0);
	sd_page_put(p, SD_TONE_PLAIN, " %5u %5.0f %% %4.0f %% %4.0f %% (%u)%*s ", all.ranks,
		100 * all.least, 100 * all.mean, 100 * all.most, all.busiest,
		all.busiest < 10     ? 3
		: all.busiest < 100  ? 2
		: all.busiest < 1000 ? 1
				     : 0,
		"");
	put_cells(p, l->share + all.first, all.ranks);
	sd_page_put(p, SD_TONE_PLAIN, "%s\n", all.lost ? " ranks lost" : "");
	free(name);
	free(last);
}

/* The map of the ranks, a row for a node, or for as many next to each other as it takes. */
static void put_nodes(struct sd_page *p, const struct sd_rank_losses *l)
{
	const size_t each = (l->n_node + NODES - 1) / NODES;

	sd_page_put(p, SD_TONE_DIM,
		"  node                   ranks  computes: least, mean, most (rank)  its ranks\n");
	for (size_t i = 0; i < l->n_node; i += each)
		put_node(p, l, i, l->n_node - i < each ? l->n_node - i : each);
}

void sd_section_ranks(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_rank_losses *const l = &a->ranks;

	if (!l->known)
		return;
	put_ratios(p, l);
	put_rows(p, l);
	if (l->n_node > 1)
		put_nodes(p, l);
	for (size_t i = 0; i < l->waits.n; i++) {
		char *const text = sd_sanitize(l->waits.text[i]);

		p->failed |= !text;
		if (text)
			sd_page_wrap(p, "  ", 4, "%s", text);
		free(text);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
