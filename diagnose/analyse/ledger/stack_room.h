/*
 * How much of the stack is left for one cause when the others have what is surely theirs: causes
 * that draw on the same components share what is there (METHODS 4.3).
 */
#ifndef SD_STACK_ROOM_H
#define SD_STACK_ROOM_H

#include <stdint.h>

#define SD_STACK_ROOM_NODES 64 /* parts of the stack */
#define SD_STACK_ROOM_USERS 32 /* causes */

struct sd_stack_room {
	double capacity[SD_STACK_ROOM_NODES];
	uint64_t may[SD_STACK_ROOM_USERS]; /* the parts that a cause may draw on, a bit each */
	double sure[SD_STACK_ROOM_USERS];  /* what is surely its own, >= 0; 0 past the last */
};

/*
 * The most that `user` can have, up to `most`: the smallest of
 *   capacity(A) - sum of sure(d) over the others d with may(d) within A
 * over all sets A of parts that hold may(user). That is a cut, so the largest flow gives it (Ford
 * and Fulkerson 1956). Negative where the others' sure parts do not fit into the stack.
 */
double sd_stack_room_for(const struct sd_stack_room *r, unsigned user, double most);

#endif
