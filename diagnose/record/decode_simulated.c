#include "decode.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_others[] = {NULL};

/* Everything that refers to something else is checked against it. */
struct context {
	const struct sd_source *s;
	const struct sd_stacks *stacks;
	struct sd_simulated *out;
};

/* Fills one element; `at` is its place. */
typedef int element_fn(const struct context *c, const struct sd_step *at, const json_t *v,
	size_t index, void *out);

/* A list of at most `most` elements of `size` bytes, each filled in by `fill`; *list is owned. */
static int decode_list(const struct context *c, const struct sd_step *up, const json_t *v,
	const char *key, size_t most, size_t size, element_fn *fill, void **list, size_t *n)
{
	const struct sd_step at = {.up = up, .key = key};
	const json_t *array = json_object_get(v, key);
	const size_t count = json_array_size(array);
	int rc = sd_decode_array(c->s, &at, array, most);

	if (rc || count == 0)
		return rc;
	*list = calloc(count, size);
	if (!*list)
		return -ENOMEM;
	*n = count;
	for (size_t i = 0; !rc && i < count; i++) {
		const struct sd_step here = {.up = &at, .index = i};

		rc = fill(c, &here, json_array_get(array, i), i, (char *)*list + i * size);
	}
	return rc;
}

/* Numbers of the record's stacks; 0 is always there: unknown. */
static int check_node(
	const struct context *c, const struct sd_step *up, const char *key, unsigned node)
{
	const struct sd_step at = {.up = up, .key = key};

	if (node == 0 || node < c->stacks->n_node)
		return 0;
	return sd_fault(c->s, &at, "is %u, but there are %zu nodes", node, c->stacks->n_node);
}

static int check_text(
	const struct context *c, const struct sd_step *up, const char *key, unsigned text)
{
	const struct sd_step at = {.up = up, .key = key};

	if (text == 0 || text < c->stacks->n_text)
		return 0;
	return sd_fault(c->s, &at, "is %u, but there are %zu texts", text, c->stacks->n_text);
}

static int fill_distance(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	(void)index;
	return sd_decode_number(c->s, at, v, 0, DBL_MAX, 0, out);
}

static int fill_thread(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	static const char *const others[] = {"distances", NULL};
	struct sd_sim_thread *t = out;
	void *distances = NULL;
	size_t n = 0;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_thread, others, t);

	(void)index;
	if (!rc)
		rc = decode_list(c, at, v, "distances", SD_SIM_DISTANCES, sizeof(double),
			fill_distance, &distances, &n);
	if (!rc && n)
		memcpy(t->distance, distances, n * sizeof(double));
	free(distances);
	return rc;
}

static int fill_sharer(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	const struct sd_step thread = {.up = at, .key = "thread"};
	struct sd_sim_sharer *r = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_sharer, no_others, r);

	(void)index;
	if (!rc && r->thread >= c->out->n_thread)
		rc = sd_fault(c->s, &thread, "is %u, but there are %zu threads", r->thread,
			c->out->n_thread);
	return rc;
}

static int fill_code(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	struct sd_sim_code *code = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_code, no_others, code);

	(void)index;
	return rc ? rc : check_node(c, at, "node", code->node);
}

static int fill_line(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	static const char *const others[] = {"sharers", "codes", NULL};
	struct sd_sim_contested *l = out;
	void *list = NULL;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_line, others, l);

	if (!rc)
		rc = check_text(c, at, "name", l->name);
	if (!rc)
		rc = check_node(c, at, "site", l->site);
	if (!rc)
		rc = check_node(c, at, "other_site", l->other);
	if (!rc && index > 0 && l[-1].hitm_load + l[-1].hitm_store < l->hitm_load + l->hitm_store)
		rc = sd_fault(c->s, at, "moved more often than the line before it");
	if (!rc)
		rc = decode_list(c, at, v, "sharers", SD_SIM_SHARERS, sizeof *l->sharer,
			fill_sharer, &list, &l->n_sharer);
	l->sharer = list;
	list = NULL;
	if (!rc)
		rc = decode_list(c, at, v, "codes", SD_SIM_CODES, sizeof *l->code, fill_code, &list,
			&l->n_code);
	l->code = list;
	return rc;
}

