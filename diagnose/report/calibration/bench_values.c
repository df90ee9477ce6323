#include "calibration/bench_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page/plot.h"

void sd_bench_parameter(const struct sd_bench_row *r, char *out, size_t size)
{
	const char *const unit = r->parameter_unit;
	char bytes[32];

	out[0] = '\0';
	if (strcmp(unit, "B") == 0 || strcmp(unit, "bytes") == 0 || strncmp(unit, "B ", 2) == 0) {
		sd_plot_bytes(r->parameter, bytes, sizeof bytes);
		if (r->parameter > 0)
			snprintf(out, size, "%s%s", bytes, unit[1] == ' ' ? unit + 1 : "");
	} else if (unit[0]) {
		snprintf(out, size, "%.4g %s", r->parameter, unit);
	}
}

void sd_bench_quantity(double v, const char *unit, char *out, size_t size)
{
	if (strcmp(unit, "B") == 0)
		sd_plot_bytes(v, out, size);
	else
		sd_bench_number(v, out, size);
}

void sd_bench_number(double v, char *out, size_t size)
{
	const double a = fabs(v);

	if (a >= 1e9)
		snprintf(out, size, "%.3gG", v / 1e9);
	else if (a >= 1e6)
		snprintf(out, size, "%.3gM", v / 1e6);
	else if (a >= 1e4)
		snprintf(out, size, "%.3gk", v / 1e3);
	else
		snprintf(out, size, "%.*f",
			a >= 100           ? 0
			: a >= 10          ? 1
			: a >= 1 || a <= 0 ? 2
					   : 3,
			v);
}
