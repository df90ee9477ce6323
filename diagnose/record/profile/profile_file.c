#include "profile/profile_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields/json_path.h"

/* A profile has a few thousand rows at most: a file that asks for more is not one. */
#define ROWS_MAX 200000u
#define COUNT_MAX 1e15
#define CALIBRATIONS_MAX 1000000u

/* ---- the building blocks: each takes the member `key` of an object at `up` ------------------- */

struct place {
	const struct sd_source *s;
	const struct sd_json_path *up;
	const json_t *object;
};

static int get_text(const struct place *p, const char *key, char *out, size_t size)
{
	const struct sd_json_path at = {.up = p->up, .key = key};
	const json_t *v = json_object_get(p->object, key);

	if (!json_is_string(v))
		return sd_json_path_fault(p->s, &at, "must be a text");
	if (json_string_length(v) >= size)
		return sd_json_path_fault(p->s, &at, "must have less than %zu bytes", size);
	memcpy(out, json_string_value(v), json_string_length(v) + 1);
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return sd_json_path_fault(p->s, &at, "has a control character");
	return 0;
}

/* A number within [low, high]; null is NaN when `null` allows it. */
static int get_number(
	const struct place *p, const char *key, double low, double high, int null, double *out)
{
	const struct sd_json_path at = {.up = p->up, .key = key};
	const json_t *v = json_object_get(p->object, key);

	if (null && json_is_null(v)) {
		*out = NAN;
		return 0;
	}
	if (!json_is_number(v))
		return sd_json_path_fault(p->s, &at, "must be a number");
	*out = json_number_value(v);
	if (!(*out >= low && *out <= high))
		return sd_json_path_fault(p->s, &at, "must be from %g to %g", low, high);
	return 0;
}

static int get_count(const struct place *p, const char *key, double high, size_t *out)
{
	const struct sd_json_path at = {.up = p->up, .key = key};
	double v = 0;
	const int rc = get_number(p, key, 0, high, 0, &v);

	if (rc)
		return rc;
	if (v != floor(v))
		return sd_json_path_fault(p->s, &at, "must be a whole number");
	*out = (size_t)v;
	return 0;
}

static int get_unsigned(const struct place *p, const char *key, double high, unsigned *out)
{
	size_t v = 0;
	const int rc = get_count(p, key, high, &v);

	*out = (unsigned)v;
	return rc;
}

/* A number, or the name of the reason why there is none. */
static int get_value(const struct place *p, const char *key, double high, struct sd_value *out)
{
	const struct sd_json_path at = {.up = p->up, .key = key};
	const json_t *v = json_object_get(p->object, key);
	enum sd_status status;

	if (json_is_string(v)) {
		if (sd_status_parse(json_string_value(v), &status) != 0 || status == SD_STATUS_OK)
			return sd_json_path_fault(
				p->s, &at, "must be a number or why there is none");
		*out = (struct sd_value){.status = status};
		return 0;
	}
	*out = SD_OK(0);
	return get_number(p, key, 0, high, 0, &out->value);
}

static int get_bool(const struct place *p, const char *key, int *out)
{
	const struct sd_json_path at = {.up = p->up, .key = key};
	const json_t *v = json_object_get(p->object, key);

	if (!json_is_boolean(v))
		return sd_json_path_fault(p->s, &at, "must be true or false");
	*out = json_is_true(v);
	return 0;
}

/* The member object `key`; its step goes to *step, which p then points to. */
static int get_object(
	const struct place *in, const char *key, struct sd_json_path *step, struct place *p)
{
	*step = (struct sd_json_path){.up = in->up, .key = key};
	*p = (struct place){in->s, step, json_object_get(in->object, key)};
	return json_is_object(p->object) ? 0 : sd_json_path_fault(in->s, step, "must be an object");
}

/* A text that rows share, kept once: a profile has few of them. */
static int get_shared(
	const struct place *p, const char *key, struct sd_profile *out, const char **text)
{
	char word[96];
	int rc = get_text(p, key, word, sizeof word);

	if (rc)
		return rc;
	if (out->names.n > 1000 && word[0])
		return sd_json_path_fault(p->s, p->up, "has a kernel or unit too many");
	rc = sd_texts_add_once(&out->names, word);
	for (size_t i = 0; rc == 0 && i < out->names.n; i++)
		if (strcmp(out->names.text[i], word) == 0)
			*text = out->names.text[i];
	return rc;
}

/* ---- the parts ------------------------------------------------------------------------------- */

static int get_numbers(const struct place *p, struct sd_bench_row *r)
{
	static const char *const key[] = {"median", "q1", "q3", "low", "high"};
	double v[5] = {0};
	int rc = 0;
	const int has = r->n > 0 && (r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY);

	for (int i = 0; rc == 0 && i < 5; i++)
		rc = get_number(p, key[i], -1e30, 1e30, !has, &v[i]);
	if (rc || !has)
		return rc;
	if (!(v[3] <= v[1] && v[1] <= v[0] && v[0] <= v[2] && v[2] <= v[4]))
		return sd_json_path_fault(p->s, p->up, "low, q1, median, q3, high must not fall");
	r->median = v[0];
	r->q1 = v[1];
	r->q3 = v[2];
	r->low = v[3];
	r->high = v[4];
	return 0;
}

