#include "fix/fix_kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_strides.h"
#include "fix/fix_sums.h"

/* The word of a language. */
#define ALIGN(o) ((o)->language == SD_OBJECT_CXX ? "alignas" : "_Alignas")

/* The source of a declaration, which may be changed. 0, -ENOENT with the reason, or -ENOMEM. */
static int open_source(
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

/* ---- elements of an array of structures ------------------------------------------------------ */

/* Is the word before the name of the structure at i "struct", "class" or "union"? */
static int is_keyword(const struct sd_c_tokens *t, size_t i)
{
	return sd_c_tokens_is(t, i, "struct") || sd_c_tokens_is(t, i, "class") ||
	       sd_c_tokens_is(t, i, "union");
}

/* The keyword of the structure that is declared at a line; t->n: none, or more than one. `name` "":
 * it has none. */
static size_t find_structure(const struct sd_c_tokens *t, const char *name, unsigned line)
{
	size_t found = t->n;

	for (size_t i = 0; i < t->n; i++) {
		size_t brace = i + 1;

		if (!is_keyword(t, i) || t->token[i].line + 2 < line || t->token[i].line > line + 1)
			continue;
		if (*name && !sd_c_tokens_is(t, i + 1, name))
			continue;
		/* behind its name and its bases its members begin */
		while (brace < t->n && !sd_c_tokens_is(t, brace, "{") &&
			!sd_c_tokens_is(t, brace, ";") && !sd_c_tokens_is(t, brace, "("))
			brace++;
		if (!sd_c_tokens_is(t, brace, "{") || (!*name && brace != i + 1))
			continue;
		if (found != t->n)
			return t->n;
		found = i;
	}
	return found;
}

/* Bytes to add behind each element of what malloc() gave, so that two never lie in one line: it
 * begins at any multiple of 16. */
static uint64_t padding(uint64_t bytes, uint64_t apart)
{
	return apart * ((bytes + apart - 16 + apart - 1) / apart) - bytes;
}

static int pad_structure(struct sd_fix_case *c, struct sd_fix_source *in, size_t keyword)
{
	const struct sd_line_object *const o = c->layout->of;
	const struct sd_c_tokens *const t = &in->tokens;
	size_t brace = keyword, end, line;

	while (brace < t->n && !sd_c_tokens_is(t, brace, "{"))
		brace++;
	end = sd_c_tokens_end(t, brace);
	if (end >= t->n)
		return sd_fix_case_refuse(c, "the end of %s is not seen in %s",
			sd_fix_case_text(c, o->type), in->path);
	line = t->token[end].at;
	while (line > 0 && in->text[line - 1] != '\n')
		line--;
	snprintf(c->what, sizeof c->what,
		"%s grows to %" PRIu64 " bytes, so that no two lie in one cache line wherever the "
		"allocator puts them",
		sd_fix_case_text(c, o->type), o->bytes + padding(o->bytes, c->layout->apart));
	/* a structure on one line ends there */
	if (t->token[brace].line == t->token[end].line)
		return sd_fix_case_add(c, in, t->token[end].at, 0, "char apart[%" PRIu64 "]; ",
			padding(o->bytes, c->layout->apart));
	return sd_fix_case_add(c, in, line, 0,
		"\tchar apart[%" PRIu64 "]; /* keeps the next one out of its line */\n",
		padding(o->bytes, c->layout->apart));
}

static int align_structure(struct sd_fix_case *c)
{
	const struct sd_line_object *const o = c->layout->of;
	const char *const type = sd_fix_case_text(c, o->type);
	const char *const space = strchr(type, ' ');
	char name[128];
	const struct sd_c_tokens *t;
	struct sd_fix_source *in;
	size_t keyword, end;
	int rc = open_source(c, o->file, o->line, &in);

	if (rc)
		return rc;
	t = &in->tokens;
	/* a template's arguments are not where it is declared; a name of a type is behind it */
	snprintf(name, sizeof name, "%.*s", space ? (int)strcspn(space + 1, "<") : 0,
		space ? space + 1 : "");
	keyword = find_structure(t, name, o->line);
	if (keyword == t->n)
		return sd_fix_case_refuse(c,
			"%s is not declared in words at %s:%u: by a macro, or in another "
			"version of the file",
			type, in->path, o->line);
	end = sd_c_tokens_end(t, keyword);
	for (size_t i = keyword; i < t->n && i < end + 8; i++)
		if (sd_c_tokens_is(t, i, "packed") || sd_c_tokens_is(t, i, "__packed__"))
			return sd_fix_case_refuse(c,
				"%s is packed: something outside of the program fixes its "
				"layout",
				type);
	snprintf(c->check, sizeof c->check,
		"its size changes: files, messages and shared memory that hold it, sizes written as "
		"numbers, and libraries that are built without this file's change");
	if (o->storage == SD_OBJECT_HEAP)
		return pad_structure(c, in, keyword);
	snprintf(c->what, sizeof c->what, "each %s begins a cache line of its own",
		*name ? type : sd_fix_case_text(c, o->variable));
	return sd_fix_case_add(c, in, t->token[keyword].at + t->token[keyword].length, 0,
		o->language == SD_OBJECT_CXX ? " alignas(%u)" : " __attribute__((aligned(%u)))",
		c->layout->apart);
}

/* ---- elements of an array of numbers --------------------------------------------------------- */

static int is_storage(const struct sd_c_tokens *t, size_t i)
{
	static const char *const words[] = {"static", "extern", "_Thread_local", "thread_local",
		"__thread", "inline", "constexpr", "register"};

	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (sd_c_tokens_is(t, i, words[k]))
			return 1;
	return 0;
}

static int is_align(const struct sd_c_tokens *t, size_t i)
{
	return sd_c_tokens_is(t, i, "_Alignas") || sd_c_tokens_is(t, i, "alignas") ||
	       sd_c_tokens_is(t, i, "__attribute__");
}

/* Appends the words from `from` to `to`, as they stand, to what goes before or into the structure.
 * 0; -ENOENT: it is no plain list of words. */
static int split_declaration(
	const struct sd_c_tokens *t, size_t from, size_t to, char outer[256], char inner[256])
{
	for (size_t i = from; i < to; i++) {
		const int align = is_align(t, i);
		const size_t last = align ? sd_c_tokens_end(t, i + 1) : i;
		char *const out = align || is_storage(t, i) ? outer : inner;
		const size_t used = strlen(out);

		if (t->token[i].kind != SD_C_WORD || last >= to)
			return -ENOENT;
		if (snprintf(out + used, 256 - used, "%.*s ",
			    (int)(t->token[last].at + t->token[last].length - t->token[i].at),
			    t->text + t->token[i].at) >= (int)(256 - used))
			return -ENOENT;
		i = last;
	}
	return *inner ? 0 : -ENOENT;
}

/* Is there a "&" before token i that is, or may be behind a cast, that of an address? */
static int is_address(const struct sd_c_tokens *t, size_t i)
{
	return i > 0 && sd_c_tokens_is(t, i - 1, "&") &&
	       (i == 1 || (t->token[i - 2].kind == SD_C_SIGN ? !sd_c_tokens_is(t, i - 2, "]")
							     : sd_c_tokens_is(t, i - 2, "return")));
}

/* Does a thread use more than one element, of which the next one is reached by a pointer then? */
static int has_neighbours(const struct sd_line_layout *l)
{
	for (size_t i = 0; i < l->n_row; i++)
		for (size_t k = 0; k < i; k++)
			if (l->row[i].thread != SD_LAYOUT_THREADS &&
				l->row[i].thread == l->row[k].thread &&
				l->row[i].element != l->row[k].element)
				return 1;
	return 0;
}

/* Every use of the array is of one element: ".value" comes behind it. */
static int change_uses(
	struct sd_fix_case *c, struct sd_fix_source *in, size_t declared, const char *name)
{
	const struct sd_c_tokens *const t = &in->tokens;
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++) {
		size_t end;

		if (i == declared || !sd_c_tokens_is(t, i, name))
			continue;
		/* a member of that name is another thing */
		if (i &&
			(sd_c_tokens_is(t, i - 1, ".") || (i > 1 && sd_c_tokens_is(t, i - 1, ">") &&
								  sd_c_tokens_is(t, i - 2, "-"))))
			continue;
		end = sd_c_tokens_is(t, i + 1, "[") ? sd_c_tokens_end(t, i + 1) : t->n;
		if (end >= t->n || sd_c_tokens_is(t, end + 1, "["))
			return sd_fix_case_refuse(c,
				"%s:%u uses %s as a whole, and not one element of it", in->path,
				t->token[i].line, name);
		if (is_address(t, i)) {
			if (has_neighbours(c->layout))
				return sd_fix_case_refuse(c,
					"%s:%u takes the address of an element of %s and goes on to "
					"the next: more elements have to lie between two threads'",
					in->path, t->token[i].line, name);
			snprintf(c->check, sizeof c->check,
				"%s:%u takes the address of an element: what uses it must not go on "
				"to the next one",
				in->path, t->token[i].line);
		}
		rc = sd_fix_case_add(c, in, t->token[end].at + 1, 0, ".value");
	}
	return rc;
}

