#include "read/decode_lines.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_others[] = {NULL};

static int fill_distance(const struct sd_decode_in *c, const struct sd_json_path *at,
	const json_t *v, size_t index, void *out)
{
	(void)index;
	return sd_decode_number(c->s, at, v, 0, DBL_MAX, 0, out);
}

static int fill_thread(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	static const char *const others[] = {"distances", NULL};
	struct sd_sim_thread *t = out;
	void *distances = NULL;
	size_t n = 0;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_thread, others, t);

	(void)index;
	if (!rc)
		rc = sd_decode_list(c, at, v, "distances", SD_SIM_DISTANCES, sizeof(double),
			fill_distance, &distances, &n);
	if (!rc && n)
		memcpy(t->distance, distances, n * sizeof(double));
	free(distances);
	return rc;
}

static int fill_line(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	static const char *const others[] = {"sharers", "codes", NULL};
	const struct sd_sim_contested *const l = out;
	const int rc = sd_decode_contested(c, at, v, others, out);

	if (!rc && index > 0 && l[-1].hitm_load + l[-1].hitm_store < l->hitm_load + l->hitm_store)
		return sd_json_path_fault(c->s, at, "moved more often than the line before it");
	return rc;
}

static int fill_loop(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	struct sd_sim_loop *l = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_loop, no_others, l);

	(void)index;
	return rc ? rc : sd_decode_node(c, at, "node", l->node);
}

static int fill_block(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	struct sd_sim_block *b = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_block, no_others, b);

	(void)index;
	return rc ? rc : sd_decode_node(c, at, "node", b->node);
}

static int fill_race(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	struct sd_sim_race *r = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_race, no_others, r);

	(void)index;
	if (!rc)
		rc = sd_decode_text_number(c, at, "name", r->name);
	if (!rc)
		rc = sd_decode_node(c, at, "writer", r->writer);
	return rc ? rc : sd_decode_node(c, at, "other", r->other);
}

static int fill_conflict(const struct sd_decode_in *c, const struct sd_json_path *at,
	const json_t *v, size_t index, void *out)
{
	static const char *const others[] = {"stride", NULL};
	const struct sd_json_path stride = {.up = at, .key = "stride"};
	struct sd_sim_conflict *k = out;
	double d = 0;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_conflict, others, k);

	(void)index;
	if (!rc)
		rc = sd_decode_node(c, at, "node", k->node);
	if (!rc)
		rc = sd_decode_number(c->s, &stride, json_object_get(v, stride.key),
			-SD_FIELD_WHOLE, SD_FIELD_WHOLE, 1, &d);
	k->stride = (int64_t)d;
	return rc;
}

static int decode_machine(const struct sd_source *s, const struct sd_json_path *up, const json_t *v,
	struct sd_sim_machine *out)
{
	const struct sd_json_path at = {.up = up, .key = "machine"};

	return sd_decode_fields(
		s, &at, json_object_get(v, at.key), &sd_fields_machine, no_others, out);
}

int sd_decode_simulated(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_simulated **out)
{
	static const char *const others[] = {
		"machine", "threads", "lines", "loops", "?blocks", "races", "conflicts", NULL};
	struct sd_simulated *r = *out = calloc(1, sizeof *r);
	struct sd_decode_in c = {.s = s, .stacks = stacks};
	void *list[6] = {NULL};
	int rc = r ? sd_decode_fields(s, at, v, &sd_fields_simulated, others, r) : -ENOMEM;

	if (!rc)
		rc = decode_machine(s, at, v, &r->machine);
	if (!rc)
		rc = sd_decode_list(&c, at, v, "threads", SD_SIM_THREADS, sizeof *r->thread,
			fill_thread, &list[0], &r->n_thread);
	c.n_thread = r ? r->n_thread : 0;
	if (!rc)
		rc = sd_decode_seen(&c, at, "threads", r->n_thread, r->n_thread_seen);
	if (!rc)
		rc = sd_decode_list(&c, at, v, "lines", SD_SIM_LINES, sizeof *r->contested,
			fill_line, &list[1], &r->n_contested);
	if (!rc)
		rc = sd_decode_seen(&c, at, "lines", r->n_contested, r->n_contested_seen);
	if (!rc)
		rc = sd_decode_list(&c, at, v, "loops", SD_SIM_LOOPS, sizeof *r->loop, fill_loop,
			&list[2], &r->n_loop);
	if (!rc)
		rc = sd_decode_list(&c, at, v, "races", SD_SIM_RACES, sizeof *r->race, fill_race,
			&list[3], &r->n_race);
	if (!rc)
		rc = sd_decode_seen(&c, at, "races", r->n_race, r->n_race_seen);
	if (!rc)
		rc = sd_decode_list(&c, at, v, "conflicts", SD_SIM_CONFLICTS, sizeof *r->conflict,
			fill_conflict, &list[4], &r->n_conflict);
	if (!rc && json_object_get(v, "blocks")) /* older records have none */
		rc = sd_decode_list(&c, at, v, "blocks", SD_SIM_BLOCKS, sizeof *r->block,
			fill_block, &list[5], &r->n_block);
	if (!r)
		return rc;
	r->block = list[5];
	r->thread = list[0];
	r->contested = list[1];
	r->loop = list[2];
	r->race = list[3];
	r->conflict = list[4];
	return rc;
}

int sd_decode_simulation(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan_simulation **out)
{
	static const char *const others[] = {"machine", "?tried", NULL};
	const struct sd_json_path tried = {.up = at, .key = "tried"};
	const json_t *const flag = json_object_get(v, tried.key);
	int rc;

	*out = calloc(1, sizeof **out);
	if (!*out)
		return -ENOMEM;
	rc = sd_decode_fields(s, at, v, &sd_fields_simulation, others, *out);
	if (!rc && flag && !json_is_true(flag))
		rc = sd_json_path_fault(s, &tried, "must be true, or left out");
	(*out)->tried = flag != NULL;
	return rc ? rc : decode_machine(s, at, v, &(*out)->machine);
}