static int get_row(const struct place *p, struct sd_profile *out, struct sd_bench_row *r)
{
	char status[32];
	int rc = get_shared(p, "kernel", out, &r->kernel);

	if (rc == 0)
		rc = get_shared(p, "unit", out, &r->unit);
	if (rc == 0)
		rc = get_shared(p, "parameter_unit", out, &r->parameter_unit);
	if (rc == 0)
		rc = get_text(p, "variant", r->variant, sizeof r->variant);
	if (rc == 0)
		rc = get_text(p, "cpus", r->cpus, sizeof r->cpus);
	if (rc == 0)
		rc = get_text(p, "why", r->why, sizeof r->why);
	if (rc == 0)
		rc = get_text(p, "status", status, sizeof status);
	if (rc == 0 && sd_status_parse(status, &r->status) != 0)
		rc = sd_json_path_fault(p->s, p->up, "has the unknown status \"%s\"", status);
	if (rc == 0)
		rc = get_unsigned(p, "cores", SD_CPU_MAX, &r->cores);
	if (rc == 0)
		rc = get_unsigned(p, "state", SD_STATES_MAX - 1, &r->state);
	if (rc == 0)
		rc = get_count(p, "n", COUNT_MAX, &r->n);
	if (rc == 0)
		rc = get_count(p, "dropped", COUNT_MAX, &r->dropped);
	if (rc == 0)
		rc = get_number(p, "parameter", -1e30, 1e30, 0, &r->parameter);
	if (rc == 0 && json_object_get(p->object, "calibrations"))
		rc = get_unsigned(p, "calibrations", CALIBRATIONS_MAX, &r->calibrations);
	if (rc == 0 && json_object_get(p->object, "between"))
		rc = get_number(p, "between", 0, 1e3, 0, &r->between);
	return rc ? rc : get_numbers(p, r);
}

static int get_rows(const struct place *root, struct sd_profile *out)
{
	const struct sd_json_path at = {.up = root->up, .key = "rows"};
	const json_t *rows = json_object_get(root->object, "rows");
	int rc = 0;

	if (!json_is_array(rows) || json_array_size(rows) > ROWS_MAX)
		return sd_json_path_fault(
			root->s, &at, "must be an array of at most %u rows", ROWS_MAX);
	for (size_t i = 0; rc == 0 && i < json_array_size(rows); i++) {
		const struct sd_json_path here = {.up = &at, .index = i};
		const struct place p = {root->s, &here, json_array_get(rows, i)};
		struct sd_bench_row row = {.kernel = ""};

		rc = json_is_object(p.object)
			     ? get_row(&p, out, &row)
			     : sd_json_path_fault(root->s, &here, "must be an object");
		if (rc == 0)
			rc = sd_bench_rows_add(&out->rows, &row);
	}
	return rc;
}

static int get_states(const struct place *root, struct sd_profile *out)
{
	const struct sd_json_path at = {.up = root->up, .key = "states"};
	const json_t *states = json_object_get(root->object, "states");
	int rc = 0;

	if (!json_is_array(states) || json_array_size(states) > SD_STATES_MAX)
		return sd_json_path_fault(
			root->s, &at, "must be an array of at most %d", SD_STATES_MAX);
	out->states.n = (unsigned)json_array_size(states);
	for (unsigned i = 0; rc == 0 && i < out->states.n; i++) {
		const struct sd_json_path here = {.up = &at, .index = i};
		const struct place p = {root->s, &here, json_array_get(states, i)};

		rc = get_number(&p, "line_s", 1e-12, 1, 0, &out->states.line[i]);
		if (rc == 0)
			rc = get_count(&p, "seen", COUNT_MAX, &out->states.seen[i]);
		if (rc == 0 && json_object_get(p.object, "near_s")) {
			rc = get_number(&p, "near_s", 1e-12, 1, 0, &out->states.split[i][0]);
			if (rc == 0)
				rc = get_number(&p, "far_s", out->states.split[i][0], 1, 0,
					&out->states.split[i][1]);
		}
		if (rc == 0 && i > 0 && out->states.line[i] < out->states.line[i - 1])
			rc = sd_json_path_fault(root->s, &here, "is nearer than the one before");
	}
	return rc;
}

