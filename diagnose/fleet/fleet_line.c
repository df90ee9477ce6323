#include "fleet/fleet_line.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1
#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(12))
#define NUMBER_MAX 1e18

/* ---- writing --------------------------------------------------------------------------------- */

static json_t *put_interval(struct sd_interval v)
{
	return json_pack("[f, f, f]", v.value, v.low, v.high);
}

static json_t *put_numbers(const struct sd_fleet_node *node)
{
	json_t *const out = json_object();

	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		if (sd_status_bounded(node->number[i]))
			json_object_set_new(
				out, sd_node_numbers_name(i), put_interval(node->number[i]));
	return out;
}

static json_t *put_facts(const struct sd_node_facts *facts)
{
	json_t *const out = json_object();

	for (int i = 0; i < SD_NODE_FACT_COUNT; i++)
		if (facts->text[i][0])
			json_object_set_new(out, sd_node_fact_name[i], json_string(facts->text[i]));
	return out;
}

static json_t *put_pairs(const struct sd_fleet_node *node)
{
	json_t *const out = json_object();

	for (size_t i = 0; i < node->n_pair; i++)
		json_object_set_new(
			out, node->pair[i].cpus, put_interval(node->pair[i].round_trip));
	return out;
}

int sd_fleet_line_encode(FILE *f, const struct sd_fleet_node *node)
{
	json_t *const line = json_pack("{s:s, s:i, s:s, s:s, s:i, s:f, s:b, s:o, s:o, s:o}", "kind",
		SD_FLEET_LINE_KIND, "schema", SCHEMA, "host", node->host, "group", node->group,
		"model_length", (int)node->model_length, "start", node->start, "quick", node->quick,
		"facts", put_facts(node->facts), "numbers", put_numbers(node), "pairs",
		put_pairs(node));
	int rc = line ? 0 : -ENOMEM;

	if (rc == 0 && (json_dumpf(line, f, DUMP) != 0 || fputc('\n', f) == EOF))
		rc = -EIO;
	json_decref(line);
	return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	const char *name;
	size_t line;
	const struct sd_sink *sink;
};

static int refuse(const struct reading *r, const char *key, const char *what)
{
	sd_say(r->sink, SD_LEVEL_ERROR, "%s:%zu: %s%s%s", r->name, r->line, key, key[0] ? " " : "",
		what);
	return -EINVAL;
}

