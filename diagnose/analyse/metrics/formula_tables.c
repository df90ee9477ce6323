#include "metrics/formula_tables.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/one_more.h"

enum { TEXT_MAX = 1000, NAME_MAX_BYTES = 40, ROWS_MAX = 2000, FAMILIES_MAX = 64 };

static const char *const term_name[SD_TERM_COUNT] = {
#define X(id, name, meaning) [SD_TERM_##id] = name,
	SD_TERMS(X)
#undef X
};

/* A unit is one of these, so that reports and readers meet no two words for one thing. */
static const char *const units[] = {"ratio", "%", "cycles", "cycles/instruction",
	"instructions/cycle", "1/instruction", "1/1000 instructions", "1/cycle", "lines/cycle",
	"lines/instruction", "lines/s", "lines", "bytes", "bytes/s", "bytes/cycle", "GB/s", "GHz",
	"ns", "s", "cores", "elements/instruction", "elements/access", "flops/s",
	"locks/instruction", "1/s"};

struct reader {
	struct sd_formula_tables *f;
	const char *file;
	const struct sd_sink *sink;
};

static const char *keep(struct sd_formula_tables *f, const char *text)
{
	return sd_texts_add(&f->strings, "%s", text) ? NULL : f->strings.text[f->strings.n - 1];
}

/* A printable string; 1 when it is there, 0 when not. */
static int text_of(
	const struct reader *r, const config_setting_t *s, const char *key, const char **out)
{
	const char *v = s ? config_setting_get_string(s) : NULL;

	if (!s)
		return 0;
	if (!v || !*v || strlen(v) > TEXT_MAX)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"%s: must be a string of 1 to %d characters", key, TEXT_MAX);
	if (!sd_config_fields_prints(v))
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"%s: holds a character that does not print", key);
	*out = keep(r->f, v);
	return *out ? 1 : -ENOMEM;
}

static int needed(const struct reader *r, config_setting_t *row, const char *key, const char **out)
{
	int rc = text_of(r, config_setting_get_member(row, key), key, out);

	if (rc == 0)
		return sd_config_fields_bad(
			r->sink, r->file, sd_config_fields_line(row), "a metric has a %s", key);
	return rc < 0 ? rc : 0;
}

static int read_text(const struct reader *r, config_setting_t *s, const char *key, const char **out)
{
	const int rc = text_of(r, config_setting_get_member(s, key), key, out);

	return rc < 0 ? rc : 0;
}

static int compile(const struct reader *r, unsigned line, const char *key, const char *text,
	struct sd_bound_expression *out)
{
	char why[256] = "";
	int rc = sd_expression_make(&out->expression, text, why, sizeof why);

	if (rc == -EINVAL)
		return sd_config_fields_bad(
			r->sink, r->file, line, "%s: '%.200s': %s", key, text, why);
	return rc;
}

static int read_formula(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	config_setting_t *s = config_setting_get_member(row, "formula");
	int n, rc = 0;

	if (!s)
		return sd_config_fields_bad(
			r->sink, r->file, sd_config_fields_line(row), "a metric has a formula");
	n = config_setting_is_aggregate(s) ? config_setting_length(s) : 1;
	if (n < 1 || n > SD_FORMULA_CHOICES)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"formula: must be one or up to %d of them", SD_FORMULA_CHOICES);
	for (int i = 0; rc == 0 && i < n; i++) {
		const config_setting_t *one = config_setting_is_aggregate(s)
						      ? config_setting_get_elem(s, (unsigned)i)
						      : s;
		const char *text = NULL;

		rc = text_of(r, one, "formula", &text);
		if (rc < 0)
			return rc;
		rc = compile(r, sd_config_fields_line(one), "formula", text, &out->value[i]);
		if (rc == 0)
			out->n_value++;
	}
	return rc;
}

static int read_threshold(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	config_setting_t *above = config_setting_get_member(row, "above");
	config_setting_t *below = config_setting_get_member(row, "below");
	config_setting_t *s = above ? above : below;
	const char *key = above ? "above" : "below", *text = NULL;
	char number[40];
	double v;

	if (!s)
		return 0;
	if (above && below)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(below),
			"above and below: a metric has one threshold");
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
		v = config_setting_get_int(s);
		break;
	case CONFIG_TYPE_FLOAT:
		v = config_setting_get_float(s);
		break;
	case CONFIG_TYPE_STRING:
		text = config_setting_get_string(s);
		v = 0;
		break;
	default:
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"%s: must be a number or a formula", key);
	}
	if (!isfinite(v))
		return sd_config_fields_bad(
			r->sink, r->file, sd_config_fields_line(s), "%s: is not finite", key);
	out->threshold = above ? SD_THRESHOLD_ABOVE : SD_THRESHOLD_BELOW;
	snprintf(number, sizeof number, "%.17g", v);
	return compile(r, sd_config_fields_line(s), key, text ? text : number, &out->limit);
}

