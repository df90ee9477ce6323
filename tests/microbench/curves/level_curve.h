/*
 * A curve of plateaus.
 */
#ifndef SD_TEST_LEVEL_CURVE_H
#define SD_TEST_LEVEL_CURVE_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "curves/levels.h"
#include "harness/samples.h"
#include "harness/team.h"

#define KIB 1024.0
#define MIB (1024.0 * KIB)

/* A curve of two points an octave, level by level with a climb between. */
static inline size_t curve(struct sd_level_point *point)
{
	size_t n = 0;

	for (double b = 4 * KIB; b < 1.1 * 1024 * MIB; b *= sqrt(2), n++) {
		point[n].bytes = b;
		point[n].ns = b <= 48 * KIB    ? 1.0 + 0.02 * (double)(n % 3)
			      : b <= 1 * MIB   ? 4.0 + 0.01 * (double)n
			      : b <= 1.5 * MIB ? 8
			      : b <= 16 * MIB  ? 12.0 + 0.05 * (double)n
			      : b <= 24 * MIB  ? 40
			      : b <= 48 * MIB  ? 90
					       : 150 + 0.5 * (double)n;
		point[n].ratio = b <= 128 * KIB  ? NAN
				 : b <= 16 * MIB ? 0.2
				 : b <= 24 * MIB ? 0.5
				 : b <= 40 * MIB ? 0.8
						 : 0.97;
	}
	return n;
}

#endif
