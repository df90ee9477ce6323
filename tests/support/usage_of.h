/*
 * The command line.
 */
#ifndef SD_TEST_USAGE_OF_H
#define SD_TEST_USAGE_OF_H

#include "e2e/e2e.h"

#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

#endif