static int read_families(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	config_setting_t *s = config_setting_get_member(row, "families");
	int n;

	if (!s)
		return 0;
	n = config_setting_is_aggregate(s) ? config_setting_length(s) : 0;
	if (n < 1 || n > FAMILIES_MAX)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"families: must be a list of 1 to %d names", FAMILIES_MAX);
	out->family = calloc((size_t)n, sizeof *out->family);
	if (!out->family)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const char *name = NULL;
		const int rc =
			text_of(r, config_setting_get_elem(s, (unsigned)i), "families", &name);

		if (rc < 0 || !name)
			return rc;
		out->family[i] = name;
		for (int k = 0; k < i; k++)
			if (strcmp(out->family[k], name) == 0)
				return sd_config_fields_bad(r->sink, r->file,
					sd_config_fields_line(s), "families: \"%.40s\" twice",
					name);
		out->n_family++;
	}
	return 0;
}

static int read_unit(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	int rc = needed(r, row, "unit", &out->unit);

	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i], out->unit) == 0)
			return 0;
	return sd_config_fields_bad(r->sink, r->file,
		sd_config_fields_line(config_setting_get_member(row, "unit")),
		"unit: \"%.40s\" is none of those in use (ratio, %%, cycles/instruction, GB/s, "
		"...)",
		out->unit);
}

static int read_component(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	config_setting_t *s = config_setting_get_member(row, "component");
	const char *name = NULL;
	int rc = text_of(r, s, "component", &name);

	out->component = SD_COMPONENT_COUNT;
	if (rc <= 0)
		return rc;
	for (int i = SD_COMPONENT_CPI_BANDWIDTH; i <= SD_COMPONENT_SPINNING; i++)
		if (strcmp(name, sd_component_info[i].name) == 0)
			out->component = (enum sd_component)i;
	if (out->component == SD_COMPONENT_COUNT || out->component == SD_COMPONENT_CPI_OTHER ||
		out->component == SD_COMPONENT_FREQUENCY)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"component: \"%.40s\" is none that counts can tell", name);
	return 0;
}

/* The number of a name; a new one when `name` is new. */
static int number_name(struct sd_formula_tables *f, const char *name, unsigned *out)
{
	for (size_t i = 0; i < f->n_name; i++)
		if (strcmp(f->name[i], name) == 0) {
			*out = (unsigned)i;
			return 0;
		}
	*out = (unsigned)f->n_name;
	return SD_APPEND(f->name, f->n_name, &name);
}

static int read_name(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	enum sd_role role;
	char id[NAME_MAX_BYTES + 1];
	int rc = needed(r, row, "name", &out->name);
	unsigned line = sd_config_fields_line(row);

	if (rc)
		return rc;
	if (strlen(out->name) > NAME_MAX_BYTES ||
		out->name[strspn(out->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] ||
		!islower((unsigned char)out->name[0]))
		return sd_config_fields_bad(r->sink, r->file, line,
			"name: \"%.60s\" must be of a-z, 0-9 and '-', at most %d characters",
			out->name, NAME_MAX_BYTES);
	snprintf(id, sizeof id, "%s", out->name);
	for (char *c = id; *c; c++)
		*c = *c == '-' ? '_' : *c;
	if (sd_role_parse(id, &role) == 0)
		return sd_config_fields_bad(
			r->sink, r->file, line, "name: \"%s\" is the name of a role", out->name);
	for (int i = 0; i < SD_TERM_COUNT; i++)
		if (strcmp(term_name[i], id) == 0)
			return sd_config_fields_bad(r->sink, r->file, line,
				"name: \"%s\" is the name of a term", out->name);
	return number_name(r->f, out->name, &out->id);
}

/* A sample costs microseconds: an event a nanosecond would take more than its program. */
#define WHERE_LEAST 1000
#define WHERE_MOST 1000000000

static int read_where(const struct reader *r, config_setting_t *row, struct sd_formula *out)
{
	config_setting_t *const s = config_setting_get_member(row, "where");
	const int n = s ? config_setting_get_int(s) : 0;

	if (s && (n < WHERE_LEAST || n > WHERE_MOST))
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"where: must be a number of events, %d to %d", WHERE_LEAST, WHERE_MOST);
	out->where = (unsigned)n;
	return 0;
}

