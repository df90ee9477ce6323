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
	return sd_json("function", text[0], "file", text[1], "line", sd_json_number(f->line),
		"module", text[2]);
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
	return sd_json("thread", s->thread, "read", put_bytes(s->read), "written",
		put_bytes(s->written), "loads", s->loads, "stores", s->stores, "locked", s->locked,
		"hitm", s->hitm);
}

static json_t *put_code(const void *element, const struct sd_record *r)
{
	const struct sd_sim_code *c = element;

	return sd_json("where", put_place(&r->stacks, c->node), "accesses", c->accesses, "hitm",
		c->hitm, "writes", json_boolean(c->writes), "locked", json_boolean(c->locked),
		"bytes", c->bytes ? put_bytes(c->bytes) : json_null());
}

static json_t *put_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *v = element;
	const struct sd_sim_contested *c = v->line;

	return sd_json("address", put_hex(c->address), "name", put_name(&r->stacks, c->name),
		"allocated", put_place(&r->stacks, c->site), "allocation_stack",
		put_callers(&r->stacks, c->site), "other_allocation_stack",
		put_callers(&r->stacks, c->other), "sharing", sd_sim_sharing_name[c->sharing],
		"share", c->share, "hitm_load", c->hitm_load, "hitm_store", c->hitm_store,
		"invalidations", c->invalidations, "upgrades", c->upgrades, "hitm_when_separated",
		c->separated, "locked_share", v->locked, "shared_bytes", put_bytes(v->shared),
		"touched_bytes", put_bytes(v->touched), "threads",
		put_all(c->sharer, c->n_sharer, sizeof *c->sharer, put_sharer, r), "code",
		put_all(c->code, c->n_code, sizeof *c->code, put_code, r), "advice", &v->advice,
		"matters", json_boolean(v->matters), "layout", sd_lines_layout_json(r, v));
}

static json_t *put_llc(const void *element, const struct sd_record *r)
{
	const struct sd_llc_view *v = element;

	(void)r;
	return sd_json("bytes_a_thread", v->bytes, "misses", v->misses, "per_1000_instructions",
		v->per_1000, "is_share", json_boolean(v->is_share));
}

static json_t *put_shoulder(const void *element, const struct sd_record *r)
{
	const struct sd_shoulder *s = element;

	(void)r;
	return sd_json("bytes", s->bytes, "share_of_accesses", s->accesses);
}

static json_t *put_thread(const struct sd_sim_thread *t, const struct sd_working_set *w)
{
	json_t *distances = json_array();

	for (int i = 0; distances && i < SD_SIM_DISTANCES; i++)
		sd_json_add(&distances, sd_json_real(t->distance[i]));
	return sd_json("core", t->core, "instructions", t->instructions, "loads", t->loads,
		"stores", t->stores, "l1_misses", t->l1_misses, "l2_misses", t->l2_misses,
		"llc_misses", t->llc_misses, "lines_in", t->lines_in, "lines_unused",
		t->lines_unused, "bytes_used", t->bytes_used, "hitm_load", t->hitm_load,
		"hitm_store", t->hitm_store, "dtlb_misses", t->dtlb_misses, "stlb_misses",
		t->stlb_misses, "conflicts", t->conflicts, "pages", t->pages, "pages_2m",
		t->pages_2m, "shared_pages", t->shared_pages, "working_sets",
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

	return sd_json("where", put_place(&r->stacks, l->node), "entries", l->entries, "iterations",
		l->iterations, "instructions", l->instructions, "bytes_consumed", l->bytes_consumed,
		"bytes_moved", l->bytes_moved);
}

static json_t *put_block(const void *element, const struct sd_record *r)
{
	const struct sd_sim_block *b = element;

	return sd_json("where", put_place(&r->stacks, b->node), "runs", b->runs, "instructions",
		b->instructions);
}

static json_t *put_race(const void *element, const struct sd_record *r)
{
	const struct sd_sim_race *x = element;

	return sd_json("address", put_hex(x->address), "name", put_name(&r->stacks, x->name),
		"bytes", x->bytes, "writer", put_place(&r->stacks, x->writer), "other",
		put_place(&r->stacks, x->other));
}

static json_t *put_conflict(const void *element, const struct sd_record *r)
{
	const struct sd_sim_conflict *c = element;

	return sd_json(
		"where", put_place(&r->stacks, c->node), "stride", c->stride, "misses", c->misses);
}

static json_t *put_machine(const struct sd_sim_machine *m)
{
	return sd_json("name", m->name, "cores", m->cores, "line", m->line, "l1_bytes", m->l1.bytes,
		"l2_bytes", m->l2.bytes, "llc_bytes", m->llc.bytes, "llc_sharers", m->llc.sharers,
		"dtlb_entries", m->dtlb_entries, "stlb_entries", m->stlb_entries);
}

/* A line of samples: what put_line says, and who answered. */
static json_t *put_sampled_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *const v = element;
	json_t *out = put_line(v, r);

	sd_json_put(&out, "local_hitm", v->sampled->local, "remote_hitm", v->sampled->remote,
		"peer", v->sampled->peer, "latency_cycles", v->sampled->cycles);
	return out;
}

