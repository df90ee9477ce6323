#include "case/statements.h"

#include <stdlib.h>

#include "base/one_more.h"

int sd_statements_add(struct sd_statements *s, const struct sd_statement *one)
{
	return SD_APPEND(s->row, s->n, one);
}

void sd_statements_free(struct sd_statements *s)
{
	free(s->row);
	*s = (struct sd_statements){0};
}