static int get_host(const struct place *root, struct sd_profile *out)
{
	struct sd_json_path step;
	struct place p;
	int rc = get_object(root, "host", &step, &p);

	if (rc == 0)
		rc = get_text(&p, "name", out->key.host, sizeof out->key.host);
	if (rc == 0)
		rc = get_text(&p, "cpu", out->key.cpu, sizeof out->key.cpu);
	if (rc == 0)
		rc = get_text(&p, "kernel", out->key.kernel, sizeof out->key.kernel);
	if (rc == 0)
		rc = get_text(&p, "topology", out->key.topology, sizeof out->key.topology);
	if (rc == 0 && json_object_get(p.object, "machine"))
		rc = get_text(&p, "machine", out->key.machine, sizeof out->key.machine);
	if (rc == 0)
		rc = get_unsigned(&p, "granted_cpus", SD_CPU_MAX, &out->granted);
	return rc ? rc : get_value(&p, "visible_llc", 1e15, &out->visible_llc);
}

/* Facts that an older version did not keep, or the node did not tell, are left out. */
static int get_facts(const struct place *root, struct sd_profile *out)
{
	struct sd_json_path step;
	struct place p;
	int rc;

	out->memory_peak = SD_NOT(ABSENT);
	if (!json_object_get(root->object, "facts"))
		return 0;
	rc = get_object(root, "facts", &step, &p);
	for (int i = 0; rc == 0 && i < SD_NODE_FACT_COUNT; i++)
		if (json_object_get(p.object, sd_node_fact_name[i]))
			rc = get_text(&p, sd_node_fact_name[i], out->facts.text[i],
				sizeof out->facts.text[i]);
	if (rc == 0 && json_object_get(p.object, "memory-peak"))
		rc = get_value(&p, "memory-peak", 1e15, &out->memory_peak);
	return rc;
}

static int get_noise(const struct place *root, struct sd_profile *out)
{
	struct sd_json_path step;
	struct place p;
	int rc = get_object(root, "noise", &step, &p);

	if (rc == 0)
		rc = get_value(&p, "steal", 1, &out->quiet.steal);
	return rc ? rc : get_value(&p, "psi_cpu", 1, &out->quiet.psi_cpu);
}

static int get_profile(const struct place *root, struct sd_profile *out)
{
	struct sd_json_path step;
	struct place tool;
	int rc = get_object(root, "tool", &step, &tool);

	if (rc == 0)
		rc = get_text(&tool, "version", out->tool_version, sizeof out->tool_version);
	if (rc == 0)
		rc = get_host(root, out);
	if (rc == 0)
		rc = get_number(root, "start", 0, 1e12, 0, &out->start);
	if (rc == 0)
		rc = get_number(root, "seconds", 0, 1e9, 0, &out->seconds);
	if (rc == 0)
		rc = get_bool(root, "quick", &out->quick);
	out->calibrations = 1;
	if (rc == 0 && json_object_get(root->object, "calibrations"))
		rc = get_unsigned(root, "calibrations", CALIBRATIONS_MAX, &out->calibrations);
	if (rc == 0 && json_object_get(root->object, "blocks"))
		rc = get_unsigned(root, "blocks", CALIBRATIONS_MAX, &out->blocks);
	if (rc == 0)
		rc = get_facts(root, out);
	if (rc == 0)
		rc = get_noise(root, out);
	if (rc == 0)
		rc = get_states(root, out);
	if (rc == 0)
		rc = get_rows(root, out);
	if (rc == 0)
		sd_profile_count(out);
	return rc;
}

static int check_kind(const struct sd_source *s, const json_t *root)
{
	const struct sd_json_path at = {.key = "schema"};
	const char *kind = json_string_value(json_object_get(root, "kind"));
	const json_t *schema = json_object_get(root, "schema");

	if (!kind || strcmp(kind, SD_PROFILE_KIND) != 0)
		return sd_json_path_fault(s, NULL,
			"is JSON, but not a calibration of scalediag (%s)", SD_PROFILE_KIND);
	if (!json_is_integer(schema) || json_integer_value(schema) != SD_PROFILE_SCHEMA)
		return sd_json_path_fault(s, &at,
			"is not %d, which is what this scalediag reads; calibrate again",
			SD_PROFILE_SCHEMA);
	return 0;
}

int sd_profile_parse(const char *text, size_t size, const char *name, struct sd_profile *out,
	const struct sd_sink *sink)
{
	const struct sd_source s = {.name = name, .text = text, .size = size, .sink = sink};
	struct place root = {&s, NULL, NULL};
	json_error_t error = {0};
	json_t *json;
	int rc;

	*out = (struct sd_profile){0};
	if (size > SD_PROFILE_BYTES)
		return sd_json_path_fault(&s, NULL, "has more than %zu bytes", SD_PROFILE_BYTES);
	json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!json) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s:%d: not a calibration of scalediag, or damaged: %s", name, error.line,
			error.text);
		return -EINVAL;
	}
	root.object = json;
	rc = check_kind(&s, json);
	if (rc == 0)
		rc = get_profile(&root, out);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "%s: not enough memory to read it", name);
	json_decref(json);
	if (rc)
		sd_profile_free(out);
	return rc;
}
