#include "simulated/working_sets.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Minimum share of accesses for a bucket of reuse distances to be a shoulder. */
#define SHOULDER .02
/* The sizes of LLC that misses are predicted for: 256 KiB to 1 GiB. */
#define SMALLEST_LLC (UINT64_C(256) << 10)
#define LARGEST_LLC (UINT64_C(1) << 30)

/*
 * Accesses of a thread that would miss in a fully associative LRU cache of this many lines: those
 * with at least that stack distance (Mattson 1970, METHODS 6.2). Within a bucket, which spans a
 * factor of two, they are assumed to be spread evenly.
 */
static double misses_at(const struct sd_sim_thread *t, double lines)
{
	double misses = t->distance[SD_SIM_DISTANCES - 1];

	for (int i = 1; i < SD_SIM_DISTANCES - 1; i++) {
		const double low = ldexp(1, i - 1), high = ldexp(1, i);

		if (lines <= low)
			misses += t->distance[i];
		else if (lines < high)
			misses += t->distance[i] * (high - lines) / (high - low);
	}
	return lines < 1 ? misses + t->distance[0] : misses;
}

static double accesses_of(const struct sd_sim_thread *t)
{
	double all = 0;

	for (int i = 0; i < SD_SIM_DISTANCES; i++)
		all += t->distance[i];
	return all;
}

/* The bucket edges beyond L1 size at which misses drop markedly; largest first. */
static void find_shoulders(const struct sd_simulated *s, size_t thread, struct sd_working_set *w)
{
	const struct sd_sim_thread *t = &s->thread[thread];
	const double all = accesses_of(t), l1 = (double)s->machine.l1.bytes;

	w->thread = thread;
	for (int i = SD_SIM_DISTANCES - 2; i > 0 && w->n_shoulder < SD_CONTESTED_LINES_SHOULDERS;
		i--) {
		const double bytes = ldexp(1, i) * s->machine.line;

		if (bytes <= l1)
			break;
		if (t->distance[i] > SHOULDER * all)
			w->shoulder[w->n_shoulder++] =
				(struct sd_shoulder){bytes, t->distance[i] / all};
	}
}

static void add_size(struct sd_contested_lines *out, double bytes, int is_share)
{
	const struct sd_simulated *s = out->simulated;
	struct sd_llc_view *v = &out->llc[out->n_llc];
	double instructions = 0;

	if (out->n_llc == SD_CONTESTED_LINES_SIZES || !s->machine.line)
		return;
	*v = (struct sd_llc_view){.bytes = bytes, .is_share = is_share};
	for (size_t i = 0; i < s->n_thread; i++) {
		v->misses += misses_at(&s->thread[i], bytes / s->machine.line);
		instructions += s->thread[i].instructions;
	}
	v->per_1000 = instructions > 0 ? 1000 * v->misses / instructions : 0;
	out->n_llc++;
}

int sd_working_sets(struct sd_contested_lines *out)
{
	const struct sd_simulated *s = out->simulated;
	const unsigned sharers = s->machine.llc.sharers ? s->machine.llc.sharers : out->cores;
	const unsigned running = sharers < out->cores ? sharers : out->cores;
	int placed = 0;

	out->share = (double)s->machine.llc.bytes / (running ? running : 1);
	for (uint64_t size = SMALLEST_LLC; size <= LARGEST_LLC; size *= 4) {
		const double b = (double)size;

		if (!placed && out->share > 0 && out->share <= b) {
			add_size(out, out->share, 1);
			placed = 1;
			if (out->share == b)
				continue;
		}
		add_size(out, b, 0);
	}
	if (!placed && out->share > 0)
		add_size(out, out->share, 1);
	out->set = calloc(s->n_thread + 1, sizeof *out->set);
	if (!out->set)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_thread; i++) {
		struct sd_working_set *w = &out->set[out->n_set++];

		find_shoulders(s, i, w);
		w->fits = !w->n_shoulder || w->shoulder[0].bytes <= out->share;
	}
	return 0;
}
