/*
 * How much memory a process goes through, at least, from a few addresses that it was seen to touch.
 * Pure.
 */
#ifndef SD_TOUCHED_PAGES_H
#define SD_TOUCHED_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SD_TOUCHED_PAGE 4096u /* bytes */
#define SD_TOUCHED_LEAST 30u  /* addresses; of fewer, nothing is said */

/*
 * Bytes of pages, as many as would be touched if each were touched equally often. c of the n (n -
 * 1) / 2 pairs of addresses lie in one page: their expected number is that of pairs by sum p^2, p a
 * page's share, and with 95 % confidence no more than the Poisson bound of c, so 1 / sum p^2 pages
 * are at least n (n - 1) / 2 by that. Sorts the addresses.
 */
struct sd_value sd_touched_pages(uint64_t *address, size_t n);

#endif
