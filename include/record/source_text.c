#include "record/source_text.h"

#include <stdlib.h>

void sd_source_text_free(struct sd_source_text *s)
{
	free(s->file);
	sd_texts_free(&s->line);
	*s = (struct sd_source_text){0};
}
