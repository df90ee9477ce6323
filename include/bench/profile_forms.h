/*
 * One loop of memory bandwidth in two forms: threads and processes, huge pages and base pages,
 * cores side by side and far apart.
 */
#ifndef SD_PROFILE_FORMS_H
#define SD_PROFILE_FORMS_H

#include "bench/profile.h"

enum sd_form { SD_FORM_TEAM, SD_FORM_PAGES, SD_FORM_PLACE, SD_FORM_COUNT };

/* The words that the forms have in a profile's rows: "threads" and "processes". Pages are called as
 * they are on its machine; "" when it knows of one size alone. */
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
 * The loop in both forms, alike in all else: of the other form the fastest vector unit, of the
 * usual one the same unit, or the fastest where that was not measured. `ratio` is a row of its own:
 * other by usual, and its quartiles as far apart as those of both allow. 1; 0 when it was not
 * measured in both.
 */
struct sd_form_pair {
	const struct sd_bench_row *usual, *other;
	struct sd_bench_row ratio;
};
int sd_form_pair(const struct sd_profile *p, const struct sd_loop *loop, enum sd_form form,
	struct sd_form_pair *out);

/* Why nothing was measured in the other form; never NULL, static or in the profile. */
const char *sd_form_why(const struct sd_profile *p, enum sd_form form);

#endif
