#include "bench/node_numbers.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "bench/profile_pick.h"

/* The name, and which row it is. */
static const struct {
	const char *name, *kernel, *words, *unit;
	enum sd_pick pick;
	int counted; /* has a number for each count of cores */
} numbers[] = {
#define STREAM(op)                                                                         \
	{op, op, "bytes=counted", "GB/s", SD_PICK_MOST, 1},                                \
		{op ".nt", op, "bytes=counted stores=nt", "GB/s", SD_PICK_MOST, 1},        \
	{                                                                                  \
		op ".regular", op, "bytes=counted stores=regular", "GB/s", SD_PICK_MOST, 1 \
	}
	{"bandwidth", "ceiling", "", "GB/s", SD_PICK_MOST, 1},
	STREAM("triad"),
	STREAM("copy"),
	STREAM("scale"),
	STREAM("add"),
	{"read", "read", "bytes=counted", "GB/s", SD_PICK_MOST, 1},
	STREAM("write"),
	{"latency.l1", "latency", "level=L1", "ns", SD_PICK_LEAST, 0},
	{"latency.l2", "latency", "level=L2", "ns", SD_PICK_LEAST, 0},
	{"latency.llc", "latency", "level=LLC", "ns", SD_PICK_LEAST, 0},
	{"latency.dram", "latency", "level=DRAM", "ns", SD_PICK_LEAST, 0},
	{"transfer", "transfer", "op=load-store line=median", "ns", SD_PICK_MOST, 0},
	{"clock", "frequency", "quantity=clock/alone", "ratio", SD_PICK_LEAST, 0},
#undef STREAM
};
#define NUMBERS (sizeof numbers / sizeof *numbers)
#define NAMES                                                                                  \
	"bandwidth, triad, copy, scale, add, read, write (and triad.nt, triad.regular, …), " \
	"latency.l1, .l2, .llc, .dram, transfer or clock"

/* ---- rows ------------------------------------------------------------------------------------ */

static int main_state(const struct sd_profile *p)
{
	unsigned best = 0;

	for (unsigned i = 1; i < p->states.n; i++)
		if (p->states.seen[i] > p->states.seen[best])
			best = i;
	return p->states.n > 1 ? (int)best : SD_PICK_ANY_STATE;
}

/* The most cores that memory was to be streamed by: a count without a number is one, too. */
static unsigned all_cores(const struct sd_profile *p)
{
	unsigned most = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		if (strcmp(p->rows.row[i].unit, "GB/s") == 0 &&
			strcmp(p->rows.row[i].kernel, "loaded") != 0 && p->rows.row[i].cores > most)
			most = p->rows.row[i].cores;
	return most;
}

static const struct sd_bench_row *find(
	const struct sd_profile *p, size_t number, unsigned cores, int state)
{
	const struct sd_pick_query q = {.kernel = numbers[number].kernel,
		.words = numbers[number].words,
		.unit = numbers[number].unit,
		.cores = cores,
		.state = state,
		.pick = numbers[number].pick};

	return sd_profile_pick(p, &q);
}

static size_t number_named(const char *name, size_t n)
{
	size_t i = 0;

	while (i < NUMBERS &&
		(strlen(numbers[i].name) != n || strncmp(numbers[i].name, name, n) != 0))
		i++;
	return i;
}

/* ---- what a whole calibration has ------------------------------------------------------------ */

/* Any loop will do: which is the best may not be known. */
static int has_bandwidth(const struct sd_profile *p, unsigned cores)
{
	const struct sd_pick_query q = {.words = "bytes=counted",
		.unit = "GB/s",
		.cores = cores,
		.state = SD_PICK_ANY_STATE};
	const struct sd_bench_row *const r = sd_profile_pick(p, &q);

	return r && sd_bench_row_has(r);
}

static int has(const struct sd_profile *p, const char *name)
{
	const struct sd_bench_row *const r =
		find(p, number_named(name, strlen(name)), 0, SD_PICK_ANY_STATE);

	return r && sd_bench_row_has(r);
}

/* Has the profile the clock with one core busy at least? Its fall needs several busy cores. */
static int has_clock(const struct sd_profile *p)
{
	const struct sd_pick_query q = {
		.kernel = "frequency", .words = "quantity=time", .state = SD_PICK_ANY_STATE};
	const struct sd_bench_row *const r = sd_profile_pick(p, &q);

	return r && sd_bench_row_has(r);
}

static size_t name_missing(char *out, size_t size, size_t n, const char *what)
{
	const size_t used = strlen(out);

	snprintf(out + used, size - used, "%s%s", n ? ", " : "", what);
	return n + 1;
}

