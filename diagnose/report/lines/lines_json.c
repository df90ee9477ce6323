#include "lines/lines_layout.h"
#include "lines/lines_words.h"

#include <inttypes.h>

#include "facts/facts_lines.h"
#include "render/json_values.h"
#include "render/render.h"

/* Every put_ returns a new reference, or NULL without memory. */

typedef json_t *put_fn(const void *element, const struct sd_record *r);

static json_t *put_all(
	const void *first, size_t n, size_t size, put_fn *put, const struct sd_record *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < n; i++)
		sd_json_add(&out, put((const char *)first + i * size, r));
	return out;
}

/* {"function", "file", "line", "module", "offset"}; null is unknown. */
static json_t *put_place(const struct sd_stacks *s, unsigned node)
{
	const struct sd_frame *f;
	const char *text[3] = {NULL, NULL, NULL};

	if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame)
		return json_null();
	f = &s->frame[s->node[node].frame];
	const unsigned number[3] = {f->function, f->file, f->module};

	for (int i = 0; i < 3; i++)
		if (number[i] && number[i] < s->n_text)
			text[i] = s->text[number[i]];
	return json_pack("{s:o, s:o, s:o, s:o}", "function", sd_json_text(text[0]), "file",
		sd_json_text(text[1]), "line", f->line ? json_integer(f->line) : json_null(),
		"module", sd_json_text(text[2]));
}

/* The callers of an allocation, innermost first; null is unknown. */
static json_t *put_callers(const struct sd_stacks *s, unsigned node)
{
	json_t *out = node ? json_array() : json_null();

	for (unsigned i = 0; out && node && node < s->n_node && i < SD_STACKS_DEPTH; i++) {
		sd_json_add(&out, put_place(s, node));
		node = s->node[node].parent;
	}
	return out;
}

static json_t *put_name(const struct sd_stacks *s, unsigned text)
{
	return sd_json_text(text && text < s->n_text ? s->text[text] : NULL);
}

static json_t *put_hex(uint64_t v)
{
	return json_sprintf("0x%" PRIx64, v);
}

/* Which bytes, as one character each: '1' touched. */
static json_t *put_bytes(uint64_t mask)
{
	char text[SD_SIM_LINE + 1];

	for (unsigned i = 0; i < SD_SIM_LINE; i++)
		text[i] = mask >> i & 1 ? '1' : '0';
	text[SD_SIM_LINE] = '\0';
	return json_string(text);
}

static json_t *put_sharer(const void *element, const struct sd_record *r)
{
	const struct sd_sim_sharer *s = element;

	(void)r;
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "thread", (json_int_t)s->thread,
		"read", put_bytes(s->read), "written", put_bytes(s->written), "loads",
		sd_json_real(s->loads), "stores", sd_json_real(s->stores), "locked",
		sd_json_real(s->locked), "hitm", sd_json_real(s->hitm));
}

static json_t *put_code(const void *element, const struct sd_record *r)
{
	const struct sd_sim_code *c = element;

	return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "where", put_place(&r->stacks, c->node),
		"accesses", sd_json_real(c->accesses), "hitm", sd_json_real(c->hitm), "writes",
		c->writes, "locked", c->locked, "bytes",
		c->bytes ? put_bytes(c->bytes) : json_null());
}

static json_t *put_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *v = element;
	const struct sd_sim_contested *c = v->line;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o, s:b, s:o}",
		"address", put_hex(c->address), "name", put_name(&r->stacks, c->name), "allocated",
		put_place(&r->stacks, c->site), "allocation_stack",
		put_callers(&r->stacks, c->site), "other_allocation_stack",
		put_callers(&r->stacks, c->other), "sharing", sd_sim_sharing_name[c->sharing],
		"share", sd_json_real(c->share), "hitm_load", sd_json_real(c->hitm_load),
		"hitm_store", sd_json_real(c->hitm_store), "invalidations",
		sd_json_real(c->invalidations), "upgrades", sd_json_real(c->upgrades),
		"hitm_when_separated", sd_json_value(c->separated), "locked_share",
		sd_json_real(v->locked), "shared_bytes", put_bytes(v->shared), "touched_bytes",
		put_bytes(v->touched), "threads",
		put_all(c->sharer, c->n_sharer, sizeof *c->sharer, put_sharer, r), "code",
		put_all(c->code, c->n_code, sizeof *c->code, put_code, r), "advice",
		sd_json_texts(&v->advice), "matters", v->matters, "layout",
		sd_lines_layout_json(r, v));
}

