#include "dwarf/dwarf_object.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "dwarf/dwarf_parts.h"

#define ROOM (32ul << 20)
#define DEPTH_MAX 8
#define ENTRIES_MAX 4096 /* members looked at */
#define SEALED_MAX 65536 /* members looked at by is_sealed() */
#define EXPANDED 8       /* elements of an array of structures within one, one by one */
#define NEAR 64
#define SMALL 512 /* bytes of a type whose members are all told */

/* ---- declarations ---------------------------------------------------------------------------- */

/* The file of an entry's declaration: DWARF 5 counts them from 0, which dwarf_decl_file() refuses.
 */
static const char *file_of(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	Dwarf_Files *files;
	Dwarf_Word number = 0;
	size_t n = 0;

	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &a), &number) != 0 ||
		!sd_dwarf_units_lines_fit(unit) || dwarf_getsrcfiles(unit, &files, &n) != 0 ||
		number >= n)
		return NULL;
	return dwarf_filesrc(files, (size_t)number, NULL, NULL);
}

/* "/src/a.c" and the line where an entry is declared; "" and 0 where that is not known. */
static void declared(Dwarf_Die *die, char *file, size_t size, unsigned *line)
{
	const char *name, *folder = NULL;
	Dwarf_Attribute a;
	Dwarf_Die unit;
	int n = 0;

	*file = '\0';
	*line = 0;
	if (!dwarf_diecu(die, &unit, NULL, NULL) || dwarf_decl_line(die, &n) != 0 || n <= 0)
		return;
	name = file_of(die, &unit);
	if (!name || !*name)
		return;
	if (*name != '/' && dwarf_attr(&unit, DW_AT_comp_dir, &a))
		folder = dwarf_formstring(&a);
	if (snprintf(file, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name) >=
		(int)size)
		*file = '\0';
	else
		*line = (unsigned)n;
}

static enum sd_object_language language_of(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return SD_OBJECT_OTHER;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x3e: /* C17 */
		return SD_OBJECT_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* C++17 */
	case 0x2c: /* C++20 */
		return SD_OBJECT_CXX;
	case DW_LANG_Rust:
		return SD_OBJECT_RUST;
	case DW_LANG_Go:
		return SD_OBJECT_GO;
	default:
		return SD_OBJECT_OTHER;
	}
}

/* ---- members --------------------------------------------------------------------------------- */

struct listing {
	struct sd_object_layout *out;
	uint64_t low, high; /* members that end below or begin above are left out */
	unsigned left;      /* entries */
	unsigned sealed;    /* entries that is_sealed() may still look at */
	unsigned line;      /* of the element's own member that is being listed */
	char name[96];
};

static void list_type(struct listing *l, Dwarf_Die *type, uint64_t at, int depth);

static int is_structure(Dwarf_Die *type)
{
	return sd_dwarf_parts_keyword(dwarf_tag(type)) != NULL;
}

/* Adds one that lies in the element, as none else does whatever a file says. */
static void add_member(struct listing *l, uint64_t at, uint64_t bytes)
{
	struct sd_object_layout *const out = l->out;
	struct sd_object_member *const m = &out->member[out->n_member];

	if (!bytes || !*l->name || at >= out->bytes || bytes > out->bytes - at ||
		at + bytes <= l->low || at >= l->high)
		return;
	if (out->n_member == SD_LINE_MEMBERS) {
		out->cut = 1;
		return;
	}
	*m = (struct sd_object_member){.at = at, .bytes = bytes, .line = l->line};
	memcpy(m->name, l->name, sizeof m->name);
	out->n_member++;
}

/* Elements of an array of few structures, each with its members. 0: it is another array. */
static int list_elements(
	struct listing *l, Dwarf_Die *array, uint64_t at, uint64_t bytes, int depth)
{
	uint64_t count[SD_DWARF_PARTS_DIMENSIONS];
	const size_t used = strlen(l->name);
	const char *name;
	Dwarf_Die type;

	if (sd_dwarf_parts_dimensions(array, count) != 1 || count[0] > EXPANDED ||
		!sd_dwarf_parts_type(array, &type, &name) || !is_structure(&type))
		return 0;
	for (uint64_t i = 0; i < count[0]; i++) {
		snprintf(l->name + used, sizeof l->name - used, "[%u]", (unsigned)i);
		list_type(l, &type, at + i * (bytes / count[0]), depth + 1);
	}
	return 1;
}

static void list_member(struct listing *l, Dwarf_Die *member, uint64_t above, int depth)
{
	const int base = dwarf_tag(member) == DW_TAG_inheritance;
	const char *const own = base ? NULL : dwarf_diename(member);
	const size_t used = strlen(l->name);
	const char *name;
	uint64_t bytes;
	const uint64_t at = above + sd_dwarf_parts_start(member, &bytes);
	Dwarf_Die type;
	int line = 0;

	if (depth == 0)
		l->line = dwarf_decl_line(member, &line) == 0 && line > 0 ? (unsigned)line : 0;
	if (own)
		snprintf(l->name + used, sizeof l->name - used, "%s%s", used ? "." : "", own);
	if (!sd_dwarf_parts_type(member, &type, &name))
		add_member(l, at, bytes);
	else if (is_structure(&type) && depth < DEPTH_MAX && !(own && *own == '_'))
		/* what a language's library has in its types is the member itself */
		list_type(l, &type, at, depth + 1);
	else if (dwarf_tag(&type) != DW_TAG_array_type || depth >= DEPTH_MAX ||
		 !list_elements(l, &type, at, bytes, depth))
		add_member(l, at, bytes);
	l->name[used] = '\0';
}

