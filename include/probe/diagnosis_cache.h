/*
 * State that probes open for one run of a session and reuse in the next. The session owns it,
 * initially empty; the probe that fills its part also says how to free it.
 */
#ifndef SD_DIAGNOSIS_CACHE_H
#define SD_DIAGNOSIS_CACHE_H

enum sd_kept { SD_KEPT_SAMPLES, SD_KEPT_REGIONS, SD_KEPT_NEIGHBOURS, SD_KEPT_LOCKS, SD_KEPT_COUNT };

struct sd_diagnosis_cache {
	struct sd_kept_state {
		void *what; /* NULL: empty */
		void (*free)(void *what);
	} of[SD_KEPT_COUNT];
};

/* Owns `what` for that probe from now on, and frees what it kept before; NULL: keeps nothing. */
void sd_diagnosis_cache_keep(struct sd_diagnosis_cache *k, enum sd_kept probe, void *what,
	void (*free_what)(void *what));

void sd_diagnosis_cache_free(
	struct sd_diagnosis_cache *k); /* accepts NULL and the empty value, leaves it */

#endif