/* Two rows of one name must be for different families. */
static int check_twins(const struct reader *r, const struct sd_formula *a)
{
	for (size_t i = 0; i < r->f->n; i++) {
		const struct sd_formula *b = &r->f->row[i];

		if (b->id != a->id)
			continue;
		if (a->n_family == 0 && b->n_family == 0)
			return sd_config_fields_bad(r->sink, a->file, a->line,
				"metric \"%s\" is there already, %s:%u", a->name, b->file, b->line);
		for (size_t x = 0; x < a->n_family; x++)
			for (size_t y = 0; y < b->n_family; y++)
				if (strcmp(a->family[x], b->family[y]) == 0)
					return sd_config_fields_bad(r->sink, a->file, a->line,
						"metric \"%s\" is there already for family \"%.40s\", %s:%u",
						a->name, a->family[x], b->file, b->line);
	}
	return 0;
}

static void formula_free(struct sd_formula *row)
{
	for (size_t i = 0; i < SD_FORMULA_CHOICES; i++) {
		sd_expression_free(&row->value[i].expression);
		free(row->value[i].to);
	}
	sd_expression_free(&row->limit.expression);
	free(row->limit.to);
	free(row->family);
	*row = (struct sd_formula){0};
}

static int read_row(const struct reader *r, config_setting_t *s)
{
	static const char *const keys[] = {"name", "formula", "unit", "above", "below", "meaning",
		"source", "families", "component", "where", "advice", "part_of", NULL};
	struct sd_formula row = {.file = r->file, .line = sd_config_fields_line(s)};
	int rc;

	if (!config_setting_is_group(s))
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(s),
			"a metric must be a group { ... }");
	rc = sd_config_fields_only(r->sink, r->file, s, keys);
	if (!rc)
		rc = read_name(r, s, &row);
	if (!rc)
		rc = read_formula(r, s, &row);
	if (!rc)
		rc = read_unit(r, s, &row);
	if (!rc)
		rc = read_threshold(r, s, &row);
	if (!rc)
		rc = needed(r, s, "meaning", &row.meaning);
	if (!rc)
		rc = needed(r, s, "source", &row.source);
	rc = rc ? rc : read_text(r, s, "advice", &row.advice);
	rc = rc ? rc : read_text(r, s, "part_of", &row.part_of);
	if (!rc)
		rc = read_families(r, s, &row);
	if (!rc)
		rc = read_component(r, s, &row);
	if (!rc)
		rc = read_where(r, s, &row);
	if (!rc)
		rc = check_twins(r, &row);
	if (!rc)
		rc = SD_APPEND(r->f->row, r->f->n, &row);
	if (rc)
		formula_free(&row);
	return rc;
}

static int read_all(const struct reader *r, const config_t *config)
{
	static const char *const keys[] = {"metrics", NULL};
	const config_setting_t *root = config_root_setting(config);
	config_setting_t *list = config_setting_get_member(root, "metrics");
	int rc = sd_config_fields_only(r->sink, r->file, root, keys);

	if (rc)
		return rc;
	if (!list || !config_setting_is_list(list))
		return sd_config_fields_bad(r->sink, r->file,
			list ? sd_config_fields_line(list) : 1, "metrics: must be a list ( ... )");
	if (config_setting_length(list) > ROWS_MAX)
		return sd_config_fields_bad(r->sink, r->file, sd_config_fields_line(list),
			"metrics: more than %d", ROWS_MAX);
	for (int i = 0; rc == 0 && i < config_setting_length(list); i++)
		rc = read_row(r, config_setting_get_elem(list, (unsigned)i));
	return rc;
}

int sd_formula_tables_add(struct sd_formula_tables *f, const char *file, const char *text,
	size_t size, const struct sd_sink *sink)
{
	struct reader r = {.f = f, .file = keep(f, file), .sink = sink};
	config_t config;
	int rc;

	if (!r.file)
		return -ENOMEM;
	rc = sd_config_fields_parse(&config, file, text, size, sink);
	if (rc)
		return rc;
	rc = read_all(&r, &config);
	config_destroy(&config);
	return rc;
}

void sd_formula_tables_free(struct sd_formula_tables *f)
{
	for (size_t i = 0; i < f->n; i++)
		formula_free(&f->row[i]);
	free(f->row);
	free(f->name);
	sd_texts_free(&f->strings);
	*f = (struct sd_formula_tables){0};
}
