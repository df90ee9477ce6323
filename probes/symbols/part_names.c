#include "symbols/part_names.h"

#include <stdio.h>
#include <string.h>

static void append(struct sd_part_names *p, const char *between, const char *name)
{
	const size_t used = strlen(p->text);

	if (used + strlen(between) + strlen(name) < sizeof p->text)
		snprintf(p->text + used, sizeof p->text - used, "%s%s", between, name);
}

/* Adds the last part of a variable: the first one stands there. */
static void end_variable(struct sd_part_names *p)
{
	if (p->n > 1)
		append(p, p->n > 2 ? " to " : ", ", p->last.name);
	p->n = 0;
}

void sd_part_names_add(struct sd_part_names *p, const struct sd_symbols_part *part)
{
	const int again = strcmp(p->last.name, part->name) == 0;
	const int same = p->n && p->last.variable == part->variable && (part->variable || again);

	if (!*part->name || (same && (!part->typed || again)))
		return;
	if (!same) {
		end_variable(p);
		append(p, *p->text ? ", " : "", part->name);
	}
	p->last = *part;
	p->n++;
}

const char *sd_part_names_text(struct sd_part_names *p)
{
	end_variable(p);
	return p->text;
}
