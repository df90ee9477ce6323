#include "run/config_tables.h"

#include <errno.h>

#include "base/configs.h"

/* Reads every file of a kind. */
static int read_all(const char *kind,
	int (*add)(struct sd_config_tables *out, const struct sd_config *c,
		const struct sd_sink *sink),
	struct sd_config_tables *out, const struct sd_sink *sink)
{
	const char *const dir = sd_configs_dir();
	struct sd_texts names = {0};
	int rc = sd_configs_list(dir, kind, &names, sink);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct sd_config c = {0};

		rc = sd_configs_get(dir, names.text[i], &c, sink);
		if (rc == 0)
			rc = add(out, &c, sink);
		sd_config_free(&c);
	}
	sd_texts_free(&names);
	return rc;
}

static int add_formulas(
	struct sd_config_tables *out, const struct sd_config *c, const struct sd_sink *sink)
{
	return sd_formula_tables_add(&out->formulas, c->name, c->text, c->size, sink);
}

static int add_advice(
	struct sd_config_tables *out, const struct sd_config *c, const struct sd_sink *sink)
{
	return sd_advice_texts_add(&out->advice, c->name, c->text, c->size, sink);
}

static int load(struct sd_config_tables *out, int metrics, const struct sd_sink *sink)
{
	int rc = 0;

	*out = (struct sd_config_tables){0};
	if (metrics) {
		rc = read_all("metrics", add_formulas, out, sink);
		rc = rc ? rc : sd_formula_tables_finish(&out->formulas, sink);
	}
	rc = rc ? rc : read_all("advice", add_advice, out, sink);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "not enough memory for metrics and advice");
	return rc;
}

int sd_config_tables_load(struct sd_config_tables *out, const struct sd_sink *sink)
{
	return load(out, 1, sink);
}

/* Did any run count a role? Without one no metric is computed. */
static int has_counts(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].n_role)
			return 1;
	return 0;
}

int sd_config_tables_load_for(
	struct sd_config_tables *out, const struct sd_record *record, const struct sd_sink *sink)
{
	return load(out, has_counts(record), sink);
}

void sd_config_tables_free(struct sd_config_tables *t)
{
	sd_formula_tables_free(&t->formulas);
	sd_advice_texts_free(&t->advice);
}
