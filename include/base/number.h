/*
 * The one number parser: every number that comes from outside goes through here, with its range.
 */
#ifndef SD_NUMBER_H
#define SD_NUMBER_H

#include <stdint.h>

/*
 * The whole of `s` as a decimal number within [low, high]; the locale plays no part.
 * Returns 0; -EINVAL when `s` is NULL, empty, not a number, not finite or has a tail; -ERANGE when
 * outside. *out is written only on success.
 */
int sd_number_double(const char *s, double low, double high, double *out);

/* As above for a whole number without sign, point or exponent. */
int sd_number_u64(const char *s, uint64_t low, uint64_t high, uint64_t *out);

#endif
