#include "causes/cause_row.h"

const struct sd_cause_row *const sd_cause_row_list[SD_CAUSE_COUNT] = {
#define X(id, name, label) [SD_CAUSE_##id] = &sd_cause_row_##id,
	SD_CAUSES(X)
#undef X
};

/* Can this cause have no cores but in the growth of user time, which hides it? */
static int is_of_growth(const struct sd_case *c, const struct sd_cause_row *row)
{
	const unsigned long set =
		(row->carriers ? row->carriers(c) : row->components) & c->loss->components;

	return row->hides && set & SD_CASE_GROWTH && !(set & ~(SD_CASE_GROWTH | SD_BIT(SYSTEM)));
}

void sd_cause_row_state_all(struct sd_case *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		c->mechanism[i] = sd_cause_row_list[i]->mechanism;
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_cause_row *const row = sd_cause_row_list[i];
		struct sd_finding *const f = &c->a->finding[i];

		f->cause = (enum sd_cause)i;
		f->verdict = SD_VERDICT_NOT_MEASURABLE;
		f->of_growth = is_of_growth(c, row);
		for (sd_cause_row_state *const *s = row->state; *s; s++)
			(*s)(c, f);
	}
}
