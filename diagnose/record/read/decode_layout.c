#include "read/decode.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sd_fields no_fields = {0};

static int number(const struct sd_source *s, const struct sd_json_path *up, const json_t *list,
	size_t i, double high, int whole, double *out)
{
	const struct sd_json_path at = {.up = up, .index = i};

	return sd_decode_number(s, &at, json_array_get(list, i), 0, high, whole, out);
}

static int decode_pu(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_pu *out)
{
	unsigned *const member[] = {&out->os, &out->core, &out->smt_rank, &out->llc, &out->numa,
		&out->package, &out->kind};
	const size_t n = sizeof member / sizeof *member;
	int rc = sd_decode_array(s, at, v, n);

	if (!rc && json_array_size(v) != n)
		rc = sd_json_path_fault(
			s, at, "has %zu numbers of a CPU, not %zu", json_array_size(v), n);
	for (size_t i = 0; !rc && i < n; i++) {
		double d = 0;

		rc = number(s, at, v, i, SD_CPU_MAX, 1, &d);
		*member[i] = (unsigned)d;
	}
	return rc;
}

static int decode_pus(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_MACHINE_LAYOUT_PUS);

	if (rc || n == 0)
		return rc;
	out->pu = calloc(n, sizeof *out->pu);
	if (!out->pu)
		return -ENOMEM;
	out->n_pu = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_pu(s, &here, json_array_get(v, i), &out->pu[i]);
		if (!rc && i > 0 && out->pu[i].os <= out->pu[i - 1].os)
			rc = sd_json_path_fault(s, &here, "CPU %u after %u: they must rise",
				out->pu[i].os, out->pu[i - 1].os);
	}
	return rc;
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

static int decode_pairs(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_pairs *out)
{
	static const char *const others[] = {"cpus", "s", NULL};
	const struct sd_json_path cpus = {.up = at, .key = "cpus"}, time = {.up = at, .key = "s"};
	const json_t *const list = json_object_get(v, cpus.key);
	int rc = sd_decode_fields(s, at, v, &no_fields, others, out);

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

static int decode_curve(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_loaded *out)
{
	static const char *const others[] = {"mix", "points", NULL};
	static const char *const mixes[] = {"read", "2:1", "1:1"};
	const struct sd_json_path mix = {.up = at, .key = "mix"},
				  points = {.up = at, .key = "points"};
	const json_t *const list = json_object_get(v, points.key);
	const char *const name = json_string_value(json_object_get(v, mix.key));
	int rc = sd_decode_fields(s, at, v, &no_fields, others, out);

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

static int decode_loaded(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_MACHINE_LAYOUT_LOADED);

	if (rc || n == 0)
		return rc;
	out->loaded = calloc(n, sizeof *out->loaded);
	if (!out->loaded)
		return -ENOMEM;
	out->n_loaded = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_curve(s, &here, json_array_get(v, i), &out->loaded[i]);
	}
	return rc;
}

int sd_decode_layout(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out)
{
	static const char *const others[] = {"cpus", "?pairs", "?loaded", NULL};
	const struct sd_json_path cpus = {.up = at, .key = "cpus"},
				  pairs = {.up = at, .key = "pairs"},
				  loaded = {.up = at, .key = "loaded"};
	int rc = sd_decode_fields(s, at, v, &no_fields, others, out);

	if (!rc)
		rc = decode_pus(s, &cpus, json_object_get(v, cpus.key), out);
	if (!rc && json_object_get(v, pairs.key))
		rc = decode_pairs(s, &pairs, json_object_get(v, pairs.key), &out->pairs);
	if (!rc && json_object_get(v, loaded.key))
		rc = decode_loaded(s, &loaded, json_object_get(v, loaded.key), out);
	return rc;
}
