#include "simulated/line_idiom.h"

#include <stdio.h>
#include <string.h>

enum number { NO_NUMBER, APART, PADDING };

/* Sources of the idioms: configs/advice/remedies.conf, false-sharing. */
static const struct idiom {
	const char *ending; /* of its files; "" that of all others */
	enum sd_object_language language;
	const char *before;
	enum number number; /* bytes that are written between */
	const char *after;
} idioms[] = {
	{".rs", SD_OBJECT_RUST, "#[repr(align(", APART, "))]"},
	{".go", SD_OBJECT_GO, "a field _ [", PADDING, "]byte after each"},
	{".java", SD_OBJECT_OTHER, "@Contended, with -XX:-RestrictContended", NO_NUMBER, ""},
	{".js", SD_OBJECT_OTHER, "elements of the shared array ", APART, " bytes apart"},
	{"", SD_OBJECT_C, "alignas(", APART, ")"},
};

static int ends_with(const char *text, const char *ending)
{
	const size_t n = strlen(text), m = strlen(ending);

	return n >= m && strcmp(text + n - m, ending) == 0;
}

/* The file of the line's first code, which waits for it most; "" where it has none. */
static const char *file_of(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	for (size_t i = 0; i < l->n_code; i++) {
		const unsigned node = l->code[i].node;
		const unsigned frame = node < s->n_node ? s->node[node].frame : 0;

		if (node && frame < s->n_frame && s->frame[frame].file)
			return sd_stacks_text_at(s, s->frame[frame].file);
	}
	return "";
}

static const struct idiom *idiom_of(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	const enum sd_object_language language =
		l->n_object ? l->object->language : SD_OBJECT_OTHER;
	const struct idiom *i = idioms;

	if (language == SD_OBJECT_OTHER)
		while (!ends_with(file_of(s, l), i->ending))
			i++;
	else
		while (*i->ending && i->language != language)
			i++;
	return i;
}

const char *sd_line_idiom_text(const struct sd_stacks *s, const struct sd_sim_contested *l,
	unsigned bytes, unsigned apart, char *out, size_t size)
{
	const struct idiom *const i = idiom_of(s, l);
	const unsigned padding = apart - (bytes < apart ? bytes : bytes % apart);
	char number[16] = "", more[48] = "";

	if (i->number != NO_NUMBER)
		snprintf(number, sizeof number, "%u", i->number == APART ? apart : padding);
	if (!*i->ending && bytes)
		snprintf(more, sizeof more, ", or padding of %u bytes after each", padding);
	snprintf(out, size, "%s%s%s%s", i->before, number, i->after, more);
	return out;
}

int sd_line_idiom_allocates(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	return !*idiom_of(s, l)->ending;
}