static int fill_loop(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	struct sd_sim_loop *l = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_loop, no_others, l);

	(void)index;
	return rc ? rc : check_node(c, at, "node", l->node);
}

static int fill_race(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	struct sd_sim_race *r = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_race, no_others, r);

	(void)index;
	if (!rc)
		rc = check_text(c, at, "name", r->name);
	if (!rc)
		rc = check_node(c, at, "writer", r->writer);
	return rc ? rc : check_node(c, at, "other", r->other);
}

static int fill_conflict(
	const struct context *c, const struct sd_step *at, const json_t *v, size_t index, void *out)
{
	static const char *const others[] = {"stride", NULL};
	const struct sd_step stride = {.up = at, .key = "stride"};
	struct sd_sim_conflict *k = out;
	double d = 0;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_conflict, others, k);

	(void)index;
	if (!rc)
		rc = check_node(c, at, "node", k->node);
	if (!rc)
		rc = sd_decode_number(c->s, &stride, json_object_get(v, stride.key),
			-SD_FIELD_WHOLE, SD_FIELD_WHOLE, 1, &d);
	k->stride = (int64_t)d;
	return rc;
}

static int decode_machine(const struct sd_source *s, const struct sd_step *up, const json_t *v,
	struct sd_sim_machine *out)
{
	const struct sd_step at = {.up = up, .key = "machine"};

	return sd_decode_fields(
		s, &at, json_object_get(v, at.key), &sd_fields_machine, no_others, out);
}

/* As many as were seen, or fewer. */
static int check_seen(
	const struct context *c, const struct sd_step *up, const char *key, size_t n, size_t seen)
{
	const struct sd_step at = {.up = up, .key = key};

	return n <= seen ? 0 : sd_fault(c->s, &at, "are %zu, but only %zu were seen", n, seen);
}

int sd_decode_simulated(const struct sd_source *s, const struct sd_step *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_simulated **out)
{
	static const char *const others[] = {
		"machine", "threads", "lines", "loops", "races", "conflicts", NULL};
	struct sd_simulated *r = *out = calloc(1, sizeof *r);
	const struct context c = {.s = s, .stacks = stacks, .out = r};
	void *list[5] = {NULL};
	int rc = r ? sd_decode_fields(s, at, v, &sd_fields_simulated, others, r) : -ENOMEM;

	if (!rc)
		rc = decode_machine(s, at, v, &r->machine);
	if (!rc)
		rc = decode_list(&c, at, v, "threads", SD_SIM_THREADS, sizeof *r->thread,
			fill_thread, &list[0], &r->n_thread);
	if (!rc)
		rc = check_seen(&c, at, "threads", r->n_thread, r->n_thread_seen);
	if (!rc)
		rc = decode_list(&c, at, v, "lines", SD_SIM_LINES, sizeof *r->contested, fill_line,
			&list[1], &r->n_contested);
	if (!rc)
		rc = check_seen(&c, at, "lines", r->n_contested, r->n_contested_seen);
	if (!rc)
		rc = decode_list(&c, at, v, "loops", SD_SIM_LOOPS, sizeof *r->loop, fill_loop,
			&list[2], &r->n_loop);
	if (!rc)
		rc = decode_list(&c, at, v, "races", SD_SIM_RACES, sizeof *r->race, fill_race,
			&list[3], &r->n_race);
	if (!rc)
		rc = check_seen(&c, at, "races", r->n_race, r->n_race_seen);
	if (!rc)
		rc = decode_list(&c, at, v, "conflicts", SD_SIM_CONFLICTS, sizeof *r->conflict,
			fill_conflict, &list[4], &r->n_conflict);
	if (!r)
		return rc;
	r->thread = list[0];
	r->contested = list[1];
	r->loop = list[2];
	r->race = list[3];
	r->conflict = list[4];
	return rc;
}

int sd_decode_simulation(const struct sd_source *s, const struct sd_step *at, const json_t *v,
	struct sd_plan_simulation **out)
{
	static const char *const others[] = {"machine", NULL};
	int rc;

	*out = calloc(1, sizeof **out);
	if (!*out)
		return -ENOMEM;
	rc = sd_decode_fields(s, at, v, &sd_fields_simulation, others, *out);
	return rc ? rc : decode_machine(s, at, v, &(*out)->machine);
}
