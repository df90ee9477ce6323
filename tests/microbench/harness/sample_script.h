/*
 * Samples as a script gives them.
 */
#ifndef SD_TEST_SAMPLE_SCRIPT_H
#define SD_TEST_SAMPLE_SCRIPT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "harness/samples.h"

static struct sd_pu one_pu[] = {{.os = 0}};

static const struct sd_topology one = {.pu = one_pu, .n_pu = 1, .n_core = 1, .granted = 1};

#endif
