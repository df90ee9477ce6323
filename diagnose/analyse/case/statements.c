#include "case/statements.h"

#include <errno.h>
#include <stdlib.h>

#include "base/one_more.h"

int sd_statements_add(struct sd_statements *s, const struct sd_statement *one)
{
	struct sd_statement *const more = sd_one_more(s->row, s->n, sizeof *more);

	if (!more)
		return -ENOMEM;
	s->row = more;
	s->row[s->n++] = *one;
	return 0;
}

void sd_statements_free(struct sd_statements *s)
{
	free(s->row);
	*s = (struct sd_statements){0};
}
