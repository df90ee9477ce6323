#include "analysis.h"

#include <stdlib.h>

const struct sd_component_info sd_component_info[SD_COMPONENT_COUNT] = {
#define X(id, n, l, c) [SD_COMPONENT_##id] = {.name = n, .label = l, .cause = SD_CAUSE_##c},
	SD_COMPONENTS(X)
#undef X
};

const struct sd_cause_info sd_cause_info[SD_CAUSE_COUNT] = {
#define X(id, n, l) [SD_CAUSE_##id] = {.name = n, .label = l},
	SD_CAUSES(X)
#undef X
};

const char *const sd_verdict_name[SD_VERDICT_COUNT] = {
#define X(id, name) [SD_VERDICT_##id] = name,
	SD_VERDICTS(X)
#undef X
};

static void free_finding(struct sd_finding *f)
{
	sd_texts_free(&f->evidence);
	sd_texts_free(&f->advice);
	for (size_t i = 0; i < f->n_where; i++) {
		free(f->where[i].function);
		free(f->where[i].file);
	}
	free(f->where);
	free(f->next);
}

void sd_analysis_free(struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_point; i++)
		free(a->point[i].shown);
	free(a->point);
	for (size_t i = 0; i < SD_CAUSE_COUNT; i++)
		free_finding(&a->finding[i]);
	sd_texts_free(&a->warnings);
	*a = (struct sd_analysis){0};
}
