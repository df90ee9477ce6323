#include "native/line_proof.h"

#include <math.h>

#include "base/statistics.h"

#define REGISTERS SD_LINE_WATCH_REGISTERS
#define SLOWER \
	1.5 /* a hit of another thread takes up to so many times one of our own (seen: 1.2) */
#define MOST_HIT .75 /* of a thread's time: hits that take more hide how often it would write */

/* Hits of a thread that writes one half of the line. */
static double written(const struct sd_watched_line *l, unsigned half, unsigned t)
{
	double hits = 0;

	for (unsigned k = half * REGISTERS; k < (half + 1) * REGISTERS; k++)
		hits += (double)l->hits[1][k][t];
	return hits;
}

/* Do hits that take `took` s at most take most of a thread's time with a CPU? */
static int hides(double took, double ran)
{
	return took > MOST_HIT * ran;
}

int sd_line_proof_is_hit_always(const struct sd_watched_line *l, double hit_s)
{
	for (unsigned t = 0; t < l->n_thread; t++)
		for (unsigned half = 0; half < 2; half++)
			if (hides(SLOWER * hit_s * written(l, half, t), l->ran[half][t]))
				return 1;
	return 0;
}

/* The upper end of the 95 % interval of a Poisson count, by its score (as Wilson's of a share). */
static double count_high(double k)
{
	const double z = 1.96;

	return k + z * z / 2 + z * sqrt(k + z * z / 4);
}

/* A thread's writes a second, had it not been for the time that its hits took of that with a CPU.
 */
static double rate(double hits, double took, double ran, double seconds)
{
	return hits > 0 ? hits / seconds * ran / (ran - fmin(took, MOST_HIT * ran)) : 0;
}

/*
 * The share of a thread's windows in which it had its CPU for sure. The kernel takes stolen time
 * for the thread's. A window is so short that it is stolen or not: of n windows Wilson's upper end
 * of the mean share may have been.
 */
static double kept(const struct sd_watched_line *l, unsigned half, struct sd_value stolen)
{
	const double n = fmax(1, l->seconds[half] / SD_LINE_WATCH_WINDOW_S);

	if (!sd_has(stolen) || !(stolen.value > 0))
		return 1;
	return stolen.value < 1 ? 1 - sd_statistics_share(stolen.value * n, n).high : 0;
}

/* Adds the writes of a half of the line a second. */
static void add_rate(const struct sd_watched_line *l, unsigned half, double hit_s, double kept,
	struct sd_native_line *out)
{
	const double seconds = l->seconds[half];
	double most = 0, all = 0, least = seconds;

	for (unsigned t = 0; t < l->n_thread; t++) {
		const double hits = written(l, half, t), took = hit_s * hits;
		const double ran = l->ran[half][t], seen = l->seen[half][t];

		out->proven.value += rate(hits, took, ran, seconds);
		if (hides(SLOWER * took, kept * ran) || !(kept * seen > 0)) {
			out->proven_most = SD_NOT(ABSENT);
			continue;
		}
		most += rate(hits, SLOWER * took, kept * ran, kept * fmin(seen, seconds));
		all += hits;
		least = fmin(least, seen);
	}
	out->proven_most.value +=
		all > 0 ? most * count_high(all) / all : count_high(0) / (kept * least);
}

static void add_words(const struct sd_watched_line *l, struct sd_native_line *out)
{
	for (unsigned k = 0; k < SD_LINE_WATCH_WORDS; k++) {
		unsigned threads = 0;

		for (unsigned t = 0; t < l->n_thread; t++) {
			threads += l->hits[0][k][t] || l->hits[1][k][t];
			out->hits += (double)(l->hits[0][k][t] + l->hits[1][k][t]);
		}
		out->own_words += threads == 1;
		out->shared_words += threads > 1;
	}
}

void sd_line_proof_tell(const struct sd_watched_line *l, double hit_s, struct sd_value stolen,
	struct sd_native_line *out)
{
	out->proven = SD_OK(0);
	out->proven_most = SD_OK(0);
	for (unsigned half = 0; half < 2; half++)
		add_rate(l, half, hit_s, kept(l, half, stolen), out);
	for (unsigned t = 0; t < l->n_thread; t++)
		out->writers += written(l, 0, t) + written(l, 1, t) > 0;
	add_words(l, out);
	out->watched = l->n_thread;
	for (unsigned k = 0; k < SD_LINE_WATCH_KINDS; k++)
		out->watched_s += l->seconds[k];
}
