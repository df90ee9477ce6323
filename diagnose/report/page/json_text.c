#include "page/json_text.h"

#include <string.h>

#define DEL '\x7f'

/* Outside of strings JSON has no such byte. */
static int put(const char *text, size_t n, void *f)
{
	const char *const end = text + n;

	while (text < end) {
		const char *const del = memchr(text, DEL, (size_t)(end - text));
		const size_t plain = (size_t)((del ? del : end) - text);

		if (fwrite(text, 1, plain, f) != plain || (del && fputs("\\u007f", f) == EOF))
			return -1;
		text += plain + (del != NULL);
	}
	return 0;
}

int sd_json_text_dump(const json_t *value, FILE *f, size_t flags)
{
	return json_dump_callback(value, put, f, flags);
}
