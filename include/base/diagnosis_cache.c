#include "base/diagnosis_cache.h"

#include <stddef.h>

void sd_diagnosis_cache_free(struct sd_diagnosis_cache *k)
{
	if (!k)
		return;
	if (k->what)
		k->free(k->what);
	*k = (struct sd_diagnosis_cache){0};
}
