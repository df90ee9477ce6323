#include "experiment/treatments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/binary_facts.h"
#include "launch/environment.h"
#include "plan/placement.h"
#include "experiment/prefetchers.h"
#include "launch/program_path.h"

#define SAY(...) snprintf(why, size, __VA_ARGS__)

size_t sd_treatment_largest(const struct sd_plan *plan)
{
	size_t last = 0;

	for (size_t i = 0; i < plan->n_point; i++)
		if (!plan->point[i].simulated)
			last = i;
	return last;
}

static const struct sd_plan_point *largest(const struct sd_plan *plan)
{
	return &plan->point[sd_treatment_largest(plan)];
}

/* As the program will see it: --env wins. NULL unset. */
static const char *variable(const struct sd_experiments_world *w, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = w->options->n_env; i-- > 0;)
		if (strncmp(w->options->env[i], name, n) == 0 && w->options->env[i][n] == '=')
			return w->options->env[i] + n + 1;
	return sd_environment_value(w->envp, name);
}

static struct sd_binary_facts binary(const struct sd_experiments_world *w)
{
	struct sd_binary_facts out = {.openmp = -1};
	char *path = NULL;

	if (sd_program_path_find(w->options->argv[0], w->options->cwd, w->envp, &path, NULL) == 0)
		(void)sd_binary_facts_look(path, &out); /* zeroed when it cannot be read */
	free(path);
	return out;
}

/* ---- copies and thieves ---- */

/* CPUs of the largest point that the reference does not use; `near`: of its cache only. */
static int spare(const struct sd_experiments_world *w, const struct sd_plan *plan, int near,
	struct sd_cpulist *out)
{
	const struct sd_topology *t = w->topology;
	const struct sd_cpulist *used = &plan->point[0].cpus, *all = &largest(plan)->cpus;
	unsigned cache = 0;
	int rc = 0;

	for (size_t i = 0; i < t->n_pu; i++)
		if (t->pu[i].os == used->cpu[0])
			cache = t->pu[i].llc;
	for (size_t i = 0; i < all->n && !rc; i++) {
		int taken = sd_cpulist_has(used, all->cpu[i]);

		for (size_t j = 0; j < t->n_pu && near; j++)
			taken |= t->pu[j].os == all->cpu[i] && t->pu[j].llc != cache;
		if (!taken)
			rc = sd_cpulist_add(out, all->cpu[i]);
	}
	return rc;
}

static int look_replicas(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const struct sd_cpulist *all = &largest(plan)->cpus;
	int rc = 0;

	(void)w;
	if (all->n < 2 * plan->point[0].cpus.n) {
		SAY("not applicable here: two copies at the smallest count need %zu CPUs",
			2 * plan->point[0].cpus.n);
		return 0;
	}
	for (size_t i = 0; i < all->n && !rc; i++)
		rc = sd_cpulist_add(&e->cpus, all->cpu[i]);
	return rc;
}

static int look_thief(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const int cache = e->experiment == SD_EXPERIMENT_CACHE_THIEF;
	const int rc = spare(w, plan, cache, &e->cpus);

	if (!rc && cache && !sd_has(w->topology->llc_bytes))
		SAY("not applicable here: the size of the shared cache is not known");
	else if (!rc && e->cpus.n == 0)
		SAY(cache ? "not applicable here: no other core shares the cache"
			  : "not applicable here: no core is left beside the program");
	return rc;
}

static int look_add_loop(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)w;
	(void)e;
	if (largest(plan)->cpus.n < 2)
		SAY("not applicable here: one core");
	return 0;
}

/* ---- the program's runtime and allocator ---- */

static int look_passive(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const char *policy = variable(w, "OMP_WAIT_POLICY");

	(void)plan;
	(void)e;
	if (policy && (*policy == 'p' || *policy == 'P'))
		SAY("OMP_WAIT_POLICY is %.20s already", policy);
	else if (binary(w).openmp == 0)
		SAY("the program has no OpenMP runtime");
	return 0;
}

/* Can its allocator be changed from outside, by preloading or glibc's tunables? */
static int heap(const struct sd_experiments_world *w, int tunable, char *why, size_t size)
{
	const struct sd_binary_facts b = binary(w);
	const char *preload = variable(w, "LD_PRELOAD");

	if (b.privileged)
		SAY("the program changes its user: the loader ignores what is preloaded and tuned");
	else if (!b.elf)
		SAY("what runs the program is not known");
	else if (!b.dynamic)
		SAY("the program is linked statically");
	else if (b.allocator[0])
		SAY("the program brings its own allocator (%s)", b.allocator);
	else if (tunable && !b.glibc)
		SAY("the program does not use glibc");
	else if (tunable && preload && strstr(preload, "alloc"))
		SAY("another allocator is preloaded already");
	return why[0] == '\0';
}

