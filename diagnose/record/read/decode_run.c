#include "read/decode.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_others[] = {NULL};

static int decode_flags(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, unsigned *out)
{
	int rc = sd_decode_array(s, at, v, SD_FIELD_FLAGS);

	for (size_t i = 0; !rc && i < json_array_size(v); i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		const char *name = json_string_value(json_array_get(v, i));
		unsigned bit = 0;

		while (name && bit < SD_FIELD_FLAGS &&
			!(sd_field_flag[bit] && strcmp(sd_field_flag[bit], name) == 0))
			bit++;
		if (!name || bit == SD_FIELD_FLAGS)
			rc = sd_json_path_fault(
				s, &here, "\"%.40s\" is no fact of a run", name ? name : "");
		else if (*out >> bit & 1u)
			rc = sd_json_path_fault(s, &here, "\"%.40s\" stands here twice", name);
		else
			*out |= 1u << bit;
	}
	return rc;
}

static int decode_concurrency(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, struct sd_run *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_RECORD_CONCURRENCY);

	if (rc || n == 0)
		return rc;
	out->concurrency = calloc(n, sizeof *out->concurrency);
	if (!out->concurrency)
		return -ENOMEM;
	out->n_concurrency = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_number(
			s, &here, json_array_get(v, i), 0, DBL_MAX, 0, &out->concurrency[i]);
	}
	return rc;
}

static int decode_threads(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_run *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_RUN_THREADS);

	if (rc || n == 0)
		return rc;
	if (n > out->n_thread_seen)
		return sd_json_path_fault(
			s, at, "has %zu threads, but only %zu were seen", n, out->n_thread_seen);
	out->thread = calloc(n, sizeof *out->thread);
	if (!out->thread)
		return -ENOMEM;
	out->n_thread = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_fields(s, &here, json_array_get(v, i), &sd_fields_thread, no_others,
			&out->thread[i]);
	}
	return rc;
}

int sd_decode_run(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t n_point, const struct sd_stacks *stacks, struct sd_run *out)
{
	static const char *const others[] = {"flags", "metrics", "idle", "concurrency", "threads",
		"?pass", "?roles", "?sampled", "?simulated", "?memory", "?tried", NULL};
	const struct sd_json_path point = {.up = at, .key = "point"},
				  flags = {.up = at, .key = "flags"},
				  metrics = {.up = at, .key = "metrics"},
				  idle = {.up = at, .key = "idle"},
				  concurrency = {.up = at, .key = "concurrency"},
				  threads = {.up = at, .key = "threads"},
				  pass = {.up = at, .key = "pass"},
				  roles = {.up = at, .key = "roles"},
				  sampled = {.up = at, .key = "sampled"},
				  simulated = {.up = at, .key = "simulated"},
				  memory = {.up = at, .key = "memory"},
				  tried = {.up = at, .key = "tried"};
	double d = 0;
	int rc = sd_decode_fields(s, at, v, &sd_fields_run, others, out);

	if (!rc && out->point >= n_point)
		rc = sd_json_path_fault(
			s, &point, "is %zu, but the plan has %zu points", out->point, n_point);
	if (!rc)
		rc = decode_flags(s, &flags, json_object_get(v, flags.key), &out->flags);
	if (!rc)
		rc = sd_decode_fields(s, &metrics, json_object_get(v, metrics.key),
			&sd_fields_metrics, no_others, out);
	if (!rc)
		rc = sd_decode_fields(
			s, &idle, json_object_get(v, idle.key), &sd_fields_idle, no_others, out);
	if (!rc)
		rc = decode_concurrency(s, &concurrency, json_object_get(v, concurrency.key), out);
	if (!rc)
		rc = decode_threads(s, &threads, json_object_get(v, threads.key), out);
	if (!rc && json_object_get(v, pass.key))
		rc = sd_decode_number(
			s, &pass, json_object_get(v, pass.key), 0, SD_ROLE_COUNT - 1, 1, &d);
	out->pass = (unsigned)d;
	if (!rc && json_object_get(v, roles.key))
		rc = sd_decode_roles(s, &roles, json_object_get(v, roles.key), out);
	if (!rc && json_object_get(v, sampled.key))
		rc = sd_decode_sampled(
			s, &sampled, json_object_get(v, sampled.key), stacks, &out->sampled);
	if (!rc && json_object_get(v, simulated.key))
		rc = sd_decode_simulated(
			s, &simulated, json_object_get(v, simulated.key), stacks, &out->simulated);
	if (!rc && json_object_get(v, memory.key))
		rc = sd_decode_memory(
			s, &memory, json_object_get(v, memory.key), stacks, &out->memory);
	if (!rc && json_object_get(v, tried.key))
		rc = sd_decode_tried(s, &tried, json_object_get(v, tried.key), out);
	if (!rc && (out->kind == SD_RUN_EXPERIMENT) != (out->tried != NULL))
		rc = sd_json_path_fault(s, at, "%s",
			out->tried ? "is of an experiment, but of another kind"
				   : "is of no experiment");
	return rc;
}
