/*
 * Memory of zeroes that is only read: the kernel maps each page of it to its one page of zeroes,
 * which stays in the first cache, while each has an entry of the TLB of its own. So its only cost
 * is translation. Every page is read here, or each thread would meet its first use.
 */
#ifndef ZEROES_H
#define ZEROES_H

#include <stdlib.h>

static inline char *zeroes(size_t bytes)
{
	char *const all = calloc(bytes, 1);

	if (!all)
		abort();
	for (size_t i = 0; i < bytes; i += 4096)
		(void)*(volatile char *)(all + i);
	return all;
}

#endif