static int look_padding(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)plan;
	(void)e;
	if (!w->pad)
		SAY("scalediag-pad.so was not found beside scalediag or in its library folder");
	else
		heap(w, 0, why, size);
	return 0;
}

static int look_arena(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)plan;
	(void)e;
	heap(w, 1, why, size);
	return 0;
}

static int look_allocator(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)plan;
	(void)e;
	if (!w->allocator)
		SAY("no other allocator is installed (libjemalloc2, libtcmalloc-minimal4 or "
		    "libmimalloc2.0)");
	else
		heap(w, 0, why, size);
	return 0;
}

/* ---- pages ---- */

/* The word in brackets; "" when there is none. */
static void thp_mode(const struct sd_experiments_world *w, char *mode, size_t size)
{
	char path[512], text[128] = "";
	const char *from, *to;
	FILE *f;

	snprintf(path, sizeof path, "%s/sys/kernel/mm/transparent_hugepage/enabled", w->root);
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof text, f))
		text[0] = '\0';
	if (f)
		fclose(f);
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	snprintf(mode, size, "%.*s", to ? (int)(to - from - 1) : 0, from ? from + 1 : "");
}

static int look_huge(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	char mode[32];

	(void)plan;
	(void)e;
	thp_mode(w, mode, sizeof mode);
	if (strcmp(mode, "madvise") != 0)
		SAY(strcmp(mode, "always") == 0
				? "huge pages are on for every program: see base-pages"
				: "transparent huge pages are off or not there "
				  "(/sys/kernel/mm/transparent_hugepage/enabled)");
	else
		heap(w, 1, why, size);
	return 0;
}

static int look_base(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	char mode[32];

	(void)plan;
	(void)e;
	thp_mode(w, mode, sizeof mode);
	if (strcmp(mode, "always") != 0)
		SAY("the program has base pages unless it asks for huge ones");
	return 0;
}

/* ---- placement and memory ---- */

static int same_cpus(const struct sd_cpulist *a, const struct sd_cpulist *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!sd_cpulist_has(b, a->cpu[i]))
			return 0;
	return a->n == b->n;
}

/* The largest point for which this placement takes other CPUs than the plan's. */
static int other_place(const struct sd_experiments_world *w, const struct sd_plan *plan,
	enum sd_placement place, struct sd_plan_experiment *e, int *found)
{
	*found = 0;
	for (size_t i = sd_treatment_largest(plan); i > 0; i--) {
		const struct sd_plan_point *p = &plan->point[i];
		const int rc = sd_placement_of(w->topology, place, (unsigned)p->cpus.n, &e->cpus);

		if (rc)
			return rc == -EINVAL ? 0 : rc;
		if (p->cpus.n > 1 && !same_cpus(&e->cpus, &p->cpus)) {
			e->point = i;
			*found = 1;
			return 0;
		}
		sd_cpulist_free(&e->cpus);
	}
	return 0;
}

static int look_spread(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const int spread = w->options->placement == SD_PLACEMENT_SPREAD;
	int found, rc;

	if (w->topology->n_llc < 2 && w->topology->n_package < 2) {
		SAY("not applicable here: one shared cache");
		return 0;
	}
	rc = other_place(w, plan, spread ? SD_PLACEMENT_COMPACT : SD_PLACEMENT_SPREAD, e, &found);
	if (!rc && !found)
		SAY("not applicable here: at every count the placements use the same CPUs");
	return rc;
}

static int look_siblings(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const int smt = w->options->placement == SD_PLACEMENT_SMT;
	int found, rc;

	if (w->topology->n_core == w->topology->n_pu) {
		SAY("not applicable here: every CPU is a core of its own");
		return 0;
	}
	rc = other_place(w, plan, smt ? SD_PLACEMENT_COMPACT : SD_PLACEMENT_SMT, e, &found);
	if (!rc && !found)
		SAY("not applicable here: at every count the placements use the same CPUs");
	return rc;
}

static int look_interleave(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)plan;
	(void)e;
	if (w->topology->n_numa < 2)
		SAY("not applicable here: one memory node");
	return 0;
}

/* ---- the machine ---- */

