#include "probe/diagnosis_cache.h"

#include <stddef.h>

void sd_diagnosis_cache_keep(
	struct sd_diagnosis_cache *k, enum sd_kept probe, void *what, void (*free_what)(void *what))
{
	struct sd_kept_state *const s = &k->of[probe];

	if (s->what)
		s->free(s->what);
	*s = (struct sd_kept_state){what, free_what};
}

void sd_diagnosis_cache_free(struct sd_diagnosis_cache *k)
{
	for (unsigned i = 0; k && i < SD_KEPT_COUNT; i++)
		sd_diagnosis_cache_keep(k, (enum sd_kept)i, NULL, NULL);
}
