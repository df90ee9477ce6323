#include "json/json_ranks.h"

#include "json/json_values.h"

static json_t *put_rows(const struct sd_rank_losses *l)
{
	json_t *const out = json_array();

	for (size_t i = 0; out && i < l->n_row; i++) {
		const struct sd_rank_row *const r = &l->row[i];

		json_array_append_new(out,
			json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "rank",
				(json_int_t)r->rank, "node", sd_json_text(l->node[r->node].name),
				"useful_s", sd_json_real(r->useful), "mpi_s", sd_json_real(r->mpi),
				"mpi_io_s", sd_json_real(r->io), "without_cpu_s",
				sd_json_real(r->delay), "lost", r->lost));
	}
	return out;
}

static json_t *put_nodes(const struct sd_rank_losses *l)
{
	json_t *const out = json_array();

	for (size_t i = 0; out && i < l->n_node; i++) {
		const struct sd_rank_node *const n = &l->node[i];

		json_array_append_new(out,
			json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "node",
				sd_json_text(n->name), "ranks", (json_int_t)n->ranks, "lost",
				(json_int_t)n->lost, "least", sd_json_real(n->least), "mean",
				sd_json_real(n->mean), "most", sd_json_real(n->most), "busiest",
				(json_int_t)n->busiest, "agents", (json_int_t)n->agents, "cpu_s",
				sd_json_value(n->cpu), "max_rss_bytes", sd_json_value(n->max_rss)));
	}
	return out;
}

json_t *sd_json_ranks(const struct sd_rank_losses *l)
{
	return json_pack("{s:o, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"library", sd_json_text(l->library), "ranks", (json_int_t)l->ranks, "expected",
		(json_int_t)l->expected, "divided", l->divided, "why", sd_json_text(l->why),
		"elapsed_s", sd_json_real(l->elapsed), "startup_s", sd_json_real(l->startup),
		"load_balance", sd_json_real(l->load_balance), "serialisation",
		l->divided ? sd_json_real(l->serialisation) : json_null(), "transfer",
		l->divided ? sd_json_real(l->transfer) : json_null(), "waits",
		sd_json_texts(&l->waits), "nodes", put_nodes(l), "rows", put_rows(l));
}
