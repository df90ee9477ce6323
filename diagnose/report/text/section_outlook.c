#include "text/sections.h"

#include <stdlib.h>

#include "wording/outlook.h"

void sd_section_outlook(struct sd_page *p, const struct sd_analysis *a)
{
	char *const text = sd_outlook(a);

	p->failed |= !text;
	if (text && text[0])
		sd_page_wrap(p, "", 2, "%s", text);
	for (size_t i = 0; i < a->outlook.basis.n; i++)
		sd_page_wrap_tone(p, SD_TONE_DIM, "  ", 4, "%s", a->outlook.basis.text[i]);
	free(text);
}
