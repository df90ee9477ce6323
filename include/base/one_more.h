/*
 * A list that grows by one element at a time, in room that doubles: what n elements cost together
 * grows with n. A room of their own for each would be a copy of all before it, or, of large lists,
 * a move of all their pages.
 */
#ifndef SD_ONE_MORE_H
#define SD_ONE_MORE_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Room for element `n` of a list that has elements 0 to n-1, of `size` bytes each, and was given
 * all of its room here: then it holds the next power of two of n, so that no room has to be noted.
 * The list, moved perhaps; NULL: no memory, and the old list is as it was.
 */
static inline void *sd_one_more(void *list, size_t n, size_t size)
{
	return n & (n - 1) ? list : reallocarray(list, n ? 2 * n : 1, size);
}

#endif