static int get_text(
	const struct reading *r, const json_t *object, const char *key, char *out, size_t size)
{
	const json_t *const v = json_object_get(object, key);

	if (!json_is_string(v) || json_string_length(v) >= size)
		return refuse(r, key, "must be a text, and not longer than ours");
	memcpy(out, json_string_value(v), json_string_length(v) + 1);
	if (strlen(out) != json_string_length(v))
		return refuse(r, key, "has a NUL byte");
	for (const char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return refuse(r, key, "has a control character");
	return 0;
}

static int get_number(
	const struct reading *r, const json_t *object, const char *key, double high, double *out)
{
	const json_t *const v = json_object_get(object, key);

	*out = json_number_value(v);
	return json_is_number(v) && *out >= 0 && *out <= high
		       ? 0
		       : refuse(r, key, "must be a number in its range");
}

/* [value, low, high] */
static int get_interval(
	const struct reading *r, const char *key, const json_t *v, struct sd_interval *out)
{
	double n[3];

	if (!json_is_array(v) || json_array_size(v) != 3)
		return refuse(r, key, "must be three numbers: value, low, high");
	for (size_t i = 0; i < 3; i++) {
		if (!json_is_number(json_array_get(v, i)))
			return refuse(r, key, "must be three numbers: value, low, high");
		n[i] = json_number_value(json_array_get(v, i));
	}
	if (!(n[1] >= 0 && n[1] <= n[0] && n[0] <= n[2] && n[2] <= NUMBER_MAX))
		return refuse(r, key, "must be low <= value <= high, none negative");
	*out = (struct sd_interval){n[0], n[1], n[2], SD_STATUS_OK};
	return 0;
}

static int get_numbers(const struct reading *r, const json_t *root, struct sd_fleet_node *out)
{
	const json_t *const numbers = json_object_get(root, "numbers");
	int rc = json_is_object(numbers) ? 0 : refuse(r, "numbers", "must be an object");

	for (size_t i = 0; rc == 0 && i < SD_NODE_NUMBERS; i++) {
		const json_t *const v = json_object_get(numbers, sd_node_numbers_name(i));

		if (v)
			rc = get_interval(r, sd_node_numbers_name(i), v, &out->number[i]);
	}
	return rc;
}

static int get_facts(const struct reading *r, const json_t *root, struct sd_fleet_node *out)
{
	const json_t *const facts = json_object_get(root, "facts");
	struct sd_node_facts *const to = calloc(1, sizeof *to);
	int rc = json_is_object(facts) ? 0 : refuse(r, "facts", "must be an object");

	out->facts = to;
	if (!to)
		return -ENOMEM;
	for (int i = 0; rc == 0 && i < SD_NODE_FACT_COUNT; i++)
		if (json_object_get(facts, sd_node_fact_name[i]))
			rc = get_text(
				r, facts, sd_node_fact_name[i], to->text[i], sizeof to->text[i]);
	return rc;
}

static int get_pair(
	const struct reading *r, const char *cpus, const json_t *v, struct sd_fleet_node *out)
{
	struct sd_fleet_pair *const to = &out->pair[out->n_pair];

	if (!cpus[0] || strspn(cpus, "0123456789,-") != strlen(cpus) ||
		strlen(cpus) >= sizeof to->cpus)
		return refuse(r, "pairs", "must be named by their CPUs");
	memcpy(to->cpus, cpus, strlen(cpus) + 1);
	out->n_pair++;
	return get_interval(r, "pairs", v, &to->round_trip);
}

static int get_pairs(const struct reading *r, json_t *root, struct sd_fleet_node *out)
{
	json_t *const pairs = json_object_get(root, "pairs"), *v;
	const char *cpus;
	int rc = 0;

	if (!json_is_object(pairs) || json_object_size(pairs) > SD_FLEET_PAIRS_MAX)
		return refuse(r, "pairs", "must be an object, and of no more pairs than ours");
	if (json_object_size(pairs) == 0)
		return 0;
	out->pair = calloc(json_object_size(pairs), sizeof *out->pair);
	if (!out->pair)
		return -ENOMEM;
	json_object_foreach(pairs, cpus, v)
	{
		rc = get_pair(r, cpus, v, out);
		if (rc)
			break;
	}
	return rc;
}

static int get_head(const struct reading *r, const json_t *root, struct sd_fleet_node *out)
{
	const char *const kind = json_string_value(json_object_get(root, "kind"));
	double model = 0;
	int rc;

	if (!kind || strcmp(kind, SD_FLEET_LINE_KIND) != 0 ||
		json_integer_value(json_object_get(root, "schema")) != SCHEMA)
		return refuse(
			r, "", "is no node that 'scalediag fleet export' of this version wrote");
	rc = get_text(r, root, "host", out->host, sizeof out->host);
	if (rc == 0 && !out->host[0])
		rc = refuse(r, "host", "must not be empty");
	if (rc == 0)
		rc = get_text(r, root, "group", out->group, sizeof out->group);
	if (rc == 0)
		rc = get_number(r, root, "model_length", (double)strlen(out->group), &model);
	if (rc == 0)
		rc = get_number(r, root, "start", 1e12, &out->start);
	if (rc == 0 && !json_is_boolean(json_object_get(root, "quick")))
		rc = refuse(r, "quick", "must be true or false");
	out->model_length = (unsigned)model;
	out->quick = json_is_true(json_object_get(root, "quick"));
	return rc;
}

int sd_fleet_line_parse(const char *text, size_t size, const char *name, size_t line,
	struct sd_fleet_node *out, const struct sd_sink *sink)
{
	const struct reading r = {name, line, sink};
	json_error_t error = {0};
	json_t *root;
	int rc;

	*out = (struct sd_fleet_node){.n_pair = 0};
	if (size > SD_FLEET_LINE_MAX)
		return refuse(&r, "", "is longer than any line of ours");
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return refuse(&r, "", error.text);
	rc = json_is_object(root) ? get_head(&r, root, out) : refuse(&r, "", "is no object");
	if (rc == 0)
		rc = get_facts(&r, root, out);
	if (rc == 0)
		rc = get_numbers(&r, root, out);
	if (rc == 0)
		rc = get_pairs(&r, root, out);
	json_decref(root);
	if (rc)
		sd_fleet_node_free(out);
	return rc;
}