size_t sd_node_numbers_missing(const struct sd_profile *p, char *out, size_t size)
{
	const unsigned all = all_cores(p);
	char cores[64];
	size_t n = 0;

	out[0] = '\0';
	if (all > 1 && !has_bandwidth(p, all)) {
		snprintf(cores, sizeof cores, "memory bandwidth of all %u cores", all);
		n = name_missing(out, size, n, cores);
	}
	if (!has_bandwidth(p, 1))
		n = name_missing(out, size, n, "memory bandwidth of one core");
	if (!has(p, "latency.dram"))
		n = name_missing(out, size, n, "latency of memory");
	if (p->granted > 1 && !has(p, "transfer"))
		n = name_missing(out, size, n, "line transfer");
	if (!has_clock(p))
		n = name_missing(out, size, n, "clock");
	return n;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int refuse(char *why, size_t size, const char *text, const char *what)
{
	snprintf(why, size, "'%.80s': %s", text, what);
	return -EINVAL;
}

static int parse_cores(const char *at, size_t n, unsigned *cores)
{
	char value[16];
	uint64_t v;

	if (n == 0 || n >= sizeof value)
		return -EINVAL;
	memcpy(value, at, n);
	value[n] = '\0';
	if (strcmp(value, "all") == 0)
		return 0;
	if (sd_number_u64(value, 1, 1000000, &v))
		return -EINVAL;
	*cores = (unsigned)v;
	return 0;
}

/* The number, with its unit behind it or without. */
static int parse_bound(const char *text, const char *unit, double *out)
{
	const size_t n = strlen(text), u = strlen(unit);
	char value[48];
	size_t digits = n;

	if (n > u && strcmp(text + n - u, unit) == 0)
		digits = n - u;
	if (digits == 0 || digits >= sizeof value)
		return -EINVAL;
	memcpy(value, text, digits);
	value[digits] = '\0';
	return sd_number_double(value, 0, 1e18, out);
}

int sd_node_limit_parse(const char *text, struct sd_node_limit *out, char *why, size_t size)
{
	const size_t name = strcspn(text, "@<>"), sign = strcspn(text, "<>");
	char what[200];

	*out = (struct sd_node_limit){0};
	if (strlen(text) >= sizeof out->text)
		return refuse(why, size, text, "is too long");
	memcpy(out->text, text, strlen(text) + 1);
	if (!text[sign] || text[sign + 1] != '=')
		return refuse(
			why, size, text, "must be like triad@all>=180GB/s or latency.dram<=110ns");
	out->number = (unsigned)number_named(text, name);
	if (out->number == NUMBERS)
		return refuse(why, size, text, "begins with none of " NAMES);
	if (text[name] == '@' && !numbers[out->number].counted)
		return refuse(why, size, text, "is no number of so many cores: leave out the @");
	if (text[name] == '@' && parse_cores(text + name + 1, sign - name - 1, &out->cores))
		return refuse(why, size, text, "a core count or all must stand behind the @");
	out->least = text[sign] == '>';
	if (parse_bound(text + sign + 2, numbers[out->number].unit, &out->bound) == 0)
		return 0;
	snprintf(what, sizeof what, "must end in a number of %s", numbers[out->number].unit);
	return refuse(why, size, text, what);
}

enum sd_node_outcome sd_node_limit_check(
	const struct sd_node_limit *limit, const struct sd_profile *p, char *said, size_t size)
{
	const unsigned all = all_cores(p), cores = !numbers[limit->number].counted ? 0
						   : limit->cores                  ? limit->cores
										   : all;
	const struct sd_bench_row *const r = find(p, limit->number, cores, main_state(p));
	struct sd_interval v;
	char of[32] = "";

	if (cores)
		snprintf(of, sizeof of, " on %u core%s", cores, cores == 1 ? "" : "s");
	if (!r || !sd_bench_row_has(r)) {
		const struct sd_bench_row *const other =
			find(p, limit->number, cores, SD_PICK_ANY_STATE);

		snprintf(said, size, "not known%s: %s", of,
			other && sd_bench_row_has(other)
				? "measured in another state than the machine was mostly in"
			: !r        ? "it was not measured"
			: r->why[0] ? r->why
				    : sd_status_name(r->status));
		return SD_NODE_UNDECIDED;
	}
	v = sd_bench_row_value(r);
	snprintf(said, size, "%.4g %s (%.4g-%.4g)%s%s", v.value, r->unit, v.low, v.high, of,
		r->status == SD_STATUS_NOISY ? ", noisy" : "");
	if (limit->least ? v.low >= limit->bound : v.high <= limit->bound)
		return SD_NODE_HOLDS;
	return (limit->least ? v.high < limit->bound : v.low > limit->bound) ? SD_NODE_BROKEN
									     : SD_NODE_UNDECIDED;
}

/* ---- one after the other --------------------------------------------------------------------- */

static_assert(NUMBERS == SD_NODE_NUMBERS, "the header says how many there are");

const char *sd_node_numbers_name(size_t i)
{
	return numbers[i].name;
}

const char *sd_node_numbers_unit(size_t i)
{
	return numbers[i].unit;
}

struct sd_interval sd_node_numbers_value(const struct sd_profile *p, size_t i)
{
	const struct sd_bench_row *const r =
		find(p, i, numbers[i].counted ? all_cores(p) : 0, main_state(p));

	return r ? sd_bench_row_value(r) : (struct sd_interval){.status = SD_STATUS_ABSENT};
}