static json_t *put_sampled_thread(const void *element, const struct sd_record *r)
{
	const struct sd_mem_thread *const t = element;

	(void)r;
	return sd_json("pid", t->pid, "tid", t->tid, "loads", t->loads, "stores", t->stores, "hitm",
		t->hitm);
}

static json_t *put_source(const struct sd_memory_sampled *m)
{
	return sd_json("source", m->source, "reservation", sd_json_name(m->why), "line", m->line,
		"loads", m->loads, "stores", m->stores, "local_hitm", m->local, "remote_hitm",
		m->remote, "peer", m->peer, "unplaced", m->unplaced, "lost", m->lost);
}

static void put_sampled(json_t **out, const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_memory_sampled *const m = l->sampled;

	sd_json_put(out, "sampled", put_source(m), "hitm", l->hitm, "lines_seen", l->n_seen,
		"lines", put_all(l->line, l->n_line, sizeof *l->line, put_sampled_line, r),
		"threads_seen", m->n_thread_seen, "threads",
		put_all(m->thread, m->n_thread, sizeof *m->thread, put_sampled_thread, r));
}

/* Puts a line as the program's own samples saw it. */
static json_t *put_native_line(const void *element, const struct sd_record *r)
{
	const struct sd_line_view *const v = element;
	const struct sd_native_line *const n = v->native;
	json_t *out = put_line(v, r);

	sd_json_put(&out, "contested_s", n->contested, "maybe_s", n->maybe, "read_s", n->read,
		"spun_s", n->spun, "split_s", n->split, "writes_a_second", n->writes,
		"proven_writes_a_second", n->proven, "at_most_a_second", n->proven_most, "lock",
		json_boolean(n->lock), "pair", json_boolean(n->pair), "between_processes",
		json_boolean(n->shared));
	return out;
}

static json_t *put_native_loop(const void *element, const struct sd_record *r)
{
	const struct sd_native_loop *const l = element;

	return sd_json("where", put_place(&r->stacks, l->node), "seconds", l->seconds, "false_s",
		l->false_s, "true_s", l->true_s, "lock_s", l->lock_s, "split_s", l->split_s,
		"maybe_s", l->maybe_s, "unknown_s", l->unknown_s, "read_s", l->read_s, "spun_s",
		l->spun, "lines", l->lines, "pages", l->pages);
}

static json_t *put_native(const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_native_lines *const n = l->native;

	return sd_json("cores", l->cores, "line", n->line_bytes, "samples", n->samples, "resolved",
		n->resolved, "seconds", n->seconds, "reservation", sd_json_name(n->why),
		"allocations_unknown_why", sd_lines_blind(r, l), "lines_seen", n->n_line_seen,
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

static json_t *put_wastes(const struct sd_waste waste[SD_WASTE_COUNT])
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_WASTE_COUNT; i++)
		sd_json_add(&out,
			sd_json("kind", sd_waste_info[i].name, "share_of_cycles", waste[i].share,
				"found", json_boolean(waste[i].found), "text", waste[i].text));
	return out;
}

static void put_simulated(
	json_t **out, const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_simulated *s = l->simulated;

	sd_json_put(out, "machine", put_machine(&s->machine), "partial", json_boolean(s->partial),
		"partial_why", s->partial ? sd_json_text(s->why) : json_null(), "modelled",
		sd_json_name(s->sampled), "allocations_unknown_why", sd_json_name(s->blind), "hitm",
		l->hitm, "lines_seen", s->n_contested_seen, "lines",
		put_all(l->line, l->n_line, sizeof *l->line, put_line, r), "llc_share_bytes",
		l->share, "llc", put_all(l->llc, l->n_llc, sizeof *l->llc, put_llc, r), "threads",
		put_threads(l), "loops", put_all(s->loop, s->n_loop, sizeof *s->loop, put_loop, r),
		"blocks", put_all(s->block, s->n_block, sizeof *s->block, put_block, r),
		"races_seen", s->n_race_seen, "races",
		put_all(s->race, s->n_race, sizeof *s->race, put_race, r), "conflicts",
		put_all(s->conflict, s->n_conflict, sizeof *s->conflict, put_conflict, r), "waste",
		put_wastes(l->waste));
}

int sd_lines_json(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_contested_lines *native)
{
	const struct sd_contested_lines *const of = l->simulated || l->sampled ? l : native;
	json_t *out = sd_json_head(NULL);

	sd_json_put(&out, "argv", &r->program.argv, "cores", of->cores);
	if (l->simulated)
		put_simulated(&out, r, l);
	else if (l->sampled)
		put_sampled(&out, r, l);
	if (out && native && native->native) {
		sd_json_set(&out, "native", put_native(r, native));
		set_together(&out, r, l, native);
	}
	return sd_json_print(f, out);
}
