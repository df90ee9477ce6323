#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/sanitize.h"

#define NODES 16 /* rows of nodes at most */
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

static void put_nodes(struct sd_page *p, const struct sd_rank_losses *l)
{
	sd_page_put(p, SD_TONE_DIM,
		"  node                   ranks  computes: least  mean  most (of the time; rank)\n");
	for (size_t i = 0; i < l->n_node && i < NODES; i++) {
		const struct sd_rank_node *const n = &l->node[i];
		char *const name = sd_sanitize(n->name);

		p->failed |= !name;
		sd_page_put(p, SD_TONE_PLAIN, "  ");
		sd_page_cell(p, SD_TONE_PLAIN, name ? name : "", 22, 0);
		sd_page_put(p, SD_TONE_PLAIN, " %5u  %13.0f %% %4.0f %% %4.0f %% (%u)%s\n",
			n->ranks, 100 * n->least, 100 * n->mean, 100 * n->most, n->busiest,
			n->lost ? "  ranks lost" : "");
		free(name);
	}
	if (l->n_node > NODES)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%zu more nodes: --html shows them all",
			l->n_node - NODES);
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
