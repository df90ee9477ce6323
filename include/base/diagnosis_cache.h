/*
 * What a probe opened for one run of a session and the next run can use again. The session owns it,
 * empty at first; the probe that fills it says how it is freed.
 */
#ifndef SD_DIAGNOSIS_CACHE_H
#define SD_DIAGNOSIS_CACHE_H

struct sd_diagnosis_cache {
	void *what; /* NULL: nothing yet */
	void (*free)(void *what);
};

void sd_diagnosis_cache_free(
	struct sd_diagnosis_cache *k); /* accepts NULL and the empty value, leaves it */

#endif
