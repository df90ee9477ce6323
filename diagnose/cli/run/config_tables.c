#include "run/config_tables.h"

#include "base/configs.h"

int sd_config_tables_load(struct sd_config_tables *out, const struct sd_sink *sink)
{
	const char *const dir = sd_configs_dir();
	struct sd_texts names = {0}, advice = {0};
	int rc = sd_configs_list(dir, "metrics", &names, sink);

	*out = (struct sd_config_tables){0};
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct sd_config c = {0};

		rc = sd_configs_get(dir, names.text[i], &c, sink);
		if (rc == 0)
			rc = sd_formula_tables_add(&out->formulas, c.name, c.text, c.size, sink);
		sd_config_free(&c);
	}
	if (rc == 0)
		rc = sd_formula_tables_finish(&out->formulas, sink);
	if (rc == 0)
		rc = sd_configs_list(dir, "advice", &advice, sink);
	for (size_t i = 0; rc == 0 && i < advice.n; i++) {
		struct sd_config c = {0};

		rc = sd_configs_get(dir, advice.text[i], &c, sink);
		if (rc == 0)
			rc = sd_advice_texts_add(&out->advice, c.name, c.text, c.size, sink);
		sd_config_free(&c);
	}
	sd_texts_free(&advice);
	sd_texts_free(&names);
	return rc;
}

void sd_config_tables_free(struct sd_config_tables *t)
{
	sd_formula_tables_free(&t->formulas);
	sd_advice_texts_free(&t->advice);
}
