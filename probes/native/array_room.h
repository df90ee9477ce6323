/*
 * Arrays that grow by doubling.
 */
#ifndef SD_ARRAY_ROOM_H
#define SD_ARRAY_ROOM_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more element behind the n of *list, an owned array of *room elements of `size`
 * bytes; NULL with room 0 is empty, and gets `first`. 0, or -ENOMEM: nothing has changed.
 */
static inline int sd_array_room(void **list, size_t n, size_t *room, size_t first, size_t size)
{
	const size_t more = *room ? *room * 2 : first;
	void *const grown = n < *room ? *list : reallocarray(*list, more, size);

	if (!grown)
		return -ENOMEM;
	if (n >= *room)
		*room = more;
	*list = grown;
	return 0;
}

#endif