static json_t *put_llc(const void *element, const struct sd_record *r)
{
	const struct sd_llc_view *v = element;

	(void)r;
	return json_pack("{s:o, s:o, s:o, s:b}", "bytes_a_thread", sd_json_real(v->bytes), "misses",
		sd_json_real(v->misses), "per_1000_instructions", sd_json_real(v->per_1000),
		"is_share", v->is_share);
}

static json_t *put_shoulder(const void *element, const struct sd_record *r)
{
	const struct sd_shoulder *s = element;

	(void)r;
	return json_pack("{s:o, s:o}", "bytes", sd_json_real(s->bytes), "share_of_accesses",
		sd_json_real(s->accesses));
}

static json_t *put_thread(const struct sd_sim_thread *t, const struct sd_working_set *w)
{
	json_t *distances = json_array();

	for (int i = 0; distances && i < SD_SIM_DISTANCES; i++)
		sd_json_add(&distances, sd_json_real(t->distance[i]));
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o, s:o, s:o}",
		"core", (json_int_t)t->core, "instructions", sd_json_real(t->instructions), "loads",
		sd_json_real(t->loads), "stores", sd_json_real(t->stores), "l1_misses",
		sd_json_real(t->l1_misses), "l2_misses", sd_json_real(t->l2_misses), "llc_misses",
		sd_json_real(t->llc_misses), "lines_in", sd_json_real(t->lines_in), "lines_unused",
		sd_json_real(t->lines_unused), "bytes_used", sd_json_real(t->bytes_used),
		"hitm_load", sd_json_real(t->hitm_load), "hitm_store", sd_json_real(t->hitm_store),
		"dtlb_misses", sd_json_real(t->dtlb_misses), "stlb_misses",
		sd_json_real(t->stlb_misses), "conflicts", sd_json_real(t->conflicts), "pages",
		sd_json_real(t->pages), "pages_2m", sd_json_real(t->pages_2m), "shared_pages",
		sd_json_real(t->shared_pages), "working_sets",
		put_all(w->shoulder, w->n_shoulder, sizeof *w->shoulder, put_shoulder, NULL),
		"reuse_distances", distances);
}

static json_t *put_threads(const struct sd_contested_lines *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_set; i++)
		sd_json_add(&out, put_thread(&l->simulated->thread[i], &l->set[i]));
	return out;
}

static json_t *put_loop(const void *element, const struct sd_record *r)
{
	const struct sd_sim_loop *l = element;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "where", put_place(&r->stacks, l->node),
		"entries", sd_json_real(l->entries), "iterations", sd_json_real(l->iterations),
		"instructions", sd_json_real(l->instructions), "bytes_consumed",
		sd_json_real(l->bytes_consumed), "bytes_moved", sd_json_real(l->bytes_moved));
}

static json_t *put_block(const void *element, const struct sd_record *r)
{
	const struct sd_sim_block *b = element;

	return json_pack("{s:o, s:o, s:o}", "where", put_place(&r->stacks, b->node), "runs",
		sd_json_real(b->runs), "instructions", sd_json_real(b->instructions));
}

static json_t *put_race(const void *element, const struct sd_record *r)
{
	const struct sd_sim_race *x = element;

	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "address", put_hex(x->address), "name",
		put_name(&r->stacks, x->name), "bytes", (json_int_t)x->bytes, "writer",
		put_place(&r->stacks, x->writer), "other", put_place(&r->stacks, x->other));
}

static json_t *put_conflict(const void *element, const struct sd_record *r)
{
	const struct sd_sim_conflict *c = element;

	return json_pack("{s:o, s:I, s:o}", "where", put_place(&r->stacks, c->node), "stride",
		(json_int_t)c->stride, "misses", sd_json_real(c->misses));
}

