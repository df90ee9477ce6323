#include "record/sampled.h"

#include <stdlib.h>

void sd_sampled_free(struct sd_sampled *s)
{
	free(s->use);
	free(s->lock);
	free(s->bottle);
	*s = (struct sd_sampled){0};
}
