/*
 * Counts for the synthetic records of the analysis, and the metric tables of the program.
 */
#ifndef SD_TESTS_COUNTED_RECORD_H
#define SD_TESTS_COUNTED_RECORD_H

#include <stdio.h>
#include <string.h>

#include "support/analyse_record.h"
#include "base/configs.h"
#include "metrics/formula_tables.h"

static inline void count_more(
	struct sd_run *run, const char *family, enum sd_role role, double value, double running)
{
	struct sd_role_count *c;

	run->role = realloc(run->role, (run->n_role + 1) * sizeof *run->role);
	c = &run->role[run->n_role++];
	*c = (struct sd_role_count){.role = role,
		.value = {value, running < 1 ? SD_STATUS_MULTIPLEXED : SD_STATUS_OK},
		.running = running,
		.user = 1};
	snprintf(c->source, sizeof c->source, "%s", family);
}

static inline void count(struct sd_run *run, const char *family, enum sd_role role, double value)
{
	count_more(run, family, role, value, 1);
}

/* Every table of configs/metrics. */
static inline void load_tables(struct sd_formula_tables *f)
{
	struct sd_texts names = {0};

	*f = (struct sd_formula_tables){0};
	assert_int_equal(sd_configs_list(NULL, "metrics", &names, NULL), 0);
	assert_true(names.n >= 4);
	for (size_t i = 0; i < names.n; i++) {
		struct sd_config c;

		assert_int_equal(sd_configs_get(NULL, names.text[i], &c, NULL), 0);
		assert_int_equal(sd_formula_tables_add(f, c.name, c.text, c.size, NULL), 0);
		sd_config_free(&c);
	}
	assert_int_equal(sd_formula_tables_finish(f, NULL), 0);
	sd_texts_free(&names);
}

static inline const struct sd_shown *shown_of(const struct sd_point *p, const char *name)
{
	for (size_t i = 0; i < p->n_shown; i++)
		if (strcmp(p->shown[i].name, name) == 0)
			return &p->shown[i];
	return NULL;
}

#endif
