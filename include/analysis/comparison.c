#include "analysis/comparison.h"

#include <stdlib.h>

const char *const sd_change_name[] = {
	[SD_CHANGE_UNKNOWN] = "unknown",
	[SD_CHANGE_NOISE] = "noise",
	[SD_CHANGE_LESS] = "less",
	[SD_CHANGE_MORE] = "more",
};

const char *const sd_fate_name[] = {
	[SD_FATE_NEVER] = "never",
	[SD_FATE_WENT] = "went",
	[SD_FATE_CAME] = "came",
	[SD_FATE_STAYED] = "stayed",
	[SD_FATE_SHRANK] = "shrank",
	[SD_FATE_UNKNOWN] = "unknown",
};

void sd_comparison_free(struct sd_comparison *c)
{
	free(c->point);
	sd_texts_free(&c->warnings);
	*c = (struct sd_comparison){0};
}
