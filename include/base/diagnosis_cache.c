#include "base/diagnosis_cache.h"

#include <stddef.h>

void sd_kept_free(struct sd_kept *k)
{
	if (!k)
		return;
	if (k->what)
		k->free(k->what);
	*k = (struct sd_kept){0};
}