/* Does a structure consist of what a language's library keeps to itself, or of nothing? A file may
 * say that a class is a base of itself, which has no end: it is not sealed. */
static int is_sealed(struct listing *l, Dwarf_Die *type, int depth)
{
	Dwarf_Die member;
	int more = dwarf_child(type, &member) == 0;

	for (; more && l->sealed && depth < DEPTH_MAX; l->sealed--) {
		const int tag = dwarf_tag(&member);
		const char *const name = dwarf_diename(&member);

		if (tag == DW_TAG_member && name && *name != '_')
			return 0;
		if (tag == DW_TAG_member && !name)
			return 0;
		if (tag == DW_TAG_inheritance) {
			const char *alias;
			Dwarf_Die base;

			if (sd_dwarf_parts_type(&member, &base, &alias) &&
				!is_sealed(l, &base, depth + 1))
				return 0;
		}
		more = dwarf_siblingof(&member, &member) == 0;
	}
	return !more;
}

static void list_type(struct listing *l, Dwarf_Die *type, uint64_t at, int depth)
{
	Dwarf_Die member;
	int more = dwarf_child(type, &member) == 0;

	if (depth > 0 && *l->name && is_sealed(l, type, 0)) {
		const int bytes = dwarf_bytesize(type);

		add_member(l, at, bytes > 0 ? (uint64_t)bytes : 0);
		return;
	}
	for (; more && l->left; l->left--) {
		Dwarf_Attribute a;
		const int tag = dwarf_tag(&member);

		/* what is static has no place in it */
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
			!dwarf_hasattr(&member, DW_AT_external) &&
			!dwarf_attr(&member, DW_AT_const_value, &a))
			list_member(l, &member, at, depth);
		more = dwarf_siblingof(&member, &member) == 0;
	}
}

/* ---- objects --------------------------------------------------------------------------------- */

/* The type of the elements of an array of arrays, and how many there are. 0: not known. */
static int element_of(Dwarf_Die *of, Dwarf_Die *type, const char **name, uint64_t *elements)
{
	uint64_t count[SD_DWARF_PARTS_DIMENSIONS];
	Dwarf_Die at = *of;

	*elements = 1;
	for (int i = 0; i < DEPTH_MAX; i++) {
		unsigned n;

		if (!sd_dwarf_parts_type(&at, type, name))
			return 0;
		if (dwarf_tag(type) != DW_TAG_array_type)
			return 1;
		n = sd_dwarf_parts_dimensions(type, count);
		if (!n)
			return 0;
		for (unsigned k = 0; k < n; k++)
			if (__builtin_mul_overflow(*elements, count[k], elements))
				return 0;
		at = *type;
	}
	return 0;
}

static void describe_type(Dwarf_Die *type, const char *called, struct sd_object_layout *out)
{
	const char *const keyword = sd_dwarf_parts_keyword(dwarf_tag(type));
	const char *const name = dwarf_diename(type);

	if (keyword && name)
		snprintf(out->type, sizeof out->type, "%s %s", keyword, name);
	else if (called || name || keyword)
		snprintf(out->type, sizeof out->type, "%s",
			called ? called
			: name ? name
			       : keyword);
	else
		snprintf(out->type, sizeof out->type, "%s",
			dwarf_tag(type) == DW_TAG_pointer_type ? "pointer" : "");
	out->composed = keyword != NULL;
	declared(type, out->file, sizeof out->file, &out->line);
}

int sd_dwarf_object(struct sd_dwarf_units *u, uint64_t entry, int pointed, uint64_t near,
	struct sd_object_layout *out)
{
	Dwarf_Die variable, of, origin, type, *named;
	Dwarf_Attribute a;
	const char *called;
	struct listing l = {
		.out = out, .high = UINT64_MAX, .left = ENTRIES_MAX, .sealed = SEALED_MAX};

	*out = (struct sd_object_layout){0};
	if (!sd_out_of_memory_room(ROOM) || !dwarf_offdie(u->dwarf, entry, &variable))
		return -ENOENT;
	of = variable;
	if ((pointed && !sd_dwarf_parts_pointee(&variable, &of)) ||
		!element_of(&of, &type, &called, &out->elements))
		return -ENOENT;
	/* a variable is declared where its specification, or what was inlined, is */
	named = dwarf_formref_die(dwarf_attr(&variable, DW_AT_specification, &a), &origin) ||
				dwarf_formref_die(
					dwarf_attr(&variable, DW_AT_abstract_origin, &a), &origin)
			? &origin
			: &variable;
	out->bytes = sd_dwarf_parts_size(&of) / out->elements;
	if (pointed) {
		out->elements = 0;
	} else {
		snprintf(out->variable, sizeof out->variable, "%s",
			dwarf_diename(named) ? dwarf_diename(named) : "");
		declared(dwarf_hasattr(&variable, DW_AT_decl_file) ? &variable : named,
			out->at_file, sizeof out->at_file, &out->at_line);
	}
	if (!out->bytes || out->bytes > SD_OBJECT_BYTES || out->elements > SD_OBJECT_BYTES)
		return -ENOENT;
	out->language = language_of(&variable);
	describe_type(&type, called, out);
	if (!out->composed)
		return 0;
	if (out->bytes > SMALL) {
		near %= out->bytes;
		l.low = near > NEAR ? near - NEAR : 0;
		l.high = near + NEAR;
		out->cut = 1;
	}
	list_type(&l, &type, 0, 0);
	return 0;
}