static int wrap_elements(struct sd_fix_case *c)
{
	const struct sd_line_object *const o = c->layout->of;
	const char *const name = sd_fix_case_text(c, o->variable);
	char outer[256] = "", inner[256] = "";
	struct sd_fix_source *in;
	const struct sd_c_tokens *t;
	size_t at, begin, end;
	int rc;

	if (!*name || o->elements < 2)
		return sd_fix_case_refuse(c,
			"it is a block of numbers that pointers lead to: its threads' parts "
			"are laid out where they are indexed");
	rc = open_source(c, o->at_file, o->at_line, &in);
	if (rc)
		return rc;
	t = &in->tokens;
	at = sd_c_tokens_find(t, name, o->at_line, 1);
	begin = sd_c_tokens_begin(t, at);
	end = at < t->n ? sd_c_tokens_end(t, at + 1) : t->n;
	if (at == t->n || !sd_c_tokens_is(t, at + 1, "[") || end >= t->n ||
		split_declaration(t, begin, at, outer, inner) != 0)
		return sd_fix_case_refuse(c, "%s is not declared alone and in plain words at %s:%u",
			name, in->path, o->at_line);
	if (!sd_c_tokens_is(t, end + 1, ";"))
		return sd_fix_case_refuse(c, "%s:%u declares more than %s, or gives it values",
			in->path, o->at_line, name);
	if (!strstr(outer, "static ") && o->storage == SD_OBJECT_STATIC)
		return sd_fix_case_refuse(c, "%s is not static: other files may use it", name);
	if (sd_c_tokens_in_directive(t, name))
		return sd_fix_case_refuse(c, "a macro of %s uses %s", in->path, name);
	rc = has_neighbours(c->layout) ? sd_fix_strides(c, in, at) : -ENOENT;
	if (!rc || *c->why)
		return rc;
	rc = change_uses(c, in, at, name);
	if (rc)
		return rc;
	snprintf(
		c->what, sizeof c->what, "each element of %s begins a cache line of its own", name);
	return sd_fix_case_add(c, in, t->token[begin].at, t->token[at].at - t->token[begin].at,
		"%sstruct { %s(%u) %svalue; } ", outer, ALIGN(o), c->layout->apart, inner);
}

