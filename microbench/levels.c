#include "levels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "plateau.h"

#define PLATEAUS_MAX 8u
/* Within a level the latency grows with address translation and associativity, between levels it
 * at least doubles: 25 % is in the gap. A level spans a factor of two in size. */
static const struct sd_plateau_rule rule = {.flat = 0.25, .span = 2};

const char *const sd_level_name[SD_LEVEL_COUNT] = {"L1", "L2", "LLC", "DRAM"};

static enum sd_level_name name_of(size_t i, size_t n, double end,
	const struct sd_level_claims *claims, struct sd_value memory_from)
{
	if (i == 0)
		return SD_LEVEL_L1;
	if (i + 1 == n && sd_has(memory_from) && end >= memory_from.value)
		return SD_LEVEL_DRAM;
	if (sd_has(claims->l2))
		return end <= 2 * claims->l2.value ? SD_LEVEL_L2 : SD_LEVEL_LLC;
	return i == 1 && n > 3 ? SD_LEVEL_L2 : SD_LEVEL_LLC;
}

static void find_knee(const double *bytes, const double *ns, struct sd_levels *l)
{
	const double middle = sqrt(l->ns[SD_LEVEL_LLC].value * l->ns[SD_LEVEL_DRAM].value);

	for (size_t i = l->last[SD_LEVEL_LLC]; i < l->first[SD_LEVEL_DRAM]; i++)
		if (ns[i] <= middle && ns[i + 1] > middle) {
			const double part = log(middle / ns[i]) / log(ns[i + 1] / ns[i]);

			l->effective_llc =
				(struct sd_interval){bytes[i] * pow(bytes[i + 1] / bytes[i], part),
					bytes[i], bytes[i + 1], SD_STATUS_OK};
		}
}

void sd_levels_find(const double *bytes, const double *ns, size_t n,
	const struct sd_level_claims *claims, struct sd_value memory_from, struct sd_levels *out)
{
	struct sd_plateau p[PLATEAUS_MAX];
	size_t found = sd_plateaus(bytes, ns, n, rule, p, PLATEAUS_MAX);

	*out = (struct sd_levels){0};
	found = found < PLATEAUS_MAX ? found : PLATEAUS_MAX;
	for (size_t i = 0; i < found; i++) {
		const enum sd_level_name name =
			name_of(i, found, bytes[p[i].last], claims, memory_from);

		if (sd_has(out->ns[name]) &&
			p[i].last - p[i].first <= out->last[name] - out->first[name])
			continue;
		out->ns[name] = SD_OK(p[i].level);
		out->bytes[name] = SD_OK(bytes[p[i].last]);
		out->first[name] = p[i].first;
		out->last[name] = p[i].last;
	}
	if (sd_has(out->ns[SD_LEVEL_LLC]) && sd_has(out->ns[SD_LEVEL_DRAM]))
		find_knee(bytes, ns, out);
}

int sd_levels_believe(size_t lines, double foreseeable, double ns, const struct sd_reuse *reuse,
	char *why, size_t why_bytes)
{
	/* a random order of few lines repeats a distance now and then */
	const double chance = 0.02 + 16.0 / (double)(lines ? lines : 1);

	if (foreseeable > chance) {
		snprintf(why, why_bytes, "refused: a prefetcher can foresee %.0f %% of the steps",
			100 * foreseeable);
		return -ERANGE;
	}
	if (sd_has(reuse->ratio) && reuse->ratio.value >= 0.9 && sd_has(reuse->flushed) &&
		ns < 0.6 * 1e9 * reuse->flushed.value) {
		snprintf(why, why_bytes,
			"refused: %.1f ns, but these lines lie in memory, which takes %.1f ns", ns,
			1e9 * reuse->flushed.value);
		return -ERANGE;
	}
	return 0;
}
