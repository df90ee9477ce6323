/*
 * Table of the programs of tests/truth and of published counts (tests/truth/expected.conf).
 */
#ifndef TRUTH_TABLE_H
#define TRUTH_TABLE_H

#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/cause.h"

#define TRUTH_ROWS 128
#define TRUTH_CAUSES 4

struct truth {
	const char *name, *model, *component; /* component: NULL, it scales when it has no cause */
	const char *app;                      /* of a published file */
	enum sd_cause cause[TRUTH_CAUSES];    /* first those of `causes`, then of `also` */
	size_t n_right, n_cause;              /* the first of them are of `causes` */
	int live;                             /* run for real */
	int contended;                        /* there only where two cores make user time grow */
	const char *sim_cores, *sim_machine;  /* sim_cores NULL: not simulated */
};

struct truth_table {
	config_t config; /* owns the strings */
	struct truth row[TRUTH_ROWS], published[TRUTH_ROWS];
	size_t n, n_published;
};

static void truth_bad(const config_setting_t *s, const char *what)
{
	fprintf(stderr, "accuracy: expected.conf:%u: %s\n", config_setting_source_line(s), what);
	exit(2);
}

static void truth_causes(config_setting_t *row, const char *key, struct truth *t)
{
	config_setting_t *const list = config_setting_get_member(row, key);
	const int n = list ? config_setting_length(list) : 0;

	for (int i = 0; i < n; i++) {
		const char *const name = config_setting_get_string_elem(list, i);
		int k = 0;

		while (k < SD_CAUSE_COUNT && !(name && strcmp(sd_cause_info[k].name, name) == 0))
			k++;
		if (k == SD_CAUSE_COUNT || t->n_cause == TRUTH_CAUSES)
			truth_bad(list, "no such cause, or too many");
		t->cause[t->n_cause++] = (enum sd_cause)k;
	}
}

static void truth_row(config_setting_t *row, struct truth *t, const char *key)
{
	config_setting_t *sim = config_setting_get_member(row, "sim");
	int live = 1;

	*t = (struct truth){0};
	if (!config_setting_lookup_string(row, key, &t->name))
		truth_bad(row, "a row has no name");
	config_setting_lookup_string(row, "model", &t->model);
	config_setting_lookup_string(row, "component", &t->component);
	config_setting_lookup_string(row, "app", &t->app);
	config_setting_lookup_bool(row, "live", &live);
	config_setting_lookup_bool(row, "contended", &t->contended);
	t->live = live;
	if (sim) {
		if (!config_setting_lookup_string(sim, "cores", &t->sim_cores))
			truth_bad(sim, "sim: no cores");
		config_setting_lookup_string(sim, "machine", &t->sim_machine);
	}
	truth_causes(row, "causes", t);
	t->n_right = t->n_cause;
	truth_causes(row, "also", t);
}

static size_t truth_rows(config_t *c, const char *list, const char *key, struct truth *out)
{
	config_setting_t *const rows = config_lookup(c, list);
	const int n = rows ? config_setting_length(rows) : 0;

	if (n > TRUTH_ROWS)
		truth_bad(rows, "too many rows");
	for (int i = 0; i < n; i++)
		truth_row(config_setting_get_elem(rows, (unsigned)i), &out[i], key);
	return (size_t)n;
}

/* Ends the program with a message when the file is wrong. */
static inline void truth_read(struct truth_table *t, const char *path)
{
	config_init(&t->config);
	if (!config_read_file(&t->config, path)) {
		fprintf(stderr, "accuracy: %s:%d: %s\n", path, config_error_line(&t->config),
			config_error_text(&t->config));
		exit(2);
	}
	t->n = truth_rows(&t->config, "programs", "name", t->row);
	t->n_published = truth_rows(&t->config, "published", "file", t->published);
}

#endif
