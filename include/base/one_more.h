/*
 * A list that grows by one element at a time, in room that doubles: what n elements cost together
 * grows with n. A room of their own for each would be a copy of all before it, or, of large lists,
 * a move of all their pages.
 */
#ifndef SD_ONE_MORE_H
#define SD_ONE_MORE_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for element `n` of a list that has elements 0 to n-1, of `size` bytes each, and was given
 * all of its room here: then it holds the next power of two of n, so that no room has to be noted.
 * The list, moved perhaps; NULL: no memory, and the old list is as it was.
 */
static inline void *sd_one_more(void *list, size_t n, size_t size)
{
	return n & (n - 1) ? list : reallocarray(list, n ? 2 * n : 1, size);
}

static inline int sd_one_more_append(void *list, size_t *n, const void *item, size_t size)
{
	void *all;

	memcpy(&all, list, sizeof all);
	all = sd_one_more(all, *n, size);
	if (!all)
		return -ENOMEM;
	memcpy(list, &all, sizeof all);
	memcpy((char *)all + (*n)++ * size, item, size);
	return 0;
}

/*
 * Appends a copy of the element whose address follows to a list of `n`, which is then one more. The
 * list has all of its room from here. 0, or -ENOMEM with the list as it was.
 */
#define SD_APPEND(list, n, ...) \
	sd_one_more_append(&(list), &(n), 1 ? (__VA_ARGS__) : (list), sizeof(__typeof__(*(list))))

#endif
