/*
 * The number parser: every number from outside is parsed here and checked against its range.
 */
#ifndef SD_NUMBER_H
#define SD_NUMBER_H

#include <stdint.h>

/*
 * Parses all of `s` as a decimal number within [low, high], independent of the locale. Returns 0;
 * -EINVAL if `s` is NULL, empty, not a number, not finite or has trailing characters; -ERANGE if
 * out of range. *out is written only on success.
 */
int sd_number_double(const char *s, double low, double high, double *out);

/* As above, for unsigned integers: no sign, point or exponent. */
int sd_number_u64(const char *s, uint64_t low, uint64_t high, uint64_t *out);

#endif
