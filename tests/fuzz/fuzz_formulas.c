/*
 * Any text as a file of configs/metrics: read or refused, and what is read whole is evaluated over
 * counts of everything, as far as few formulas lead to one another.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/formula_tables.h"
#include "metrics/metric_eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libconfig's scanner loses its buffer at a string without an end. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

#define FORMULAS 24 /* formulas that name each other in pairs take 2^n evaluations */

static void evaluate(const struct sd_formula_tables *f, const char *family)
{
	const struct sd_formula *row[FORMULAS] = {NULL};
	const struct sd_model m = {.f = f, .row = row, .family = family};
	struct sd_metric_eval_point p = {0};

	for (int i = 0; i < SD_ROLE_COUNT; i++)
		p.counts.role[i] = (struct sd_count){.value = 1e6 + i, .status = SD_STATUS_OK};
	for (int i = 0; i < SD_TERM_COUNT; i++)
		p.term[i] = SD_OK(i % 4);
	for (unsigned id = 0; id < f->n_name; id++)
		row[id] = sd_formula_tables_find(f, id, family);
	for (unsigned id = 0; id < f->n_name; id++) {
		const struct sd_metric_eval_result r =
			row[id] ? sd_metric_eval_evaluate(&m, &p, row[id])
				: (struct sd_metric_eval_result){.status = SD_STATUS_ABSENT};

		if (r.status == SD_STATUS_OK && !isfinite(r.value))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_formula_tables f = {0};
	char *const text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (sd_formula_tables_add(&f, "fuzz", text, size, NULL) == 0 &&
		sd_formula_tables_finish(&f, NULL) == 0 && f.n_name <= FORMULAS) {
		evaluate(&f, NULL);
		for (size_t i = 0; i < f.n; i++)
			if (f.row[i].n_family)
				evaluate(&f, f.row[i].family[0]);
	}
	sd_formula_tables_free(&f);
	free(text);
	return 0;
}
