#include "record/sampled.h"

#include <stdlib.h>

const struct sd_activity_info sd_activity_info[SD_ACTIVITY_COUNT] = {
#define X(id, name, label, group) [SD_ACTIVITY_##id] = {name, label, SD_GROUP_##group},
	SD_ACTIVITIES(X)
#undef X
};

void sd_sampled_free(struct sd_sampled *s)
{
	free(s->use);
	free(s->lock);
	free(s->bottle);
	*s = (struct sd_sampled){0};
}
