#include "import/quantities.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define MOST 1e18

struct unit {
	const char *name;
	double factor;
};

/* The second names of a microsecond are those of Unicode: micro sign, Greek letter mu. */
static const struct unit of_time[] = {{"h", 3600}, {"m", 60}, {"min", 60}, {"s", 1}, {"sec", 1},
	{"ms", 1e-3}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6}, {"ns", 1e-9}, {0}};
static const struct unit of_rate[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"k/s", 1e3},
	{"K/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}, {"/s", 1}, {0}};

/* The number at *p, which moves behind it and the blanks that follow. */
static int take_number(const char **p, double *out)
{
	const size_t n = strspn(*p, "0123456789.");
	char digits[64];

	if (n >= sizeof digits)
		return -EINVAL;
	snprintf(digits, sizeof digits, "%.*s", (int)n, *p);
	*p += n;
	*p += strspn(*p, " ");
	return sd_number_double(digits, 0, MOST, out);
}

/* The factor of the unit at *p, which moves behind it and the blanks that follow; 0: none. */
static double take_unit(const char **p, const struct unit *units)
{
	const size_t n = strcspn(*p, " 0123456789.");

	for (; units->name; units++)
		if (strlen(units->name) == n && strncmp(units->name, *p, n) == 0) {
			*p += n;
			*p += strspn(*p, " ");
			return units->factor;
		}
	return 0;
}

/* "1:02.5" and "1:02:03", as GNU time's %E. */
static int parse_clock(const char *p, double *s)
{
	double sum = 0, v;

	for (int i = 0; i < 3; i++) {
		if (take_number(&p, &v) || (i && v >= 60))
			return -EINVAL;
		sum = sum * 60 + v;
		if (!*p && i) {
			*s = sum;
			return 0;
		}
		if (*p++ != ':')
			return -EINVAL;
	}
	return -EINVAL;
}

int sd_quantities_time(const char *text, double *s)
{
	double sum = 0, last = INFINITY, v;
	const char *p = text;

	if (strchr(p, ':'))
		return parse_clock(p, s);
	do {
		double unit;

		if (take_number(&p, &v))
			return -EINVAL;
		unit = take_unit(&p, of_time);
		if (!(unit > 0) || unit >= last)
			return -EINVAL;
		sum += v * unit;
		last = unit;
	} while (*p);
	*s = sum;
	return 0;
}

int sd_quantities_rate(const char *text, double *rate)
{
	const char *p = text;
	double factor, v;

	if (take_number(&p, &v))
		return -EINVAL;
	factor = take_unit(&p, of_rate);
	if (!(factor > 0) || *p)
		return -EINVAL;
	*rate = v * factor;
	return 0;
}
