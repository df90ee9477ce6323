#include "run/experiment_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "base/configs.h"
#include "probe/event_map.h"
#include "profile/profile_file.h"
#include "record/short_budget.h"
#include "run/config_tables.h"
#include "run/own_library.h"

#define PAD "scalediag-pad.so"

/* Runs of the reference that say how long a program takes: more of one that takes too short a time
 * would say nothing else. */
#define SHORT_RUNS 3
/* Runs of every count of a program whose answer is known; fewer where its loss is known to a share
 * of it. */
#define FINAL_RUNS 5u
#define LOSS_SHARE .2

#if defined(__x86_64__)
#define MULTIARCH "/usr/lib/x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "/usr/lib/aarch64-linux-gnu"
#else
#define MULTIARCH "/usr/lib"
#endif

static char *find_allocator(void)
{
	static const char *const name[] = {
		"libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"};
	static const char *const folder[] = {MULTIARCH, "/usr/lib64", "/usr/lib", "/usr/local/lib"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		for (size_t j = 0; j < sizeof folder / sizeof *folder; j++) {
			char *path = NULL;

			if (asprintf(&path, "%s/%s", folder[j], name[i]) >= 0 &&
				access(path, R_OK) == 0)
				return path;
			free(path);
		}
	return NULL;
}

/* How this CPU's prefetchers are turned off, as its event map says. */
static struct sd_map_prefetchers find_prefetchers(const struct sd_sink *sink)
{
	struct sd_map_prefetchers found = {0};
	const struct sd_event_map *map;
	struct sd_eventmaps maps = {0};
	struct sd_cpuid id;

	sd_cpu_model_read(&id, "");
	if (sd_event_map_set_load_for(&maps, sd_configs_dir(), &(struct sd_texts){0}, &id, sink) ==
		0) {
		map = sd_event_map_set_select(&maps, &(struct sd_texts){0}, &id);
		if (map)
			found = map->prefetchers;
	}
	found.source = NULL; /* the maps' own */
	sd_event_map_set_free(&maps);
	return found;
}

int sd_experiment_plan_open(struct sd_experiment_plan *x, const struct sd_sink *sink)
{
	struct utsname u;

	*x = (struct sd_experiment_plan){.sink = sink};
	x->pad = sd_own_library_find(PAD);
	x->allocator = find_allocator();
	if (uname(&u) == 0)
		x->old_bits = sd_profile_neighbour(u.nodename, "prefetchers", 0);
	x->prefetchers = (struct sd_prefetchers_of){
		.msr = sd_msr_of(""), .bits = find_prefetchers(sink), .file = x->old_bits};
	return sd_config_tables_load(&x->tables, sink);
}

int sd_experiment_plan_begin(struct sd_experiment_plan *x, const struct sd_options *o)
{
	sd_prefetchers_recover(&x->prefetchers, x->sink);
	return sd_input_files_named(&x->inputs, o->argv, o->argc, o->cwd);
}

void sd_experiment_plan_close(struct sd_experiment_plan *x)
{
	sd_config_tables_free(&x->tables);
	free(x->pad);
	free(x->allocator);
	free(x->old_bits);
	sd_input_files_free(&x->inputs);
	*x = (struct sd_experiment_plan){0};
}

int sd_experiment_plan_fill(const struct sd_experiment_plan *x, const struct sd_options *o,
	const struct sd_topology *t, const char *unsimulated, struct sd_plan *plan)
{
	const struct sd_experiments_world w = {.options = o,
		.topology = t,
		.envp = environ,
		.root = "",
		.pad = x->pad,
		.allocator = x->allocator,
		.prefetchers = &x->prefetchers,
		.unsimulated = unsimulated};

	return sd_experiments_plan(&w, plan);
}

struct sd_experiments sd_experiment_plan_needs(
	struct sd_experiment_plan *x, const struct sd_cli *cli, const struct sd_topology *t)
{
	return (struct sd_experiments){.topology = t,
		.thieves = cli->thieves,
		.kernels = cli->kernels,
		.pad = x->pad,
		.allocator = x->allocator,
		.prefetchers = &x->prefetchers,
		.inputs = &x->inputs};
}

/* The runs of the count that has fewest. */
static size_t fewest(const struct sd_analysis *a)
{
	size_t n = a->n_point ? a->point[0].runs : 0;

	for (size_t i = 1; i < a->n_point; i++)
		n = a->point[i].runs < n ? a->point[i].runs : n;
	return n;
}

static int is_loss_known(const struct sd_interval *efficiency)
{
	return efficiency->status == SD_STATUS_OK &&
	       (efficiency->high - efficiency->low) / 2 <= LOSS_SHARE * (1 - efficiency->value);
}

/* Would no more runs change the answer: the program is too short for one, or it is known whether it
 * scales, and the first cause where it does not? Nothing is changed of a program that runs already
 * but its CPUs, so that nothing decides a cause but the windows. */
static int is_final(const struct sd_record *record, const struct sd_analysis *a)
{
	const size_t runs = fewest(a);
	const int attached = record->program.attached != NULL;

	if (record->plan.min_repeats || !a->n_point)
		return 0;
	if (sd_has(a->too_short))
		return a->point[0].runs >= SHORT_RUNS;
	if (a->runs_wanted != SD_RUNS_ENOUGH || !(a->is_decided || attached))
		return 0;
	if (attached && record->plan.n_point == 1) /* it was only looked at */
		return 1;
	return runs >= 2 * sd_plan_turn(&record->plan) &&
	       runs >= (is_loss_known(&a->point[a->n_point - 1].efficiency) ? SD_SHORT_BUDGET_FEWEST
									    : FINAL_RUNS);
}

/* One look at the record. 0 or -errno. */
static int look(const struct sd_experiment_plan *x, const struct sd_record *record,
	struct sd_step *step, int *calibrate)
{
	struct sd_analysis a = {0};
	int rc = sd_analyse(record, &x->tables.formulas, &x->tables.advice, &a);

	*step = (struct sd_step){.kind = SD_STEP_END, .experiment = SD_STEP_NONE};
	*calibrate = rc == 0 && sd_has(a.undecided) && a.needs_node;
	if (rc == 0 && a.next < a.n_tested) {
		step->kind = SD_STEP_EXPERIMENT;
		step->experiment = a.next;
		step->expects = a.next_is;
	}
	if (rc == -ENODATA ||
		(rc == 0 && (a.runs_wanted == SD_RUNS_FIRST || (a.runs_wanted == SD_RUNS_NARROW &&
								       step->kind == SD_STEP_END))))
		*step = (struct sd_step){
			SD_STEP_RUNS, step->experiment, .expects = a.runs_are, .rest = a.rest};
	step->instead = a.next_is;
	if (rc == 0 && x->bursts && a.burst_first)
		*step = (struct sd_step){SD_STEP_BURST, step->experiment, .expects = a.burst_is};
	step->first = a.passes;
	if (rc == 0 && is_final(record, &a))
		step->kind = SD_STEP_ENOUGH;
	if (rc == -ENODATA)
		rc = 0;
	else if (rc)
		sd_say(x->sink, SD_LEVEL_ERROR, "the runs so far could not be analysed: %s",
			strerror(-rc));
	sd_analysis_free(&a);
	return rc;
}

int sd_experiment_plan_choose(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	struct sd_experiment_plan *x = ctx;
	int calibrate, rc = look(x, record, step, &calibrate);

	/* after all experiments, since it takes longer than most of them, and with them it may not
	 * be needed */
	if (rc == 0 && step->kind == SD_STEP_END && record->plan.n_experiment && calibrate &&
		x->calibrate) {
		rc = x->calibrate(x->calibrate_ctx);
		x->calibrate = NULL;
		rc = rc ? rc : look(x, record, step, &calibrate);
	}
	return rc;
}
