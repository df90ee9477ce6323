#include "analysis/rank_losses.h"

#include <stdlib.h>

void sd_rank_losses_free(struct sd_rank_losses *l)
{
	free(l->node);
	free(l->share);
	sd_texts_free(&l->waits);
	sd_texts_free(&l->calls);
	*l = (struct sd_rank_losses){0};
}
