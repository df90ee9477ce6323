#include "facts/facts.h"

#include <math.h>
#include <stdio.h>

#define NODES 16u /* rows of nodes at most */
#define BAR 20u

/* ---- rank by rank ---------------------------------------------------------------------------- */

#define AT(member) .at = offsetof(struct sd_rank_row, member)

SD_FACT_ROW(struct sd_rank_row, rank_of)

static void make_node(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->text = rows->a->ranks.node[rank_of(rows, i)->node].name;
}

static void make_share(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const double elapsed = rows->a->ranks.elapsed;

	out->number.value = elapsed > 0 ? rank_of(rows, i)->useful / elapsed : 0;
}

static void make_end(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->text = rank_of(rows, i)->lost ? "lost: it did not end" : "";
}

/* clang-format off */
static const struct sd_fact_column rank_columns[] = {
	{"rank", "rank", SD_CELL_COUNT, AT(rank), .width = 9},
	{"node", NULL, SD_CELL_TEXT, .make = make_node},
	{"useful_s", "computes s", SD_CELL_REAL, AT(useful), .decimals = 3, .width = 12},
	{"mpi_s", "in MPI s", SD_CELL_REAL, AT(mpi), .decimals = 3, .width = 11},
	{"mpi_io_s", "MPI-IO s", SD_CELL_REAL, AT(io), .decimals = 3, .width = 11},
	{"without_cpu_s", "no CPU s", SD_CELL_REAL, AT(delay), .decimals = 3, .width = 10},
	{"lost", NULL, SD_CELL_FLAG, AT(lost)},
	{NULL, "", SD_CELL_BAR, .make = make_share, .width = BAR},
	{NULL, "", SD_CELL_TEXT, .make = make_end, .sparse = 1, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table rank_table = SD_FACT_TABLE(rank_columns, struct sd_rank_row, );

struct sd_fact_rows sd_facts_rank_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){
		.table = &rank_table, .row = a->ranks.row, .n = a->ranks.n_row, .runs = 1, .a = a};
}

/* ---- node by node ---------------------------------------------------------------------------- */

#undef AT
#define AT(member) .at = offsetof(struct node, of.member)

/* A node, or as many next to each other as a row takes. */
struct node {
	struct sd_rank_node of;
	char name[2 * sizeof((struct sd_rank_node *)0)->name + 8];
	const float *share;
	size_t n_share;
};

static void make_lost(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct node *const n = sd_fact_row(rows, i);

	out->text = n->of.lost ? "ranks lost" : "";
}

/* clang-format off */
static const struct sd_fact_column node_columns[] = {
	{"node", NULL, SD_CELL_CHARS, AT(name)},
	{NULL, "node", SD_CELL_CHARS, .at = offsetof(struct node, name)},
	{"ranks", "ranks", SD_CELL_COUNT, AT(ranks)},
	{"lost", NULL, SD_CELL_COUNT, AT(lost)},
	{"least", "computes least", SD_CELL_REAL, AT(least), .factor = 100, .unit = " %"},
	{"mean", "mean", SD_CELL_REAL, AT(mean), .factor = 100, .unit = " %"},
	{"most", "most", SD_CELL_REAL, AT(most), .factor = 100, .unit = " %"},
	{"busiest", "rank", SD_CELL_COUNT, AT(busiest)},
	{"agents", NULL, SD_CELL_COUNT, AT(agents)},
	{"cpu_s", NULL, SD_CELL_VALUE, AT(cpu)},
	{"max_rss_bytes", NULL, SD_CELL_VALUE, AT(max_rss)},
	{NULL, "its ranks, darker computes more", SD_CELL_SHADES, .at = offsetof(struct node, share), .n_at = offsetof(struct node, n_share)},
	{NULL, "", SD_CELL_TEXT, .make = make_lost, .sparse = 1, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table node_table = SD_FACT_TABLE(node_columns, struct node, );
/* all of them, where they lie */
static const struct sd_fact_table each_node = SD_FACT_TABLE(node_columns, struct sd_rank_node, );

struct sd_fact_rows sd_facts_node_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){
		.table = &each_node, .row = a->ranks.node, .n = a->ranks.n_node, .runs = 1, .a = a};
}

static struct node together(const struct sd_rank_losses *l, size_t first, size_t n)
{
	const struct sd_rank_node *const node = &l->node[first];
	struct node all = {.of = node[0], .share = l->share + node[0].first};

	all.of.mean *= node[0].ranks;
	for (size_t i = 1; i < n; i++) {
		all.of.ranks += node[i].ranks;
		all.of.lost += node[i].lost;
		all.of.mean += node[i].mean * node[i].ranks;
		all.of.least = fmin(all.of.least, node[i].least);
		if (node[i].most > all.of.most) {
			all.of.most = node[i].most;
			all.of.busiest = node[i].busiest;
		}
	}
	all.of.mean = all.of.ranks ? all.of.mean / all.of.ranks : 0;
	all.n_share = all.of.ranks;
	snprintf(all.name, sizeof all.name, n > 1 ? "%s to %s" : "%s", node[0].name,
		node[n - 1].name);
	return all;
}

