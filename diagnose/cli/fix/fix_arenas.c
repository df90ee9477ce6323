#include "fix/fix_arenas.h"

#include <stdio.h>

#include "fix/fix_lines.h"

/* "mallopt(M_ARENA_MAX, ...);" (mallopt(3)), a statement of its own. */
static int is_limit(const struct sd_c_tokens *t, size_t i)
{
	const size_t close = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) : t->n;

	return sd_c_tokens_is(t, i, "mallopt") && sd_c_tokens_is(t, i + 2, "M_ARENA_MAX") &&
	       sd_c_tokens_is(t, i + 3, ",") && sd_c_tokens_is(t, close + 1, ";") && i > 0 &&
	       sd_c_tokens_begin(t, i) == i;
}

static int remove_limits(struct sd_fix_case *c)
{
	int rc = 0;

	for (size_t k = 0; k < c->sources->n && !rc; k++) {
		struct sd_fix_source *const in = c->sources->source[k];
		const struct sd_c_tokens *const t = &in->compiled;

		for (size_t i = 0; in->text && i < t->n && !rc; i++) {
			size_t end;

			if (!is_limit(t, i))
				continue;
			end = sd_c_statement_end(t, i);
			snprintf(c->what, sizeof c->what,
				"%s:%u does not limit the arenas of the allocator any more, of "
				"which each thread gets one",
				in->path, t->token[i].line);
			/* a number goes with it; what else is given stays used */
			rc = t->token[i + 4].kind == SD_C_NUMBER && end == i + 6
				     ? sd_fix_lines_remove(c, in, t->token[i].at,
					       t->token[end].at + t->token[end].length)
				     : sd_fix_case_add(c, in, t->token[i].at,
					       t->token[i + 4].at - t->token[i].at, "(void)(");
		}
	}
	if (!rc && !c->n_step)
		return sd_fix_case_refuse(c,
			"the sources limit the allocator's arenas nowhere: fewer allocations, or "
			"another allocator, are no change of one place");
	snprintf(c->check, sizeof c->check,
		"how much memory it takes then: arenas do not give each other what is free "
		"(MALLOC_ARENA_MAX in the environment limits them, too)");
	return rc;
}

int sd_fix_arenas(struct sd_fix_case *c)
{
	return sd_fix_case_commit(c, remove_limits(c));
}
