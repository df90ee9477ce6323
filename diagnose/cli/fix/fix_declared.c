#include "fix/fix_declared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *sd_fix_declared_align(const struct sd_line_object *o)
{
	return o->language == SD_OBJECT_CXX ? "alignas" : "_Alignas";
}

int sd_fix_declared_source(
	struct sd_fix_case *c, unsigned file, unsigned line, struct sd_fix_source **out)
{
	if (!*sd_fix_case_text(c, file) || !line)
		return sd_fix_case_refuse(
			c, "the program does not say where it is declared (build with -g)");
	*out = sd_fix_sources_at(c->sources, sd_fix_case_text(c, file));
	if (!*out)
		return -ENOMEM;
	return (*out)->text ? 0 : sd_fix_case_refuse(c, "%s", (*out)->why);
}

void sd_fix_declared_name(const struct sd_fix_source *in, unsigned *n, char out[24])
{
	do {
		if (*n)
			snprintf(out, 24, "apart%u", *n);
		else
			snprintf(out, 24, "apart");
		++*n;
	} while (
		sd_c_statement_word(&in->tokens, 0, in->tokens.n, out, strlen(out)) < in->tokens.n);
}

void sd_fix_declared_check(struct sd_fix_case *c, const char *more)
{
	const struct sd_line_object *const o = c->layout->of;

	snprintf(c->check, sizeof c->check,
		"the size of %s changes: files, messages and shared memory that hold it, sizes "
		"written as numbers, and libraries that are built without this file's change",
		sd_fix_case_text(c, o->type));
	if (o->storage != SD_OBJECT_HEAP)
		snprintf(c->check + strlen(c->check), sizeof c->check - strlen(c->check),
			"; where malloc() gives one, aligned_alloc(%u, ...) has to",
			c->layout->apart);
	snprintf(c->check + strlen(c->check), sizeof c->check - strlen(c->check), "%s", more);
}
