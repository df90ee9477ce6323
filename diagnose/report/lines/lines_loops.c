#include "lines/lines_words.h"

#include <math.h>
#include <string.h>

#include "analysis/code_place.h"

#define MOST_SHOWN 12
#define LEAST_SHOWN .01 /* of the time */

static const struct {
	const char *name;
	size_t at;
} part[] = {
	{"different bytes", offsetof(struct sd_native_loop, false_s)},
	{"the same bytes", offsetof(struct sd_native_loop, true_s)},
	{"a lock's word", offsetof(struct sd_native_loop, lock_s)},
	{"in two lines", offsetof(struct sd_native_loop, split_s)},
	{"perhaps", offsetof(struct sd_native_loop, maybe_s)},
	{"unknown", offsetof(struct sd_native_loop, unknown_s)},
	{"read by all", offsetof(struct sd_native_loop, read_s)},
};
#define PARTS (sizeof part / sizeof *part)

static double seconds_of(const struct sd_native_loop *l, size_t k)
{
	double s;

	memcpy(&s, (const char *)l + part[k].at, sizeof s);
	return s;
}

static void put_loop(struct sd_page *p, const struct sd_record *r, const struct sd_native_lines *n,
	const struct sd_native_loop *l)
{
	double rest = l->seconds;
	char place[512] = "others";

	if (l->node)
		sd_code_place_text(&r->stacks, l->node, place, sizeof place);
	sd_page_put(p, SD_TONE_PLAIN, "%5.1f %%", 100 * l->seconds / n->seconds);
	for (size_t k = 0; k < PARTS; k++) {
		rest -= seconds_of(l, k);
		sd_page_put(p, SD_TONE_PLAIN, " %14.0f %%",
			l->seconds > 0 ? 100 * fmin(1, seconds_of(l, k) / l->seconds) : 0);
	}
	sd_page_put(p, SD_TONE_PLAIN, " %6.0f %%  ",
		l->seconds > 0 ? 100 * fmax(0, rest / l->seconds) : 0);
	sd_page_put(p, SD_TONE_PLAIN, "%s\n", place);
}

void sd_lines_loops(struct sd_page *p, const struct sd_record *r, const struct sd_native_lines *n)
{
	if (!(n->seconds > 0) || !n->n_loop)
		return;
	sd_page_wrap(p, "", 2,
		"Loops, and what their samples touch: lines that threads use different bytes of at the "
		"time, or the same bytes, one of them writing; atomic accesses that lie in two lines; "
		"lines that all read, where no sample tells who writes them.");
	sd_page_put(p, SD_TONE_DIM, "   time");
	for (size_t k = 0; k < PARTS; k++)
		sd_page_put(p, SD_TONE_DIM, " %16s", part[k].name);
	sd_page_put(p, SD_TONE_DIM, "  private  loop\n");
	for (size_t i = 0; i < n->n_loop && i < MOST_SHOWN; i++)
		if (i == 0 || n->loop[i].seconds >= LEAST_SHOWN * n->seconds)
			put_loop(p, r, n, &n->loop[i]);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