static int look_prefetchers(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)e;
	if (w->prefetchers)
		sd_prefetchers_look(w->prefetchers, &largest(plan)->cpus, why, size);
	else
		SAY("not known how to turn them off on this CPU");
	return 0;
}

static int look_software_pmu(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	(void)plan;
	(void)e;
	if (w->unsimulated)
		SAY("%s", w->unsimulated);
	return 0;
}

/* Helgrind knows the order that pthreads make; what waits otherwise looks like a race to it. */
static int look_race_check(const struct sd_experiments_world *w, const struct sd_plan *plan,
	struct sd_plan_experiment *e, char *why, size_t size)
{
	const struct sd_binary_facts b = binary(w);
	char *path = NULL;

	(void)e;
	if (sd_program_path_find("valgrind", NULL, w->envp, &path, NULL))
		SAY("Valgrind is not installed (package valgrind)");
	else if (plan->point[0].shape.ranks)
		SAY("not applicable here: ranks are processes, which share no data");
	else if (b.futexes)
		SAY("%s locks by futexes of its own, which Valgrind takes for races", b.futexes);
	else if (b.privileged || !b.native || !b.dynamic)
		SAY("Valgrind sees the locks of native, dynamic programs alone, which keep their "
		    "user");
	else if (b.openmp == 1)
		SAY("Valgrind does not see OpenMP's barriers: what they order would look like a "
		    "race");
	free(path);
	return 0;
}

/* A program's own malloc comes before any that is preloaded, and glibc does not tune it. */
#define PRELOADED                            \
	.variable = {{"LD_PRELOAD", "", 1}}, \
	.signs = SD_PROCESS_SIGN_RIGHTS | SD_PROCESS_SIGN_LIBRARY | SD_PROCESS_SIGN_MALLOC
#define TUNED                                                                         \
	(SD_PROCESS_SIGN_VARIABLES | SD_PROCESS_SIGN_RIGHTS | SD_PROCESS_SIGN_GLIBC | \
		SD_PROCESS_SIGN_MALLOC)

const struct sd_treatment sd_treatment[SD_EXPERIMENT_COUNT] = {
	[SD_EXPERIMENT_REPLICAS] = {.look = look_replicas}, /* CPU time of each copy */
	[SD_EXPERIMENT_ADD_LOOP] = {.look = look_add_loop},
	[SD_EXPERIMENT_PASSIVE_WAIT] = {.look = look_passive,
		.variable = {{"OMP_WAIT_POLICY", "passive", 0}, {"GOMP_SPINCOUNT", "0", 0},
			{"KMP_BLOCKTIME", "0", 0}},
		.sampled = 1,
		.signs = SD_PROCESS_SIGN_VARIABLES | SD_PROCESS_SIGN_OPENMP},
	[SD_EXPERIMENT_BANDWIDTH_THIEF] = {.look = look_thief},
	[SD_EXPERIMENT_CACHE_THIEF] = {.look = look_thief},
	[SD_EXPERIMENT_PADDING] = {.look = look_padding, PRELOADED},
	[SD_EXPERIMENT_ONE_ARENA] = {.look = look_arena,
		.variable = {{"GLIBC_TUNABLES",
			"glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0", 1}},
		.signs = TUNED},
	[SD_EXPERIMENT_ALLOCATOR] = {.look = look_allocator, PRELOADED},
	[SD_EXPERIMENT_HUGE_PAGES] = {.look = look_huge,
		.variable = {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1}},
		.signs = TUNED | SD_PROCESS_SIGN_HUGE_PAGES},
	[SD_EXPERIMENT_BASE_PAGES] = {.look = look_base,
		.tune = {.no_huge_pages = 1},
		.signs = SD_PROCESS_SIGN_BASE_PAGES},
	[SD_EXPERIMENT_SPREAD] = {.look = look_spread, .signs = SD_PROCESS_SIGN_CPUS},
	[SD_EXPERIMENT_SIBLINGS] = {.look = look_siblings, .signs = SD_PROCESS_SIGN_CPUS},
	[SD_EXPERIMENT_INTERLEAVE] = {.look = look_interleave,
		.tune = {.interleave = 1},
		.signs = SD_PROCESS_SIGN_NODES},
	[SD_EXPERIMENT_PREFETCHERS] = {.look = look_prefetchers},
	[SD_EXPERIMENT_SOFTWARE_PMU] = {.look = look_software_pmu},
	[SD_EXPERIMENT_RACE_CHECK] = {.look = look_race_check, .signs = SD_PROCESS_SIGN_LIBRARY},
};
