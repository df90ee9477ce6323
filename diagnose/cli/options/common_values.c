#include "options/common_values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"

error_t sd_common_values_choice(const struct sd_sink *sink, const char *option, const char *value,
	const char *words, unsigned *out)
{
	char all[256], list[256], hint[SD_NEAREST_HINT], *rest = list, *word;
	struct sd_nearest near;
	size_t n = 0;

	sd_nearest_begin(&near, value, strlen(value));
	snprintf(list, sizeof list, "%s", words);
	for (unsigned i = 0; (word = strsep(&rest, "|")); i++) {
		if (strcmp(value, word) == 0) {
			*out = i;
			return 0;
		}
		sd_nearest_try(&near, word);
		if (n < sizeof all)
			n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
				i == 0 ? ""
				: rest ? ", "
				       : " or ",
				word);
	}
	sd_say(sink, SD_LEVEL_ERROR, "--%s '%s': must be %s%s", option, value, all,
		sd_nearest_hint(&near, hint));
	return EINVAL;
}

error_t sd_common_values_number(const struct sd_sink *sink, const char *option, const char *value,
	unsigned low, unsigned high, unsigned *out)
{
	uint64_t n;

	if (sd_number_u64(value, low, high, &n) < 0) {
		sd_say(sink, SD_LEVEL_ERROR, "--%s '%s': must be a whole number from %u to %u",
			option, value, low, high);
		return EINVAL;
	}
	*out = (unsigned)n;
	return 0;
}

error_t sd_common_values_seconds(const struct sd_sink *sink, const char *option, const char *value,
	double low, double high, double *out)
{
	static const struct {
		const char *name;
		double seconds;
	} unit[] = {{"", 1}, {"s", 1}, {"ms", .001}, {"m", 60}, {"min", 60}, {"h", 3600}};
	const size_t digits = strspn(value, "0123456789.eE+-");
	char number[32];
	double v;

	for (size_t i = 0; i < sizeof unit / sizeof *unit && digits < sizeof number; i++) {
		if (strcmp(value + digits, unit[i].name) != 0)
			continue;
		snprintf(number, sizeof number, "%.*s", (int)digits, value);
		if (sd_number_double(number, low / unit[i].seconds, high / unit[i].seconds, &v))
			break;
		*out = v * unit[i].seconds;
		return 0;
	}
	sd_say(sink, SD_LEVEL_ERROR,
		"--%s '%s': must be a time from %g to %g s, such as 90, 5m, 1h or 500ms", option,
		value, low, high);
	return EINVAL;
}
