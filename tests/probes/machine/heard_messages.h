/*
 * Messages that were said meanwhile.
 */
#ifndef SD_TEST_HEARD_MESSAGES_H
#define SD_TEST_HEARD_MESSAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/topology.h"

struct heard {
	size_t n;
	char last[512];
};

static inline void hear(void *ctx, enum sd_level level, const char *text)
{
	struct heard *h = ctx;

	(void)level;
	h->n++;
	snprintf(h->last, sizeof h->last, "%s", text);
}

#endif
