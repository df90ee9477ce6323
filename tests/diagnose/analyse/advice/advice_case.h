/*
 * A case of lock contention, for advice.
 */
#ifndef SD_TEST_ADVICE_CASE_H
#define SD_TEST_ADVICE_CASE_H

#include "base/configs.h"
#include "advice/advice_texts.h"
#include "evidence/cause_places.h"

struct made {
	struct sd_record record;
	struct sd_chosen last;
	struct sd_loss_by_stack spread;
	struct sd_model model;
	struct sd_lock_row lock;
	struct sd_analysis a;
	struct sd_case c;
};

/* One finding of lock contention that has its plain advice. */
static inline void make(struct made *m, const char *kind)
{
	*m = (struct made){.last.n = 4, .lock = {.kind = kind, .busy = SD_NOT(ABSENT)}};
	m->a.lock = &m->lock;
	m->a.n_lock = 1;
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		m->a.finding[i].cause = (enum sd_cause)i;
	m->c = (struct sd_case){.record = &m->record,
		.last = &m->last,
		.spread = &m->spread,
		.model = &m->model,
		.a = &m->a};
	sd_texts_add(&m->a.finding[SD_CAUSE_LOCK_CONTENTION].advice, "plain");
}

#endif
