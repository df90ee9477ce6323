#include "read/decode.h"
#include "read/decode_field.h"
#include "read/decode_struct.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sd_fields no_fields = {0};

static const struct sd_field layout[] = {
	{.key = "cpus",
		.type = SD_FIELD_ARRAY,
		.offset = offsetof(struct sd_machine_layout, pu),
		.count = offsetof(struct sd_machine_layout, n_pu),
		.size = sizeof(struct sd_pu),
		.fields = &sd_fields_pu,
		.most = SD_MACHINE_LAYOUT_PUS},
};
static const struct sd_fields layout_fields = {.field = layout, .n = 1};

static int number(const struct sd_source *s, const struct sd_json_path *up, const json_t *list,
	size_t i, double high, int whole, double *out)
{
	const struct sd_json_path at = {.up = up, .index = i};

	return sd_decode_number(s, &at, json_array_get(list, i), 0, high, whole, out);
}

/* The triangle below the diagonal; null: not measured. */
static int decode_triangle(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, struct sd_pairs *out)
{
	const size_t n = out->n, cells = n * (n - 1) / 2;
	size_t i = 0;
	int rc = sd_decode_array(s, at, v, cells);

	if (!rc && json_array_size(v) != cells)
		rc = sd_json_path_fault(s, at, "has %zu pairs, but %zu CPUs have %zu",
			json_array_size(v), n, cells);
	for (size_t a = 0; !rc && a < n; a++) {
		out->s[a * n + a] = -1;
		for (size_t b = 0; !rc && b < a; b++, i++) {
			double d = -1;

			if (!json_is_null(json_array_get(v, i)))
				rc = number(s, at, v, i, 1, 0, &d);
			out->s[a * n + b] = out->s[b * n + a] = d;
		}
	}
	return rc;
}

static int decode_pairs(
	struct sd_field_in *c, const struct sd_json_path *at, const json_t *v, struct sd_pairs *out)
{
	static const char *const others[] = {"cpus", "s", NULL};
	const struct sd_source *const s = c->s;
	const struct sd_json_path cpus = {.up = at, .key = "cpus"}, time = {.up = at, .key = "s"};
	const json_t *const list = json_object_get(v, cpus.key);
	int rc = sd_decode_fields(c, at, v, &no_fields, others, out);

	if (!rc)
		rc = sd_decode_array(s, &cpus, list, SD_MACHINE_LAYOUT_PAIRS);
	if (rc)
		return rc;
	out->n = json_array_size(list);
	if (out->n < 2)
		return sd_json_path_fault(s, &cpus, "has no pair");
	out->cpu = calloc(out->n, sizeof *out->cpu);
	out->s = calloc(out->n * out->n, sizeof *out->s);
	if (!out->cpu || !out->s)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < out->n; i++) {
		double d = 0;

		rc = number(s, &cpus, list, i, SD_CPU_MAX, 1, &d);
		out->cpu[i] = (unsigned)d;
	}
	return rc ? rc : decode_triangle(s, &time, json_object_get(v, time.key), out);
}

static int decode_point(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	double *bandwidth, double *latency)
{
	int rc = sd_decode_array(s, at, v, 2);

	if (!rc && json_array_size(v) != 2)
		rc = sd_json_path_fault(s, at, "must be bytes/s and s");
	if (!rc)
		rc = number(s, at, v, 0, DBL_MAX, 0, bandwidth);
	return rc ? rc : number(s, at, v, 1, 1, 0, latency);
}

static int decode_curve(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_loaded *out)
{
	static const char *const others[] = {"mix", "points", NULL};
	const struct sd_source *const s = c->s;
	static const char *const mixes[] = {"read", "2:1", "1:1"};
	const struct sd_json_path mix = {.up = at, .key = "mix"},
				  points = {.up = at, .key = "points"};
	const json_t *const list = json_object_get(v, points.key);
	const char *const name = json_string_value(json_object_get(v, mix.key));
	int rc = sd_decode_fields(c, at, v, &no_fields, others, out);

	for (size_t i = 0; name && i < sizeof mixes / sizeof *mixes; i++)
		if (strcmp(name, mixes[i]) == 0)
			snprintf(out->mix, sizeof out->mix, "%s", mixes[i]);
	if (!rc && !*out->mix)
		rc = sd_json_path_fault(s, &mix, "must be read, 2:1 or 1:1");
	if (!rc)
		rc = sd_decode_array(s, &points, list, SD_MACHINE_LAYOUT_POINTS);
	if (rc)
		return rc;
	out->n = json_array_size(list);
	out->bandwidth = calloc(out->n + 1, sizeof *out->bandwidth);
	out->latency = calloc(out->n + 1, sizeof *out->latency);
	if (!out->bandwidth || !out->latency)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < out->n; i++) {
		const struct sd_json_path here = {.up = &points, .index = i};

		rc = decode_point(
			s, &here, json_array_get(list, i), &out->bandwidth[i], &out->latency[i]);
	}
	return rc;
}

static int decode_loaded(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(c->s, at, v, SD_MACHINE_LAYOUT_LOADED);

	if (rc || n == 0)
		return rc;
	out->loaded = calloc(n, sizeof *out->loaded);
	if (!out->loaded)
		return -ENOMEM;
	out->n_loaded = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_curve(c, &here, json_array_get(v, i), &out->loaded[i]);
	}
	return rc;
}

int sd_decode_layout(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out)
{
	static const char *const others[] = {"?pairs", "?loaded", NULL};
	const struct sd_json_path pairs = {.up = at, .key = "pairs"},
				  loaded = {.up = at, .key = "loaded"};
	int rc = sd_decode_fields(c, at, v, &layout_fields, others, out);

	if (!rc && json_object_get(v, pairs.key))
		rc = decode_pairs(c, &pairs, json_object_get(v, pairs.key), &out->pairs);
	if (!rc && json_object_get(v, loaded.key))
		rc = decode_loaded(c, &loaded, json_object_get(v, loaded.key), out);
	return rc;
}
