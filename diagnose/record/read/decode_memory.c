#include "read/decode_lines.h"

#include <errno.h>
#include <stdlib.h>

static const char *const no_others[] = {NULL};

static int fill_thread(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	(void)index;
	return sd_decode_fields(c->s, at, v, &sd_fields_mem_thread, no_others, out);
}

static int fill_line(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	static const char *const others[] = {"sharers", "codes", "moves", NULL};
	const struct sd_json_path moves = {.up = at, .key = "moves"};
	struct sd_mem_line *const l = out;
	int rc = sd_decode_contested(c, at, v, others, &l->line);

	if (!rc)
		rc = sd_decode_fields(c->s, &moves, json_object_get(v, moves.key),
			&sd_fields_mem_moves, no_others, l);
	if (!rc && index > 0 && l[-1].line.hitm_load < l->line.hitm_load)
		rc = sd_json_path_fault(c->s, at, "moved more often than the line before it");
	return rc;
}

int sd_decode_memory(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_memory_sampled **out)
{
	static const char *const others[] = {"threads", "lines", NULL};
	struct sd_memory_sampled *const r = *out = calloc(1, sizeof *r);
	struct sd_decode_in c = {.s = s, .stacks = stacks};
	void *list[2] = {NULL};
	int rc = r ? sd_decode_fields(s, at, v, &sd_fields_memory, others, r) : -ENOMEM;

	if (!rc)
		rc = sd_decode_list(&c, at, v, "threads", SD_SIM_THREADS, sizeof *r->thread,
			fill_thread, &list[0], &r->n_thread);
	if (!rc)
		rc = sd_decode_seen(&c, at, "threads", r->n_thread, r->n_thread_seen);
	c.n_thread = r ? r->n_thread : 0;
	if (!rc)
		rc = sd_decode_list(&c, at, v, "lines", SD_SIM_LINES, sizeof *r->contested,
			fill_line, &list[1], &r->n_contested);
	if (!rc)
		rc = sd_decode_seen(&c, at, "lines", r->n_contested, r->n_contested_seen);
	if (!r)
		return rc;
	r->thread = list[0];
	r->contested = list[1];
	return rc;
}
