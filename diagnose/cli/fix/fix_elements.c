#include "fix/fix_elements.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fix/fix_case.h"
#include "fix/fix_declared.h"
#include "fix/fix_lines.h"

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

/*
 * The array that token `declared` of `in` declares, of elements of `bytes`, where the one use of it
 * is the address of an element: its index, and the number of elements, grow so much that two
 * threads' parts never lie in one line. Adds steps. 0; -ENOENT: it is used in another way, or the
 * reason; the caller goes on by `c->why` being "".
 */
static int fix_strides(struct sd_fix_case *c, struct sd_fix_source *in, size_t declared)
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

static int pad_structure(struct sd_fix_case *c, struct sd_fix_source *in, size_t keyword)
{
	const struct sd_line_object *const o = c->layout->of;
	const struct sd_c_tokens *const t = &in->tokens;
	const uint64_t grown = sd_line_layout_element(c->layout);
	size_t brace = keyword, end;
	char name[24];
	unsigned n = 0;

	while (brace < t->n && !sd_c_tokens_is(t, brace, "{"))
		brace++;
	end = sd_c_tokens_end(t, brace);
	if (end >= t->n)
		return sd_fix_case_refuse(c, "the end of %s is not seen in %s",
			sd_fix_case_text(c, o->type), in->path);
	sd_fix_declared_name(in, &n, name);
	snprintf(c->what, sizeof c->what,
		"%s grows to %" PRIu64 " bytes, so that no two lie in one cache line wherever the "
		"allocator puts them",
		sd_fix_case_text(c, o->type), grown);
	/* a structure on one line ends there */
	if (t->token[brace].line == t->token[end].line)
		return sd_fix_case_add(c, in, t->token[end].at, 0, "char %s[%" PRIu64 "]; ", name,
			grown - o->bytes);
	return sd_fix_case_add(c, in, sd_fix_lines_begin(in, t->token[end].at), 0,
		"\tchar %s[%" PRIu64 "]; /* keeps the next one out of its line */\n", name,
		grown - o->bytes);
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
	int rc = sd_fix_declared_source(c, o->file, o->line, &in);

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
	sd_fix_declared_check(c, "");
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
	rc = sd_fix_declared_source(c, o->at_file, o->at_line, &in);
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
	rc = has_neighbours(c->layout) ? fix_strides(c, in, at) : -ENOENT;
	if (!rc || *c->why)
		return rc;
	rc = change_uses(c, in, at, name);
	if (rc)
		return rc;
	snprintf(
		c->what, sizeof c->what, "each element of %s begins a cache line of its own", name);
	return sd_fix_case_add(c, in, t->token[begin].at, t->token[at].at - t->token[begin].at,
		"%sstruct { %s(%u) %svalue; } ", outer, sd_fix_declared_align(o), c->layout->apart,
		inner);
}

int sd_fix_elements_part(struct sd_fix_case *c)
{
	return c->layout->of->composed ? align_structure(c) : wrap_elements(c);
}
