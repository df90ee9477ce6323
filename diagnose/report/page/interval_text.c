#include "page/interval_text.h"

#include <math.h>
#include <string.h>

void sd_interval_text_number(char *out, size_t size, double v, int decimals)
{
	snprintf(out, size, fabs(v) < 1e9 ? "%.*f" : "%.*g", fabs(v) < 1e9 ? decimals : 4, v);
}

int sd_interval_text_tells(struct sd_interval v)
{
	return fmax(v.high - v.value, v.value - v.low) <= 10 * fmax(fabs(v.value), 1);
}

/* Does it bound a number that is shown in per cent, as a share of one? */
static int is_share_told(struct sd_interval v)
{
	return fmax(v.high - v.value, v.value - v.low) <= fmax(fabs(v.value), 1);
}

void sd_interval_text_half(
	char *out, size_t size, struct sd_interval v, size_t runs, double factor, int decimals)
{
	if (!sd_status_measured(v))
		snprintf(out, size, "-");
	else if (!sd_status_bounded(v) || !sd_interval_text_tells(v) ||
		 (factor > 99 && factor < 101 && !is_share_told(v)) ||
		 (runs < 2 && v.high > v.low)) /* one run may be exact */
		snprintf(out, size, "?");
	else
		sd_interval_text_number(
			out, size, factor * fmax(v.high - v.value, v.value - v.low), decimals);
}

void sd_interval_text_bounds(char *out, size_t size, struct sd_interval v, int decimals)
{
	char low[48], high[48];

	sd_interval_text_number(low, sizeof low, v.low, decimals);
	sd_interval_text_number(high, sizeof high, v.high, decimals);
	if (!isfinite(v.low))
		snprintf(out, size, "?");
	else if (isfinite(v.high))
		snprintf(out, size, "%s to %s", low, high);
	else
		snprintf(out, size, "%s or more", low);
}

void sd_interval_text_range(
	char *out, size_t size, struct sd_interval v, const struct sd_point *p, int decimals)
{
	char bounds[128];

	sd_interval_text_bounds(bounds, sizeof bounds, v, decimals);
	if (p->exact)
		snprintf(out, size, "%s", "");
	else if (p->runs < 2 || *bounds == '?')
		snprintf(out, size, "one run");
	else if (v.low <= 0 && v.high >= p->n)
		snprintf(out, size, "the runs differ too much to bound it");
	else
		snprintf(out, size, "95 %%: %s", bounds);
}

/* Three digits of how many times: nobody knows more. */
static void put_times(char *out, size_t size, double v)
{
	sd_interval_text_number(out, size, v, v < 10 ? 2 : v < 100 ? 1 : 0);
}

int sd_interval_text_gains(struct sd_interval v)
{
	return sd_status_measured(v) && (isfinite(v.value) || v.low >= 1.005);
}

void sd_interval_text_gain(char *out, size_t size, struct sd_interval v, const char *what)
{
	char value[48], low[48], high[48];

	put_times(value, sizeof value, v.value);
	put_times(low, sizeof low, v.low);
	put_times(high, sizeof high, v.high);
	if (!isfinite(v.value))
		snprintf(out, size, "%sx%s or more", low, what);
	else if (!isfinite(v.high))
		snprintf(out, size, "%sx%s (%sx or more)", value, what, low);
	else if (strcmp(low, high) == 0)
		snprintf(out, size, "%sx%s", value, what);
	else
		snprintf(out, size, "%sx%s (%sx to %sx)", value, what, low, high);
}

void sd_interval_text_put(FILE *f, struct sd_interval v, size_t runs, double factor, int decimals)
{
	char number[48], half[48];

	if (!sd_status_measured(v)) {
		fputs("–", f);
		return;
	}
	sd_interval_text_number(number, sizeof number, factor * v.value, decimals);
	sd_interval_text_half(half, sizeof half, v, runs, factor, decimals);
	if (runs == SD_INTERVAL_TEXT_EXACT)
		fputs(number, f);
	else
		fprintf(f, "%s ± %s", number, half);
}

struct sd_interval sd_interval_text_amount(const struct sd_analysis *a, const struct sd_point *p)
{
	return a->work > 0 ? sd_point_throughput(p) : p->wall;
}

int sd_interval_text_places(double least, int rates)
{
	const int fewest = rates ? 0 : 2;
	int d;

	if (!isfinite(least))
		return 2;
	d = 2 - (int)floor(log10(least));
	return d < fewest ? fewest : d > 9 ? 9 : d;
}

int sd_interval_text_decimals(const struct sd_analysis *a)
{
	double least = INFINITY;

	for (size_t i = 0; i < a->n_point; i++) {
		const struct sd_interval v = sd_interval_text_amount(a, &a->point[i]);

		if (sd_status_measured(v) && v.value > 0)
			least = fmin(least, v.value);
	}
	return sd_interval_text_places(least, a->work > 0);
}
