/*
 * Texts of event maps, right and wrong.
 */
#ifndef SD_TEST_MAP_TEXTS_H
#define SD_TEST_MAP_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "probe/event_map.h"

static inline void keep(void *ctx, enum sd_level level, const char *text)
{
	assert_int_equal(level, SD_LEVEL_ERROR);
	assert_string_equal(ctx, ""); /* one message, not two */
	snprintf(ctx, 1024, "%s", text);
}

#endif
