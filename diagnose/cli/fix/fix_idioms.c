#include "fix/fix_idioms.h"

#include <stdio.h>
#include <string.h>

static const char *file_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "struct Count (cells.rs:8)", without the place where that is not known. */
static void name_type(
	const struct sd_fix_case *c, const struct sd_line_object *o, char *out, size_t size)
{
	const char *const type = sd_fix_case_text(c, o->type);
	const char *const file = file_name(sd_fix_case_text(c, o->file));

	if (*file && o->line)
		snprintf(out, size, "%s (%s:%u)", type, file, o->line);
	else
		snprintf(out, size, "%s", type);
}

/* The members before which an edge of a line has to be: "hits, seen". */
static void list_members(const struct sd_fix_case *c, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < c->layout->n_row && used < size; i++) {
		const struct sd_line_member *const m = c->layout->row[i].member;
		const char *const name = m ? sd_fix_case_text(c, m->name) : "";

		if (*name && sd_line_layout_parts(c->layout, i))
			used += (size_t)snprintf(out + used, size - used, "%s%.*s",
				used ? ", " : "", (int)strcspn(name, ".["), name);
	}
}

static int say_rust(
	struct sd_fix_case *c, const struct sd_line_object *o, enum sd_layout_change change)
{
	const unsigned apart = c->layout->apart;
	char text[256];

	if (change == SD_LAYOUT_ELEMENTS && o->composed) {
		name_type(c, o, text, sizeof text);
		return sd_fix_case_refuse(c,
			"in Rust #[repr(align(%u))] before %s gives each a line of its own", apart,
			text);
	}
	if (change == SD_LAYOUT_MEMBERS)
		list_members(c, text, sizeof text);
	else
		snprintf(text, sizeof text, "%s", sd_fix_case_text(c, o->variable));
	return sd_fix_case_refuse(c,
		"in Rust #[repr(align(%u))] struct Apart<T>(T); around %s%s gives each a line of its "
		"own",
		apart, change == SD_LAYOUT_ELEMENTS ? "each element of " : "",
		*text ? text : "each of them");
}

static int say_go(
	struct sd_fix_case *c, const struct sd_line_object *o, enum sd_layout_change change)
{
	/* a whole line: nothing says where in one such an array begins */
	const unsigned pad = c->layout->apart;
	char text[256];

	if (change == SD_LAYOUT_ELEMENTS && o->composed) {
		name_type(c, o, text, sizeof text);
		return sd_fix_case_refuse(c,
			"in Go _ [%u]byte as the last field of %s gives each a line of its "
			"own",
			pad, text);
	}
	if (change == SD_LAYOUT_ELEMENTS)
		return sd_fix_case_refuse(c,
			"in Go struct { value %s; _ [%u]byte } as the element of %s gives "
			"each a line of its own",
			sd_fix_case_text(c, o->type), pad, sd_fix_case_text(c, o->variable));
	if (change == SD_LAYOUT_MEMBERS)
		list_members(c, text, sizeof text);
	else
		snprintf(text, sizeof text, "%s", sd_fix_case_text(c, o->variable));
	return sd_fix_case_refuse(c, "in Go _ [%u]byte before %s%s parts them", c->layout->apart,
		change == SD_LAYOUT_VARIABLES
			? "each, all in one struct, as variables have no order: "
			: "",
		*text ? text : "each of them");
}

int sd_fix_idioms_line(struct sd_fix_case *c)
{
	const struct sd_line_layout *const l = c->layout;
	const struct sd_line_object *const o = l->of ? l->of : l->n_row ? l->row->object : NULL;

	/* a task has one element, and goes from thread to thread with it */
	const enum sd_layout_change change = l->change == SD_LAYOUT_NONE && o && o->elements != 1 &&
							     o->composed &&
							     c->view->line->sharing == SD_SIM_FALSE
						     ? SD_LAYOUT_ELEMENTS
						     : l->change;

	if (!o || o->language == SD_OBJECT_C || o->language == SD_OBJECT_CXX)
		return 0;
	if (change == SD_LAYOUT_NONE || o->language == SD_OBJECT_OTHER)
		return sd_fix_case_refuse(
			c, "no text but that of C and C++ is changed, and this is another");
	return o->language == SD_OBJECT_RUST ? say_rust(c, o, change) : say_go(c, o, change);
}
