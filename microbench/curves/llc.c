#include "curves/llc.h"

#include <errno.h>

#include "harness/arena.h"
#include "loops/reuse.h"
#include "loops/stream_team.h"
#include "harness/team.h"

#define START_BYTES ((size_t)1 << 20)
#define ARRAYS 3u
#define TIMES 4u /* arrays this much larger than the cache, as STREAM asks for */
/* Bytes of a cache that neither tells its size nor could be measured: more than any has. */
#define UNKNOWN_BYTES ((double)(1ull << 30))
#define TRIES 3
#define PAST_THE_CACHE 0.9 /* of SD_REUSE: nearly all lines come from memory */

struct sweep {
	struct sd_arena arena;
	size_t top;
	struct sd_value size;
};

/* Twice in a row, so that one disturbed reading does not end the search too early. */
static int past_the_cache(const unsigned char *p, size_t bytes, uint64_t seed)
{
	struct sd_value r = sd_reuse_ratio(p, bytes / 4, seed);

	if (!sd_has(r))
		return -1;
	if (r.value < PAST_THE_CACHE)
		return 0;
	r = sd_reuse_ratio(p + bytes / 4, bytes / 4, seed + 1);
	return sd_has(r) && r.value >= PAST_THE_CACHE;
}

static int grow(struct sd_member *m, void *arg)
{
	struct sweep *s = arg;
	size_t done = 0;

	for (size_t bytes = START_BYTES; bytes <= s->top; bytes *= 2) {
		if (sd_stream_fill(m, s->arena.base + done, bytes - done) ||
			sd_stream_fill(m, s->arena.base, bytes))
			return -EINTR;
		done = bytes;
		if (past_the_cache(s->arena.base, bytes, bytes) > 0) {
			s->size = SD_OK((double)bytes);
			break;
		}
	}
	return 0;
}

struct sd_value sd_llc_believed(struct sd_value size, struct sd_value l2)
{
	return sd_has(size) && sd_has(l2) && size.value <= l2.value ? SD_NOT(ABSENT) : size;
}

/* A size that is not to be believed is measured again: others come and go. */
static void search(struct sd_team *team, struct sweep *s, const struct sd_kernel_env *env)
{
	for (int i = 0; i < TRIES && !sd_has(s->size); i++) {
		if (sd_team_run(team, (struct sd_team_job){grow, s}, 0, env->stop))
			return;
		if (!sd_has(s->size))
			return; /* nothing got past the cache */
		s->size = sd_llc_believed(s->size, env->topology->l2_bytes);
	}
}

static struct sd_value measure(const struct sd_kernel_env *env)
{
	const double visible =
		sd_has(env->topology->llc_bytes) ? env->topology->llc_bytes.value : UNKNOWN_BYTES;
	const uint64_t limit = sd_llc_memory(env);
	struct sweep s = {.size = SD_NOT(ABSENT)};
	struct sd_team team = {0};
	struct sd_cpulist cpu = {&env->topology->pu[0].os, 1};

	s.top = START_BYTES;
	while ((double)s.top < TIMES * visible && s.top <= limit / 2)
		s.top *= 2;
	/* less will do where the cache is smaller than the machine says */
	while (sd_arena_map(&s.arena, s.top, SD_PAGES_HUGE) != 0 &&
		sd_arena_map(&s.arena, s.top, SD_PAGES_BASE) != 0) {
		s.top /= 2;
		if (s.top < START_BYTES)
			return s.size;
	}
	if (sd_team_start(&team, SD_TEAM_THREADS, &cpu, 0) == 0)
		search(&team, &s, env);
	sd_team_end(&team);
	sd_arena_free(&s.arena);
	return s.size;
}

struct sd_value sd_llc_effective(const struct sd_kernel_env *env)
{
	if (!env->effective)
		return measure(env);
	if (!sd_has(*env->effective))
		*env->effective = measure(env);
	return *env->effective;
}

size_t sd_llc_brief(size_t bytes, struct sd_value effective, unsigned domains)
{
	const double cache = sd_has(effective) ? domains * effective.value : (double)bytes;
	const size_t least = cache > SD_BRIEF_BYTES ? (size_t)cache : SD_BRIEF_BYTES;

	return bytes < least ? bytes : least;
}

double sd_llc_curve(const struct sd_kernel_env *env, struct sd_value effective)
{
	const struct sd_value shown = env->topology->llc_bytes;
	double top = UNKNOWN_BYTES;

	if (sd_has(effective))
		top = (env->quick ? 2 : 4) * effective.value;
	if (sd_has(shown) && (!env->quick || !sd_has(effective)) && 4 * shown.value > top)
		top = 4 * shown.value;
	return env->brief ? (double)sd_llc_brief((size_t)top, effective, 1) : top;
}

struct sd_llc_size sd_llc_size(struct sd_value visible, struct sd_value effective, unsigned domains,
	int quick, uint64_t limit)
{
	const double seen = sd_has(visible) ? visible.value : UNKNOWN_BYTES;
	const double real = sd_has(effective) ? effective.value : seen;
	const double wanted = TIMES * domains * ARRAYS * seen,
		     enough = TIMES * domains * ARRAYS * real, least = TIMES * domains * real;

	if (!quick && wanted <= (double)limit && wanted >= enough)
		return (struct sd_llc_size){
			(size_t)wanted, "every array is 4x the visible last-level cache"};
	/* what was measured is where nearly nothing of it is used again: that is enough */
	if (quick && sd_has(effective) && least <= (double)limit)
		return (struct sd_llc_size){
			(size_t)least, "all arrays together are 4x the effective last-level cache"};
	if (enough <= (double)limit)
		return (struct sd_llc_size){
			(size_t)enough, "every array is 4x the effective last-level cache"};
	if (least <= (double)limit)
		return (struct sd_llc_size){
			(size_t)least, "all arrays together are 4x the effective last-level cache"};
	return (struct sd_llc_size){0, "not enough memory for 4x the last-level cache"};
}

unsigned sd_llc_domains(const struct sd_topology *t, const struct sd_cpulist *cpus)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->n_pu; i++) {
		int first = sd_cpulist_has(cpus, t->pu[i].os);

		for (size_t j = 0; first && j < i; j++)
			first = !(
				t->pu[j].llc == t->pu[i].llc && sd_cpulist_has(cpus, t->pu[j].os));
		n += first;
	}
	return n ? n : 1;
}

uint64_t sd_llc_memory(const struct sd_kernel_env *env)
{
	return env->memory_limit ? env->memory_limit : sd_available_memory_arena(NULL) / 2;
}
