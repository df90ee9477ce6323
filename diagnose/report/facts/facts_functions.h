/*
 * Functions and the cores lost in them: all of them, or what a page of text has room for.
 */
#ifndef SD_FACTS_FUNCTIONS_H
#define SD_FACTS_FUNCTIONS_H

#include "facts/document.h"

/* All functions; people see those that lose something. */
struct sd_fact_rows sd_facts_function_table(const struct sd_analysis *a, const char *folder);

struct sd_function_rows {
	struct sd_fact_rows rows; /* of `row` */
	struct sd_loss_row *row;  /* owned: free() */
	char others[48], unknown[16];
};

/* The `most` that lose most, by what is lost, then the sum of the others and of what has no stack;
 * and those with `least` cores of their own instructions, most first. 0 or -ENOMEM; out->row is to
 * be freed in every case, and *out stays where it is. */
int sd_facts_functions_lost(const struct sd_analysis *a, size_t most, struct sd_function_rows *out);
int sd_facts_functions_flat(
	const struct sd_analysis *a, double least, struct sd_function_rows *out);

#endif
