#include "analysis/stack_profile.h"

#include <stdlib.h>

void sd_stack_profile_free(struct sd_stack_profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->point[i].row);
	free(p->point);
	*p = (struct sd_stack_profile){0};
}
