#include "case/statements.h"

#include <errno.h>
#include <stdlib.h>

int sd_statements_add(struct sd_statements *s, const struct sd_statement *one)
{
	if (s->n == s->room) {
		const size_t room = s->room ? 2 * s->room : 32;
		struct sd_statement *const more = realloc(s->row, room * sizeof *more);

		if (!more)
			return -ENOMEM;
		s->row = more;
		s->room = room;
	}
	s->row[s->n++] = *one;
	return 0;
}

void sd_statements_free(struct sd_statements *s)
{
	free(s->row);
	*s = (struct sd_statements){0};
}
