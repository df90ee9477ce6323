/*
 * Comparison of doubles: cmocka's assert_float_equal compares as float. Include after cmocka.h.
 */
#ifndef SD_TESTS_NEAR_H
#define SD_TESTS_NEAR_H

#include <math.h>

#define assert_near(a, b, within) near_or_fail((a), (b), (within), __FILE__, __LINE__)

static inline void near_or_fail(double a, double b, double within, const char *file, int line)
{
	if (fabs(a - b) <= within)
		return;
	print_error("%.17g is not %.17g within %g\n", a, b, within);
	_fail(file, line);
}

#endif
