/*
 * A growing list of statements.
 */
#ifndef SD_STATEMENTS_H
#define SD_STATEMENTS_H

#include <stddef.h>

#include "ledger/statement.h"

struct sd_statements {
	struct sd_statement *row; /* owned */
	size_t n;
};

/* Appends a copy. 0 or -ENOMEM. */
int sd_statements_add(struct sd_statements *s, const struct sd_statement *one);
void sd_statements_free(struct sd_statements *s); /* leaves the zeroed value, accepts it */

#endif
