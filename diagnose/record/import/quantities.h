/*
 * Quantities with their units as programs print them and people paste them: 1m12.271s, 12 ms,
 * 1:02.5, 480k.
 */
#ifndef SD_QUANTITIES_H
#define SD_QUANTITIES_H

/* s of a time that says its unit. 0; -EINVAL: it says none, or is no time (*s as it was). */
int sd_quantities_time(const char *text, double *s);

/* A rate with k, M or G behind it, and "/s" behind that. As above. */
int sd_quantities_rate(const char *text, double *rate);

#endif
