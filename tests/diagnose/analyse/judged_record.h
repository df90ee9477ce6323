/*
 * Records that may decide something or nothing.
 */
#ifndef SD_TEST_JUDGED_RECORD_H
#define SD_TEST_JUDGED_RECORD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "analysis/comparison.h"
#include "analysis/requirement.h"
#include "support/near.h"

static const struct sample one = {.wall = 1, .user = 1};

static const struct sample half = {.wall = .5, .user = 1};

#endif