static json_t *put_machine(const struct sd_sim_machine *m)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
		sd_json_text(m->name), "cores", (json_int_t)m->cores, "line", (json_int_t)m->line,
		"l1_bytes", (json_int_t)m->l1.bytes, "l2_bytes", (json_int_t)m->l2.bytes,
		"llc_bytes", (json_int_t)m->llc.bytes, "llc_sharers", (json_int_t)m->llc.sharers,
		"dtlb_entries", (json_int_t)m->dtlb_entries, "stlb_entries",
		(json_int_t)m->stlb_entries);
}

/* A line of samples: what put_line says, and who answered. */
static json_t *put_sampled_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *const v = element;
	json_t *const out = put_line(v, r);

	if (out && json_object_update_new(
			   out, json_pack("{s:o, s:o, s:o, s:o}", "local_hitm",
					sd_json_real(v->sampled->local), "remote_hitm",
					sd_json_real(v->sampled->remote), "peer",
					sd_json_real(v->sampled->peer), "latency_cycles",
					sd_json_value(v->sampled->cycles)))) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_sampled_thread(const void *element, const struct sd_record *r)
{
	const struct sd_mem_thread *const t = element;

	(void)r;
	return json_pack("{s:i, s:i, s:o, s:o, s:o}", "pid", t->pid, "tid", t->tid, "loads",
		sd_json_real(t->loads), "stores", sd_json_real(t->stores), "hitm",
		sd_json_real(t->hitm));
}

static json_t *put_source(const struct sd_memory_sampled *m)
{
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
		sd_json_text(m->source), "reservation",
		m->why[0] ? sd_json_text(m->why) : json_null(), "line", (json_int_t)m->line,
		"loads", sd_json_real(m->loads), "stores", sd_json_real(m->stores), "local_hitm",
		sd_json_real(m->local), "remote_hitm", sd_json_real(m->remote), "peer",
		sd_json_real(m->peer), "unplaced", sd_json_real(m->unplaced), "lost",
		sd_json_real(m->lost));
}

static json_t *put_sampled(const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_memory_sampled *const m = l->sampled;

	return json_pack("{s:i, s:{s:s, s:s}, s:o, s:I, s:o, s:o, s:I, s:o, s:I, s:o}", "schema", 1,
		"tool", "name", "scalediag", "version", SD_VERSION, "argv",
		sd_json_texts(&r->program.argv), "cores", (json_int_t)l->cores, "sampled",
		put_source(m), "hitm", sd_json_real(l->hitm), "lines_seen", (json_int_t)l->n_seen,
		"lines", put_all(l->line, l->n_line, sizeof *l->line, put_sampled_line, r),
		"threads_seen", (json_int_t)m->n_thread_seen, "threads",
		put_all(m->thread, m->n_thread, sizeof *m->thread, put_sampled_thread, r));
}

/* Puts a line as the program's own samples saw it. */
static json_t *put_native_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *const v = element;
	json_t *const out = put_line(v, r);

	if (out &&
		json_object_update_new(out,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}",
				"contested_s", sd_json_real(v->native->contested), "maybe_s",
				sd_json_real(v->native->maybe), "read_s",
				sd_json_real(v->native->read), "spun_s",
				sd_json_real(v->native->spun), "split_s",
				sd_json_real(v->native->split), "writes_a_second",
				sd_json_value(v->native->writes), "proven_writes_a_second",
				sd_json_value(v->native->proven), "at_most_a_second",
				sd_json_value(v->native->proven_most), "lock", v->native->lock,
				"pair", v->native->pair, "between_processes", v->native->shared))) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_native_loop(const void *element, const struct sd_record *r)
{
	const struct sd_native_loop *const l = element;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "where",
		put_place(&r->stacks, l->node), "seconds", sd_json_real(l->seconds), "false_s",
		sd_json_real(l->false_s), "true_s", sd_json_real(l->true_s), "lock_s",
		sd_json_real(l->lock_s), "split_s", sd_json_real(l->split_s), "maybe_s",
		sd_json_real(l->maybe_s), "unknown_s", sd_json_real(l->unknown_s), "read_s",
		sd_json_real(l->read_s), "spun_s", sd_json_real(l->spun), "lines",
		sd_json_real(l->lines), "pages", sd_json_real(l->pages));
}

