/*
 * Parts of an array that threads reach by a pointer to their first element: the parts move apart.
 */
#ifndef SD_FIX_STRIDES_H
#define SD_FIX_STRIDES_H

#include "fix/fix_case.h"

/*
 * The array that token `declared` of `in` declares, of elements of `bytes`, where the one use of it
 * is the address of an element: its index, and the number of elements, grow so much that two
 * threads' parts never lie in one line. Adds steps. 0; -ENOENT: it is used in another way, or the
 * reason; the caller goes on by `c->why` being "".
 */
int sd_fix_strides(struct sd_fix_case *c, struct sd_fix_source *in, size_t declared);

#endif
