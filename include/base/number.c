#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int sd_number_u64(const char *s, uint64_t low, uint64_t high, uint64_t *out)
{
	uint64_t v = 0;

	if (!s || !*s)
		return -EINVAL;
	for (const char *p = s; *p; p++)
		if (*p < '0' || *p > '9')
			return -EINVAL;
	for (; *s; s++) {
		const uint64_t d = (uint64_t)(*s - '0');

		if (v > (UINT64_MAX - d) / 10)
			return -ERANGE;
		v = v * 10 + d;
	}
	if (v < low || v > high)
		return -ERANGE;
	*out = v;
	return 0;
}

int sd_number_double(const char *s, double low, double high, double *out)
{
	locale_t c, before;
	char *end = NULL;
	double v;

	/* strtod also takes hexadecimal, "inf", "nan" and leading space; none of them is a number
	 * here */
	if (!s || !*s || s[strspn(s, "0123456789.eE+-")] != '\0')
		return -EINVAL;
	/* all of "C" is there already, a part of it would be made anew */
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c == (locale_t)0)
		return -ENOMEM;
	before = uselocale(c);
	v = strtod(s, &end);
	uselocale(before);
	freelocale(c);
	if (end == s || *end)
		return -EINVAL;
	if (!isfinite(v) || v < low || v > high)
		return -ERANGE;
	*out = v;
	return 0;
}