static json_t *put_native(const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_native_lines *const n = l->native;

	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "cores",
		(json_int_t)l->cores, "line", (json_int_t)n->line_bytes, "samples",
		sd_json_real(n->samples), "resolved", sd_json_real(n->resolved), "seconds",
		sd_json_real(n->seconds), "reservation",
		n->why[0] ? sd_json_text(n->why) : json_null(), "allocations_unknown_why",
		sd_json_text(sd_lines_blind(r, l)), "lines_seen", (json_int_t)n->n_line_seen,
		"lines", put_all(l->line, l->n_line, sizeof *l->line, put_native_line, r),
		"threads",
		put_all(n->thread, n->n_thread, sizeof *n->thread, put_sampled_thread, r), "loops",
		put_all(n->loop, n->n_loop, sizeof *n->loop, put_native_loop, r));
}

/* Sets the lines of both sources side by side, where there are both. */
static void set_together(json_t **out, const struct sd_record *r,
	const struct sd_contested_lines *l, const struct sd_contested_lines *native)
{
	struct sd_line_rows together;
	struct sd_fact_rows rows;

	if (sd_facts_lines_make(r, native, l, &together) != 0) {
		json_decref(*out);
		*out = NULL;
	}
	rows = sd_facts_line_table(&together);
	if (together.row)
		sd_json_set(out, "together", sd_render_json(&rows));
	sd_facts_lines_free(&together);
}

static json_t *put_head(const struct sd_record *r, unsigned cores)
{
	return json_pack("{s:i, s:{s:s, s:s}, s:o, s:I}", "schema", 1, "tool", "name", "scalediag",
		"version", SD_VERSION, "argv", sd_json_texts(&r->program.argv), "cores",
		(json_int_t)cores);
}

static json_t *put_wastes(const struct sd_waste waste[SD_WASTE_COUNT])
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_WASTE_COUNT; i++)
		sd_json_add(&out, json_pack("{s:s, s:o, s:b, s:s}", "kind", sd_waste_info[i].name,
					  "share_of_cycles", sd_json_real(waste[i].share), "found",
					  waste[i].found, "text", waste[i].text));
	return out;
}

static json_t *put_simulated(const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_simulated *s = l->simulated;

	return json_pack(
		"{s:i, s:{s:s, s:s}, s:o, s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:I, s:o, s:o, "
		"s:o, "
		"s:o, "
		"s:o, s:o, s:I, s:o, s:o, s:o}",
		"schema", 1, "tool", "name", "scalediag", "version", SD_VERSION, "argv",
		sd_json_texts(&r->program.argv), "cores", (json_int_t)l->cores, "machine",
		put_machine(&s->machine), "partial", s->partial, "partial_why",
		s->partial ? sd_json_text(s->why) : json_null(), "modelled",
		s->sampled[0] ? sd_json_text(s->sampled) : json_null(), "allocations_unknown_why",
		s->blind[0] ? sd_json_text(s->blind) : json_null(), "hitm", sd_json_real(l->hitm),
		"lines_seen", (json_int_t)s->n_contested_seen, "lines",
		put_all(l->line, l->n_line, sizeof *l->line, put_line, r), "llc_share_bytes",
		sd_json_real(l->share), "llc",
		put_all(l->llc, l->n_llc, sizeof *l->llc, put_llc, r), "threads", put_threads(l),
		"loops", put_all(s->loop, s->n_loop, sizeof *s->loop, put_loop, r), "blocks",
		put_all(s->block, s->n_block, sizeof *s->block, put_block, r), "races_seen",
		(json_int_t)s->n_race_seen, "races",
		put_all(s->race, s->n_race, sizeof *s->race, put_race, r), "conflicts",
		put_all(s->conflict, s->n_conflict, sizeof *s->conflict, put_conflict, r), "waste",
		put_wastes(l->waste));
}

int sd_lines_json(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_contested_lines *native)
{
	json_t *out = l->simulated ? put_simulated(r, l)
		      : l->sampled ? put_sampled(r, l)
				   : put_head(r, native->cores);

	if (out && native && native->native) {
		sd_json_set(&out, "native", put_native(r, native));
		set_together(&out, r, l, native);
	}
	return sd_json_print(f, out);
}