static void put_nodes(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_rank_losses *const l = &a->ranks;
	const size_t each = (l->n_node + NODES - 1) / NODES;
	struct node node[NODES];
	struct sd_fact_rows rows = {.table = &node_table, .row = node, .runs = 1, .a = a};

	for (size_t i = 0; i < l->n_node; i += each)
		node[rows.n++] = together(l, i, l->n_node - i < each ? l->n_node - i : each);
	sd_document_table(b, &rows);
}

/* ---- POP's factors --------------------------------------------------------------------------- */

/* A factor of the parallel efficiency, of 1. The replay leaves out the times that ranks had no CPU;
 * without a replay the longest useful time stands over all of the elapsed one. */
struct factor {
	const char *name;
	double (*of)(const struct sd_rank_losses *l);
	const char *how, *undivided; /* undivided NULL: not known without a replay */
};

static double longest_share(const struct sd_rank_losses *l)
{
	double most = 0;

	for (size_t i = 0; i < l->n_node; i++)
		most = fmax(most, l->node[i].most);
	for (size_t i = 0; i < l->n_row && l->elapsed > 0; i++)
		most = fmax(most, (l->row[i].useful + l->row[i].io) / l->elapsed);
	return fmin(1, most);
}

static double load_balance(const struct sd_rank_losses *l)
{
	return l->load_balance;
}

static double serialisation(const struct sd_rank_losses *l)
{
	return l->serialisation;
}

static double transfer(const struct sd_rank_losses *l)
{
	return l->transfer;
}

static double communication(const struct sd_rank_losses *l)
{
	return l->divided ? l->serialisation * l->transfer : longest_share(l);
}

static double parallel(const struct sd_rank_losses *l)
{
	return l->load_balance * communication(l);
}

#define PARALLEL "load balance x communication efficiency"
#define LONGEST "longest useful time / elapsed time, which has waits for CPUs, too"
static const struct factor factor[] = {
	{"parallel efficiency", parallel, PARALLEL, PARALLEL},
	{"load balance", load_balance, "mean / longest useful time", "mean / longest useful time"},
	{"communication efficiency", communication, "serialisation x transfer", LONGEST},
	{"serialisation", serialisation, "longest useful time / time with free messages", NULL},
	{"transfer", transfer, "time with free messages / elapsed time", NULL},
};

SD_FACT_ROW(struct factor, factor_of)

static const char *how_of(const struct sd_fact_rows *rows, size_t i)
{
	const struct factor *const f = factor_of(rows, i);

	return rows->a->ranks.divided ? f->how : f->undivided;
}

static void make_factor(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	if (how_of(rows, i))
		out->number = sd_fact_exact(factor_of(rows, i)->of(&rows->a->ranks));
	else
		out->number.status = SD_STATUS_ABSENT;
}

static void make_how(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->text = how_of(rows, i) ? how_of(rows, i) : "not known without a replay";
}

/* clang-format off */
static const struct sd_fact_column factor_columns[] = {
	{"factor", "POP factor", SD_CELL_TEXT, .at = offsetof(struct factor, name), .width = 26},
	{"value", "", SD_CELL_VALUE, .make = make_factor, .factor = 100, .unit = " %", .decimals = 1, .width = 7},
	{"how", "", SD_CELL_TEXT, .make = make_how, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table factor_table = SD_FACT_TABLE(factor_columns, struct factor, );

struct sd_fact_rows sd_facts_factor_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){.table = &factor_table,
		.row = factor,
		.n = sizeof factor / sizeof *factor,
		.runs = 1,
		.a = a};
}

void sd_facts_ranks(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_rank_losses *const l = &a->ranks;
	const struct sd_fact_rows rows = sd_facts_rank_table(a), factors = sd_facts_factor_table(a);

	if (!l->known)
		return;
	sd_document_title(b, "ranks", "MPI ranks",
		"%u of %s on %zu node%s, %.3f s from MPI_Init to MPI_Finalize", l->ranks,
		l->library, l->n_node, l->n_node == 1 ? "" : "s", l->elapsed);
	sd_document_table(b, &factors);
	if (!l->divided)
		sd_document_say(b, SD_BLOCK_DOUBT, "not divided further: %s", l->why);
	sd_document_table(b, &rows);
	if (l->ranks > l->n_row)
		sd_document_say(b, SD_BLOCK_NOTE, "%zu more ranks, nearer to the mean",
			(size_t)l->ranks - l->n_row);
	put_nodes(b, a);
	sd_document_texts(b, SD_BLOCK_ITEM, &l->waits);
	sd_document_end(b);
}
