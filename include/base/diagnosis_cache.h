/*
 * State that a probe opens for one run of a session and reuses in the next. The session owns it,
 * initially empty; the probe that fills it also says how to free it.
 */
#ifndef SD_DIAGNOSIS_CACHE_H
#define SD_DIAGNOSIS_CACHE_H

struct sd_diagnosis_cache {
	void *what; /* NULL: empty */
	void (*free)(void *what);
};

void sd_diagnosis_cache_free(
	struct sd_diagnosis_cache *k); /* accepts NULL and the empty value, leaves it */

#endif
