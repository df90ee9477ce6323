#include "fix/fix_case.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const char *sd_fix_case_text(const struct sd_fix_case *c, unsigned number)
{
	const struct sd_stacks *const s = &c->record->stacks;

	return number && number < s->n_text && s->text[number] ? s->text[number] : "";
}

int sd_fix_case_refuse(struct sd_fix_case *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, sizeof c->why, format, args);
	va_end(args);
	return -ENOENT;
}

int sd_fix_case_add(struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t remove,
	const char *format, ...)
{
	struct sd_fix_step *const s = &c->step[c->n_step];
	va_list args;
	int n;

	if (c->n_step == SD_FIX_CHANGES)
		return sd_fix_case_refuse(c, "more places would have to change than are told here");
	*s = (struct sd_fix_step){.in = in, .at = at, .remove = remove};
	va_start(args, format);
	n = vsnprintf(s->insert, sizeof s->insert, format, args);
	va_end(args);
	if (n < 0 || n >= (int)sizeof s->insert)
		return sd_fix_case_refuse(c, "a declaration is too long");
	c->n_step++;
	return 0;
}

int sd_fix_case_commit(struct sd_fix_case *c, int rc)
{
	for (size_t i = 0; i < c->n_step && !rc; i++) {
		const struct sd_fix_step *const s = &c->step[i];

		if (sd_source_edits_overlaps(&s->in->edits, s->at, s->remove, s->insert))
			rc = sd_fix_case_refuse(
				c, "%s is changed there by another one of these", s->in->path);
	}
	for (size_t i = 0; i < c->n_step && !rc; i++)
		rc = sd_source_edits_add(&c->step[i].in->edits, c->step[i].at, c->step[i].remove,
			"%s", c->step[i].insert);
	c->n_step = 0;
	if (rc)
		*c->what = *c->check = '\0';
	else
		*c->why = '\0';
	return rc;
}
