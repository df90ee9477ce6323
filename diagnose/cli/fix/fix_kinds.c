#include "fix/fix_kinds.h"

#include <stdio.h>
#include <string.h>

#include "fix/fix_declared.h"
#include "fix/fix_elements.h"
#include "fix/fix_idioms.h"
#include "fix/fix_lines.h"
#include "fix/fix_sums.h"

/* Puts a member before what is at `at`: in a line of its own, where that begins one. */
static int put_member(
	struct sd_fix_case *c, struct sd_fix_source *in, size_t at, const char *member)
{
	const size_t line = sd_fix_lines_begin(in, at), wide = sd_fix_lines_indent(in, at);

	if (line + wide == at)
		return sd_fix_case_add(
			c, in, line, 0, "%.*s%s\n", (int)wide, in->text + line, member);
	return sd_fix_case_add(c, in, at, 0, "%s ", member);
}

/* The first byte of the declaration, alone in its statement, of a name at a line; and is it a bit
 * field? 0, -ENOENT. */
static int find_declaration(struct sd_fix_case *c, const struct sd_fix_source *in, const char *name,
	unsigned line, int alone, size_t *out, int *bits)
{
	const struct sd_c_tokens *const t = &in->tokens;
	const size_t at = sd_c_tokens_find(t, name, line, 1);
	size_t begin, depth = 0;

	if (at == t->n)
		return sd_fix_case_refuse(c,
			"%s is not declared in words at %s:%u: by a macro, or in another "
			"version of the file",
			name, in->path, line);
	begin = sd_c_tokens_begin(t, at);
	for (size_t i = begin; alone && i < t->n && (depth || !sd_c_tokens_is(t, i, ";")); i++) {
		if (t->token[i].kind == SD_C_SIGN && strchr("([{<", t->text[t->token[i].at]))
			depth++;
		else if (t->token[i].kind == SD_C_SIGN && depth &&
			 strchr(")]}>", t->text[t->token[i].at]))
			depth--;
		else if (!depth && sd_c_tokens_is(t, i, ","))
			return sd_fix_case_refuse(
				c, "%s:%u declares more than %s", in->path, line, name);
	}
	*out = t->token[begin].at;
	*bits = sd_c_tokens_is(t, at + 1, ":");
	return 0;
}

/* Parts the member of a row from the one before it, `n` being the number of such a name. */
static int part_member(
	struct sd_fix_case *c, struct sd_fix_source *in, const struct sd_layout_row *r, unsigned *n)
{
	const struct sd_line_object *const o = c->layout->of;
	const char *const name = r->member ? sd_fix_case_text(c, r->member->name) : "";
	const int heap = o->storage == SD_OBJECT_HEAP;
	char apart[24], text[80];
	size_t at = 0;
	int bits, rc;

	/* "till[1].left" is a member of another structure, which would change everywhere */
	if (!*name || strpbrk(name, ".[") || !r->member->line)
		return sd_fix_case_refuse(
			c, "%s lies in a structure within %s", name, sd_fix_case_text(c, o->type));
	rc = find_declaration(c, in, name, r->member->line, 1, &at, &bits);
	if (rc)
		return rc;
	if (!heap && !bits)
		return sd_fix_case_add(
			c, in, at, 0, "%s(%u) ", sd_fix_declared_align(o), c->layout->apart);
	sd_fix_declared_name(in, n, apart);
	if (heap)
		snprintf(text, sizeof text, "char %s[%u];", apart, c->layout->apart);
	else /* no bit field can be aligned (C11, 6.7.5): it follows what is */
		snprintf(text, sizeof text, "%s(%u) char %s;", sd_fix_declared_align(o),
			c->layout->apart, apart);
	return put_member(c, in, at, text);
}

static int part_members(struct sd_fix_case *c)
{
	const struct sd_line_object *const o = c->layout->of;
	struct sd_fix_source *in;
	int rc = sd_fix_declared_source(c, o->file, o->line, &in);
	unsigned n = 1;

	for (size_t i = 0; i < c->layout->n_row && !rc; i++)
		if (sd_line_layout_parts(c->layout, i))
			rc = part_member(c, in, &c->layout->row[i], &n);
	if (rc)
		return rc;
	if (!c->n_step)
		return sd_fix_case_refuse(c, "its members cannot be told apart");
	sd_fix_declared_check(c, n > 1 ? "; initialisers that name no members" : "");
	snprintf(c->what, sizeof c->what,
		"members of %s that different threads use lie in cache lines of their own",
		sd_fix_case_text(c, o->type));
	return 0;
}

static int part_variables(struct sd_fix_case *c)
{
	const struct sd_line_object *last = NULL;
	int rc = 0;

	for (size_t i = 0; i < c->layout->n_row && !rc; i++) {
		const struct sd_line_object *const o = c->layout->row[i].object;
		struct sd_fix_source *in;
		size_t at = 0;
		int bits;

		if (o == last)
			continue;
		last = o;
		if (o->storage == SD_OBJECT_HEAP)
			return sd_fix_case_refuse(c,
				"blocks of the allocator lie side by side: "
				"aligned_alloc(%u, SIZE) where they are allocated, with SIZE "
				"a multiple of it",
				c->layout->apart);
		rc = sd_fix_declared_source(c, o->at_file, o->at_line, &in);
		rc = rc ? rc
			: find_declaration(c, in, sd_fix_case_text(c, o->variable), o->at_line, 0,
				  &at, &bits);
		rc = rc ? rc
			: sd_fix_case_add(c, in, at, 0, "%s(%u) ", sd_fix_declared_align(o),
				  c->layout->apart);
	}
	snprintf(c->what, sizeof c->what,
		"variables that different threads use begin cache lines of their own");
	return rc;
}

int sd_fix_kinds_line(struct sd_fix_case *c)
{
	static int (*const kinds[])(struct sd_fix_case *) = {
		[SD_LAYOUT_NONE] = sd_fix_sums_line,
		[SD_LAYOUT_ELEMENTS] = sd_fix_elements_part,
		[SD_LAYOUT_MEMBERS] = part_members,
		[SD_LAYOUT_VARIABLES] = part_variables,
	};
	const int rc = sd_fix_idioms_line(c);

	return sd_fix_case_commit(c, rc ? rc : kinds[c->layout->change](c));
}