static int part_elements(struct sd_fix_case *c)
{
	return c->layout->of->composed ? align_structure(c) : wrap_elements(c);
}

/* ---- members and variables ------------------------------------------------------------------- */

/* The first byte of the declaration, alone in its statement, of a name at a line. 0, -ENOENT. */
static int find_declaration(struct sd_fix_case *c, const struct sd_fix_source *in, const char *name,
	unsigned line, int alone, size_t *out)
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
	return 0;
}

static int part_members(struct sd_fix_case *c)
{
	const struct sd_line_object *const o = c->layout->of;
	struct sd_fix_source *in;
	int rc = open_source(c, o->file, o->line, &in);
	unsigned n = 0;

	for (size_t i = 0; i < c->layout->n_row && !rc; i++) {
		const struct sd_layout_row *const r = &c->layout->row[i];
		const char *const name = r->member ? sd_fix_case_text(c, r->member->name) : "";
		size_t at = 0;

		if (!sd_line_layout_parts(c->layout, i))
			continue;
		/* "till[1].left" is a member of another structure, which would change everywhere */
		if (!*name || strpbrk(name, ".[") || !r->member->line)
			return sd_fix_case_refuse(c, "%s lies in a structure within %s", name,
				sd_fix_case_text(c, o->type));
		rc = find_declaration(c, in, name, r->member->line, 1, &at);
		if (rc)
			return rc;
		if (o->storage == SD_OBJECT_HEAP)
			rc = sd_fix_case_add(
				c, in, at, 0, "char apart%u[%u];\n\t", ++n, c->layout->apart);
		else
			rc = sd_fix_case_add(c, in, at, 0, "%s(%u) ", ALIGN(o), c->layout->apart);
	}
	if (rc)
		return rc;
	if (!c->n_step)
		return sd_fix_case_refuse(c, "its members cannot be told apart");
	snprintf(c->check, sizeof c->check,
		"the size of %s changes: files, messages and shared memory that hold it, and "
		"libraries that are built without this file's change%s",
		sd_fix_case_text(c, o->type),
		o->storage == SD_OBJECT_HEAP ? "; initialisers that name no members" : "");
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

		if (o == last)
			continue;
		last = o;
		if (o->storage == SD_OBJECT_HEAP)
			return sd_fix_case_refuse(c,
				"blocks of the allocator lie side by side: "
				"aligned_alloc(%u, SIZE) where they are allocated, with SIZE "
				"a multiple of it",
				c->layout->apart);
		rc = open_source(c, o->at_file, o->at_line, &in);
		rc = rc ? rc
			: find_declaration(
				  c, in, sd_fix_case_text(c, o->variable), o->at_line, 0, &at);
		rc = rc ? rc : sd_fix_case_add(c, in, at, 0, "%s(%u) ", ALIGN(o), c->layout->apart);
	}
	snprintf(c->what, sizeof c->what,
		"variables that different threads use begin cache lines of their own");
	return rc;
}

int sd_fix_kinds_line(struct sd_fix_case *c)
{
	static int (*const kinds[])(struct sd_fix_case *) = {
		[SD_LAYOUT_NONE] = sd_fix_sums_line,
		[SD_LAYOUT_ELEMENTS] = part_elements,
		[SD_LAYOUT_MEMBERS] = part_members,
		[SD_LAYOUT_VARIABLES] = part_variables,
	};

	return sd_fix_case_commit(c, kinds[c->layout->change](c));
}
