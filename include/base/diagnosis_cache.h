/*
 * What a probe opened for one run of a session and the next run can use again. The session owns it,
 * empty at first; the probe that fills it says how it is freed.
 */
#ifndef SD_KEPT_H
#define SD_KEPT_H

struct sd_kept {
	void *what; /* NULL: nothing yet */
	void (*free)(void *what);
};

void sd_kept_free(struct sd_kept *k); /* accepts NULL and the empty value, leaves it */

#endif
