#include "fix/fix_strides.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The one use of the array; t->n: none, or more. */
static size_t only_use(const struct sd_c_tokens *t, size_t declared)
{
	size_t found = t->n;

	for (size_t i = 0; i < t->n; i++) {
		if (i == declared || !sd_c_statement_same(t, i, declared, 1))
			continue;
		if (found < t->n)
			return t->n;
		found = i;
	}
	return found;
}

int sd_fix_strides(struct sd_fix_case *c, struct sd_fix_source *in, size_t declared)
{
	const struct sd_line_object *const o = c->layout->of;
	const struct sd_c_tokens *const t = &in->tokens;
	const size_t use = only_use(t, declared), begin = sd_c_tokens_begin(t, declared);
	const size_t size_end = sd_c_tokens_end(t, declared + 1);
	const size_t index_end =
		sd_c_tokens_is(t, use + 1, "[") ? sd_c_tokens_end(t, use + 1) : t->n;
	const uint64_t times = o->bytes ? c->layout->apart / o->bytes : 0;
	int rc;

	/* "= &NAME[INDEX];": all else goes by the pointer */
	if (use < 2 || use >= t->n || !sd_c_tokens_is(t, use - 1, "&") ||
		!sd_c_tokens_is(t, use - 2, "=") || !sd_c_tokens_is(t, index_end + 1, ";") ||
		times < 2 || c->layout->apart % o->bytes)
		return -ENOENT;
	rc = sd_fix_case_add(c, in, t->token[begin].at, 0, "%s(%u) ",
		o->language == SD_OBJECT_CXX ? "alignas" : "_Alignas", c->layout->apart);
	rc = rc ? rc : sd_fix_case_add(c, in, t->token[declared + 1].at + 1, 0, "(");
	rc = rc ? rc : sd_fix_case_add(c, in, t->token[size_end].at, 0, ") * %" PRIu64, times);
	rc = rc ? rc : sd_fix_case_add(c, in, t->token[use + 1].at + 1, 0, "(");
	rc = rc ? rc : sd_fix_case_add(c, in, t->token[index_end].at, 0, ") * %" PRIu64, times);
	snprintf(c->what, sizeof c->what,
		"the parts of threads in this array, which %s:%u points to, lie %" PRIu64
		" times as far apart",
		in->path, t->token[use].line, times);
	snprintf(c->check, sizeof c->check,
		"that nobody goes from one thread's part on to the next one's by that pointer");
	return rc;
}
