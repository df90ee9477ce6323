/*
 * A bandwidth loop measured in two forms: threads or processes, huge or base pages, neighbouring or
 * distant cores.
 */
#ifndef SD_PROFILE_FORMS_H
#define SD_PROFILE_FORMS_H

#include "bench/profile.h"

enum sd_form { SD_FORM_TEAM, SD_FORM_PAGES, SD_FORM_PLACE, SD_FORM_COUNT };

/* The names of the two forms in a profile's rows, as "threads" and "processes". Page sizes are
 * named as on its machine; "" if it has only one. */
struct sd_form_words {
	const char *key;
	char usual[16], other[16];
};
struct sd_form_words sd_form_words(const struct sd_profile *p, enum sd_form form);

struct sd_loop {
	const char *op, *stores;
	unsigned cores;
	int state; /* of the machine, or SD_PICK_ANY_STATE */
};

/*
 * The loop in both forms, otherwise alike: the other form with its fastest vector unit, the usual
 * form with the same unit, or with its fastest if that was not measured. `ratio` is a row of its
 * own, other / usual, with quartiles as wide as both rows' allow. 1; 0 if it was not measured in
 * both forms.
 */
struct sd_form_pair {
	const struct sd_bench_row *usual, *other;
	struct sd_bench_row ratio;
};
int sd_form_pair(const struct sd_profile *p, const struct sd_loop *loop, enum sd_form form,
	struct sd_form_pair *out);

/* Why the other form was not measured; never NULL, static or owned by the profile. */
const char *sd_form_why(const struct sd_profile *p, enum sd_form form);

#endif
