#include "fix/fix_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t sd_fix_lines_begin(const struct sd_fix_source *in, size_t at)
{
	while (at > 0 && in->text[at - 1] != '\n')
		at--;
	return at;
}

size_t sd_fix_lines_end(const struct sd_fix_source *in, size_t at)
{
	while (at < in->size && in->text[at] != '\n')
		at++;
	return at < in->size ? at + 1 : at;
}

size_t sd_fix_lines_indent(const struct sd_fix_source *in, size_t at)
{
	const size_t from = sd_fix_lines_begin(in, at);
	size_t n = 0;

	while (from + n < in->size && (in->text[from + n] == ' ' || in->text[from + n] == '\t'))
		n++;
	return n;
}

int sd_fix_lines_alone(const struct sd_fix_source *in, size_t at, size_t to)
{
	const size_t from = sd_fix_lines_begin(in, at);
	const size_t end = sd_fix_lines_end(in, to ? to - 1 : 0);

	for (size_t i = 0; i < in->tokens.n && in->tokens.token[i].at < end; i++) {
		const struct sd_c_token *const o = &in->tokens.token[i];

		if ((o->at < at || o->at >= to) && o->at + o->length > from)
			return 0;
	}
	return 1;
}

static int on_its_own(struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t to)
{
	size_t i = 0;

	if (sd_fix_lines_alone(in, at, to))
		return 0;
	while (i + 1 < in->tokens.n && in->tokens.token[i].at < at)
		i++;
	return sd_fix_case_refuse(c, "%s:%u has more on its line than what would have to move",
		in->path, in->tokens.n ? in->tokens.token[i].line : 1);
}

/* A line before what is at `before` stands before all of its line. */
static int begins_line(struct sd_fix_case *c, const struct sd_fix_source *in, size_t before)
{
	return sd_fix_lines_begin(in, before) + sd_fix_lines_indent(in, before) == before
		       ? 0
		       : sd_fix_case_refuse(c,
				 "%s has several statements on a line, of which some would move",
				 in->path);
}

int sd_fix_lines_remove(struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t to)
{
	const size_t from = sd_fix_lines_begin(in, at);
	const int rc = on_its_own(c, in, at, to);

	return rc ? rc
		  : sd_fix_case_add(c, in, from, sd_fix_lines_end(in, to - 1) - from, "%s", "");
}

static int crosses_directive(const struct sd_fix_source *in, size_t from, size_t to)
{
	for (size_t i = 0; i < in->tokens.n; i++) {
		const struct sd_c_token *const o = &in->tokens.token[i];

		if (o->kind == SD_C_DIRECTIVE && o->at >= from && o->at < to &&
			!memmem(in->text + o->at, o->length, "pragma", 6))
			return 1;
	}
	return 0;
}

int sd_fix_lines_move(
	struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t to, size_t before)
{
	const size_t from = sd_fix_lines_begin(in, at), end = sd_fix_lines_end(in, to - 1);
	const size_t place = sd_fix_lines_begin(in, before);
	int rc = on_its_own(c, in, at, to);

	rc = rc ? rc : begins_line(c, in, before);
	if (!rc && end > from && in->text[end - 1] != '\n')
		rc = sd_fix_case_refuse(c, "%s does not end with a line", in->path);
	if (!rc && crosses_directive(in, from < place ? from : place, from < place ? place : end))
		rc = sd_fix_case_refuse(c,
			"a condition of the preprocessor stands between the lines of %s that would "
			"have to change places",
			in->path);
	rc = rc ? rc : sd_fix_case_add(c, in, place, 0, "%.*s", (int)(end - from), in->text + from);
	return rc ? rc : sd_fix_case_add(c, in, from, end - from, "%s", "");
}

int sd_fix_lines_put(struct sd_fix_case *c, struct sd_fix_source *in, size_t before,
	const char *more, const char *format, ...)
{
	const size_t place = sd_fix_lines_begin(in, before);
	char line[400];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (n < 0 || n >= (int)sizeof line)
		return sd_fix_case_refuse(c, "a line would be too long");
	if (begins_line(c, in, before) != 0)
		return -ENOENT;
	return sd_fix_case_add(c, in, place, 0, "%.*s%s%s\n", (int)sd_fix_lines_indent(in, before),
		in->text + place, more, line);
}
