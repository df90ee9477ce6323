/*
 * Reports printed on a page.
 */
#ifndef SD_TEST_TEXT_PAGE_H
#define SD_TEST_TEXT_PAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/report_style.h"
#include "support/make_analysis.h"

static const struct sd_report_style plain = {.record_path = "app.scalediag.json", .width = 100};

#endif
