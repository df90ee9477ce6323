#include "record/machine_layout.h"

#include <stdlib.h>

void sd_machine_layout_free(struct sd_machine_layout *l)
{
	free(l->pu);
	free(l->pairs.cpu);
	free(l->pairs.s);
	for (size_t i = 0; i < l->n_loaded; i++) {
		free(l->loaded[i].bandwidth);
		free(l->loaded[i].latency);
	}
	free(l->loaded);
	*l = (struct sd_machine_layout){0};
}
