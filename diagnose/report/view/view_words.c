#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/view_parts.h"
#include "page/page.h"

char *sd_view_words(const char *text, const struct sd_view_word *words)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	while (f && *text) {
		const struct sd_view_word *w = words;

		while (w->from &&
			(!w->to || !*w->from || strncmp(text, w->from, strlen(w->from)) != 0))
			w++;
		if (w->from) {
			fputs(w->to, f);
			text += strlen(w->from);
		} else {
			fputc(*text++, f);
		}
	}
	return sd_page_written(f, &out);
}
