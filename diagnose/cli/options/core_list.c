#include "options/core_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/number.h"

#define LOW 1u
#define HIGH SD_CPU_MAX

static int bad(const struct sd_sink *sink, const char *option, const char *text, const char *entry,
	const char *why)
{
	sd_say(sink, SD_LEVEL_ERROR,
		"%s '%s': '%s' %s; give counts from %u to %u such as 1,2,4,8 or 1-8, or "
		"powers, or all",
		option, text, entry, why, LOW, HIGH);
	return -EINVAL;
}

static int parse_count(const char *s, unsigned *out, const char **why)
{
	uint64_t v = 0;
	const int rc = sd_number_u64(s, LOW, HIGH, &v);

	*why = !*s ? "is empty" : rc == -ERANGE ? "is out of range" : "is not a whole number";
	*out = (unsigned)v;
	return rc;
}

/* Marks one entry, "4" or "1-8", in seen[]. NULL, or why not. */
static const char *mark(char *entry, unsigned char *seen)
{
	char *const dash = strchr(entry, '-');
	unsigned from = 0, to = 0;
	const char *why = NULL;
	int rc;

	if (dash)
		*dash = '\0';
	rc = parse_count(entry, &from, &why);
	to = from;
	if (rc == 0 && dash)
		rc = parse_count(dash + 1, &to, &why);
	if (dash)
		*dash = '-';
	if (rc < 0)
		return dash && (dash == entry || !dash[1]) ? "is a range without one of its ends"
							   : why;
	if (to < from)
		return "runs backwards";
	for (unsigned i = from; i <= to; i++) {
		if (seen[i])
			return "repeats a count";
		seen[i] = 1;
	}
	return NULL;
}

static int parse_list(
	const char *text, unsigned char *seen, const char *option, const struct sd_sink *sink)
{
	char *const copy = strdup(text);
	char *rest = copy, *entry;
	int rc = copy ? 0 : -ENOMEM;

	while (rc == 0 && (entry = strsep(&rest, ","))) {
		const char *const why = mark(entry, seen);

		if (why)
			rc = bad(sink, option, text, entry, why);
	}
	free(copy);
	return rc;
}

static int collect(const unsigned char *seen, struct sd_options *options)
{
	unsigned *count;
	size_t n = 0;

	for (unsigned i = LOW; i <= HIGH; i++)
		n += seen[i];
	count = calloc(n, sizeof *count);
	if (!count)
		return -ENOMEM;
	n = 0;
	for (unsigned i = LOW; i <= HIGH; i++)
		if (seen[i])
			count[n++] = i;
	free(options->count);
	free(options->shape);
	options->shape = NULL;
	options->count = count;
	options->n_count = n;
	options->cores = SD_CORES_LIST;
	return 0;
}

int sd_core_list_parse(const char *text, struct sd_options *options, const char *option,
	const struct sd_sink *sink)
{
	const int all = strcmp(text, "all") == 0;
	unsigned char *seen;
	int rc;

	if (all || strcmp(text, "powers") == 0) {
		free(options->count);
		free(options->shape);
		options->shape = NULL;
		options->count = NULL;
		options->n_count = 0;
		options->cores = all ? SD_CORES_ALL : SD_CORES_POWERS;
		return 0;
	}
	seen = calloc(HIGH + 1, 1);
	if (!seen)
		return -ENOMEM;
	rc = parse_list(text, seen, option, sink);
	if (rc == 0)
		rc = collect(seen, options);
	free(seen);
	return rc;
}
