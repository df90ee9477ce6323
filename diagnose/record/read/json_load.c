#include "read/json_load.h"

#include <errno.h>

/* Says what is wrong with text that jansson refused. */
static int not_json(const struct sd_source *s, const json_error_t *e, size_t line)
{
	line += (size_t)e->line;
	/* jansson has no words for the memory that it lacks while parsing */
	if (e->text[0] == '\0')
		return -ENOMEM;
	switch (json_error_code(e)) {
	case json_error_out_of_memory:
		return -ENOMEM;
	case json_error_premature_end_of_input:
		sd_say(s->sink, SD_LEVEL_ERROR,
			"%s:%zu: the record ends in the middle, it was cut off; take the original, "
			"or measure again",
			s->name, line);
		return -EINVAL;
	case json_error_duplicate_key:
		sd_say(s->sink, SD_LEVEL_ERROR, "%s:%zu: the record is damaged: %s", s->name, line,
			e->text);
		return -EINVAL;
	default:
		sd_say(s->sink, SD_LEVEL_ERROR, "%s:%zu: not a record of scalediag, or damaged: %s",
			s->name, line, e->text);
		return -EINVAL;
	}
}

int sd_json_load(
	const struct sd_source *s, const char *text, size_t size, size_t line, json_t **out)
{
	json_error_t error = {0};

	*out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	return *out ? 0 : not_json(s, &error, line);
}
