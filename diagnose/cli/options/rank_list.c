#include "options/rank_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/number.h"
#include "options/core_list.h"

#define MOST_POINTS 64u

int sd_rank_list_parse_ranks(const char *text, struct sd_options *o, const struct sd_sink *sink)
{
	struct sd_options list = {0};
	struct sd_rank_shape *shape;
	int rc = sd_core_list_parse(text, &list, "--ranks", sink);

	if (rc)
		return rc;
	if (list.cores != SD_CORES_LIST) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--ranks '%s': give the numbers of ranks, such as 1,2,4,8", text);
		return -EINVAL;
	}
	shape = calloc(list.n_count, sizeof *shape);
	if (!shape) {
		free(list.count);
		return -ENOMEM;
	}
	for (size_t i = 0; i < list.n_count; i++)
		shape[i] = (struct sd_rank_shape){list.count[i], 1, 1};
	free(o->count);
	free(o->shape);
	o->cores = SD_CORES_LIST;
	o->count = list.count;
	o->n_count = list.n_count;
	o->shape = shape;
	return 0;
}

static int bad(const struct sd_sink *sink, const char *text, const char *entry, const char *why)
{
	sd_say(sink, SD_LEVEL_ERROR,
		"--points '%s': '%s' %s; give RANKSxTHREADS or RANKSxTHREADS@NODES, such as "
		"1x1,2x4,8x4@2",
		text, entry, why);
	return -EINVAL;
}

/* NULL, or why not. */
static const char *parse_point(char *entry, struct sd_rank_shape *out)
{
	char *const at = strchr(entry, '@'), *const by = strchr(entry, 'x');
	uint64_t ranks = 0, threads = 0, nodes = 1;
	const char *why = NULL;

	if (!by || (at && at < by))
		return "has no x between ranks and threads";
	*by = '\0';
	if (at)
		*at = '\0';
	if (sd_number_u64(entry, 1, SD_CPU_MAX, &ranks) ||
		sd_number_u64(by + 1, 1, SD_CPU_MAX, &threads) ||
		(at && sd_number_u64(at + 1, 1, SD_CPU_MAX, &nodes)) ||
		ranks * threads > SD_CPU_MAX)
		why = "is out of range or not a number";
	else if (nodes > ranks)
		why = "has more nodes than ranks";
	*by = 'x';
	if (at)
		*at = '@';
	*out = (struct sd_rank_shape){(unsigned)ranks, (unsigned)threads, (unsigned)nodes};
	return why;
}

static int by_cores(const void *a, const void *b)
{
	const struct sd_rank_shape *const x = a, *const y = b;
	const unsigned m = x->ranks * x->threads, n = y->ranks * y->threads;

	return m < n ? -1 : m > n;
}

static int parse_all(
	const char *text, struct sd_rank_shape *shape, size_t *n, const struct sd_sink *sink)
{
	char *const copy = strdup(text);
	char *rest = copy, *entry;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (entry = strsep(&rest, ","))) {
		const char *const why =
			*n == MOST_POINTS ? "is one too many" : parse_point(entry, &shape[*n]);

		if (why)
			rc = bad(sink, text, entry, why);
		else
			++*n;
	}
	free(copy);
	if (!rc)
		qsort(shape, *n, sizeof *shape, by_cores);
	for (size_t i = 1; !rc && i < *n; i++)
		if (!by_cores(&shape[i - 1], &shape[i]))
			rc = bad(sink, text, "a point",
				"has as many cores as another: measure them apart");
	return rc;
}

int sd_rank_list_parse_points(const char *text, struct sd_options *o, const struct sd_sink *sink)
{
	struct sd_rank_shape *const shape = calloc(MOST_POINTS, sizeof *shape);
	unsigned *const count = calloc(MOST_POINTS, sizeof *count);
	size_t n = 0;
	int rc = shape && count ? parse_all(text, shape, &n, sink) : -ENOMEM;

	if (rc) {
		free(shape);
		free(count);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		count[i] = shape[i].ranks * shape[i].threads;
	free(o->count);
	free(o->shape);
	o->cores = SD_CORES_LIST;
	o->count = count;
	o->n_count = n;
	o->shape = shape;
	return 0;
}
