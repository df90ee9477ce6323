#include "run/counter_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/configs.h"
#include "metrics/metric_roles.h"
#include "probe/event_source.h"
#include "probe/modelled_pmu.h"
#include "record/short_budget.h"
#include "run/config_tables.h"

/* Passes that every point gets, twice, where counters were asked for: with two runs of each, no
 * more than a point of short runs has anyway. */
#define PASS_TURN 5u

struct choosing {
	const struct sd_sink *sink;
};

/* Chooses the roles to count: those of the family's metrics. */
static int choose_roles(
	void *ctx, const char *family, const unsigned char *can, enum sd_role *out, size_t *n)
{
	const struct choosing *const with = ctx;
	struct sd_config_tables tables;
	const int rc = sd_config_tables_load(&tables, with->sink);

	if (!rc)
		*n = sd_metric_roles_order(&tables.formulas, family, can, out);
	sd_config_tables_free(&tables);
	return rc;
}

/* Whatever the map and the model have: where it all fits one run, none of it costs anything. */
static int choose_all(
	void *ctx, const char *family, const unsigned char *can, enum sd_role *out, size_t *n)
{
	(void)ctx;
	(void)family;
	*n = 0;
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		if (can[r])
			out[(*n)++] = (enum sd_role)r;
	return 0;
}

static void raise_repeats(struct sd_plan *plan, const struct sd_sink *sink)
{
	const unsigned passes = (unsigned)sd_plan_turn(plan);

	if (plan->min_repeats == 0) {
		/* automatic: each of them twice (schedule.c) */
		if (plan->max_repeats && plan->max_repeats < 2 * passes)
			plan->max_repeats = 2 * passes;
		return;
	}
	if (plan->min_repeats >= passes)
		return;
	sd_say(sink, SD_LEVEL_NOTE,
		"%u runs a point instead of %u: the hardware events take as many passes "
		"(--multiplex: one; --events os: none)",
		passes, plan->min_repeats);
	plan->min_repeats = passes;
	if (plan->max_repeats < passes)
		plan->max_repeats = passes;
}

static int refuse(enum sd_events events, int error, const struct sd_sink *sink)
{
	sd_say(sink, SD_LEVEL_ERROR, "--events %s: %s", events == SD_EVENTS_ALL ? "all" : "hw",
		error == -EBUSY
			? "others hold all hardware counters; `scalediag doctor` says who may"
		: error == -EACCES ? "the hardware counters are not open to this user; `scalediag "
				     "doctor` says what opens them"
				   : "there are no hardware counters here; `scalediag doctor` says "
				     "why, and what would give some");
	return error;
}

static struct sd_counter_plan_ask ask_for(int multiplex, struct choosing *with)
{
	return (struct sd_counter_plan_ask){.choose = choose_roles,
		.ctx = with,
		.multiplex = multiplex,
		.maps = sd_configs_dir()};
}

/* The passes that every point gets: all, some, or the first alone where those follow that tell open
 * causes apart. */
static unsigned turn_of(const struct sd_options *o, const struct sd_plan *plan)
{
	if (o->events == SD_EVENTS_ALL)
		return (unsigned)plan->n_pass;
	return o->events == SD_EVENTS_AUTO ? 1 : PASS_TURN;
}

static void say_late(const struct sd_plan *plan, const struct sd_sink *sink)
{
	const size_t turn = sd_plan_turn(plan);

	if (turn < plan->n_pass)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: %zu passes; every point counts the first%s, then those "
			"that tell open causes apart (--events all: every pass at every point)",
			plan->n_pass, turn > 1 ? " five" : "");
}

int sd_counter_choice_plan(struct sd_counting **counting, const struct sd_options *options,
	const struct sd_modelled_pmu *model, struct sd_plan *plan, const struct sd_sink *sink)
{
	struct choosing with = {sink};
	struct sd_counter_plan_ask ask = ask_for(options->multiplex, &with);
	const int must = options->events == SD_EVENTS_HW || options->events == SD_EVENTS_ALL;
	int rc;

	*counting = NULL;
	ask.model = model && model->n ? model : NULL;
	if (ask.model && options->multiplex)
		ask.choose = choose_all;
	if (options->events == SD_EVENTS_OS)
		return 0;
	rc = sd_counter_plan_open(counting, &ask, sink);
	if (rc == -EBUSY && !must)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: none is counted, as others hold all of them");
	if (rc == -ENODEV || rc == -EACCES || rc == -EBUSY)
		return must ? refuse(options->events, rc, sink) : 0;
	if (!rc)
		rc = sd_counter_plan(*counting, plan);
	if (rc) {
		sd_say(sink, SD_LEVEL_ERROR, "the hardware counters: %s", strerror(-rc));
		return rc;
	}
	plan->pass_turn = turn_of(options, plan);
	raise_repeats(plan, sink);
	say_late(plan, sink);
	return 0;
}

int sd_counter_choice_is_long(const struct sd_plan *plan, double cpu_s, double wall_s)
{
	return 2 * plan->n_pass > sd_short_budget_runs(wall_s) &&
	       cpu_s >= SD_COUNTER_TURNS_S * (double)plan->n_pass;
}

/* s of CPU time of the run; 0 unknown. */
static double cpu_of(const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      system = run->metric[SD_METRIC_SYSTEM];

	return (sd_has(user) ? user.value : 0) + (sd_has(system) ? system.value : 0);
}

static void drop_passes(struct sd_plan *plan)
{
	for (size_t i = 0; i < plan->n_pass; i++)
		free(plan->pass[i].role);
	free(plan->pass);
	plan->pass = NULL;
	plan->n_pass = 0;
}

int sd_counter_choice_turns(struct sd_counting **counting, struct sd_counting **before,
	const struct sd_options *options, struct sd_record *record, const struct sd_sink *sink)
{
	struct choosing with = {sink};
	const struct sd_counter_plan_ask ask = ask_for(1, &with);
	const struct sd_run *const last = record->n_run ? &record->run[record->n_run - 1] : NULL;
	struct sd_counting *all = NULL;
	struct sd_plan *const plan = &record->plan;
	int rc;

	if (!*counting || !last || plan->multiplex || plan->simulation || plan->min_repeats ||
		options->events == SD_EVENTS_ALL || !sd_has(sd_run_whole(last)) ||
		!sd_counter_choice_is_long(plan, cpu_of(last), sd_run_whole(last).value))
		return 0;
	/* what is left out was said of the passes, which go on if it cannot be opened */
	if (sd_counter_plan_open(&all, &ask, NULL))
		return 0;
	sd_say(sink, SD_LEVEL_NOTE,
		"hardware counters: %zu passes take turns in every run, as a run is long enough "
		"for all of them (--events all: pass by pass)",
		plan->n_pass);
	drop_passes(plan);
	rc = sd_counter_plan(all, plan);
	plan->pass_turn = 0;
	*before = *counting;
	*counting = all;
	return rc;
}

int sd_counter_choice_resume(
	struct sd_counting **counting, const struct sd_plan *plan, const struct sd_sink *sink)
{
	struct choosing with = {sink};
	const struct sd_counter_plan_ask ask = ask_for(plan->multiplex, &with);

	*counting = NULL;
	if (plan->n_pass == 0)
		return 0;
	if (sd_counter_plan_open(counting, &ask, sink) == 0 &&
		sd_counter_plan_fits(*counting, plan))
		return 0;
	sd_say(sink, SD_LEVEL_ERROR,
		"--resume: the hardware counters are not those of the record any more; start "
		"afresh without --resume");
	return -EINVAL;
}

struct sd_memsource *sd_counter_choice_memory(const struct sd_options *options, int os_only)
{
	struct sd_memsource *source = NULL;
	char why[160];

	if (!os_only && !options->no_samples && options->events != SD_EVENTS_MODEL)
		(void)sd_access_source_open(&source, NULL, sd_configs_dir(), why, sizeof why);
	return source;
}

struct sd_memsource *sd_counter_choice_events(const struct sd_counting *counting,
	const struct sd_options *options, const struct sd_sink *sink)
{
	struct sd_config_tables tables = {0};
	struct sd_metric_where where[SD_ROLE_COUNT];
	struct sd_event_ask ask[SD_ROLE_COUNT];
	unsigned char can[SD_ROLE_COUNT] = {0};
	struct sd_memsource *source = NULL;
	size_t n = 0;

	if (!counting || options->no_samples || options->events == SD_EVENTS_MODEL)
		return NULL;
	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		struct sd_role_count count = {.value = SD_NOT(ABSENT)};

		sd_counter_plan_role(counting, (enum sd_role)r, &count);
		can[r] = sd_has(count.value) && count.scope == SD_SCOPE_THREAD;
	}
	/* where events happen is known without the work that they are held against */
	can[SD_ROLE_INSTRUCTIONS] = 1;
	if (sd_config_tables_load(&tables, sink) == 0)
		n = sd_metric_roles_where(
			&tables.formulas, sd_counter_plan_source(counting), can, where);
	for (size_t i = 0; i < n; i++)
		ask[i] = (struct sd_event_ask){where[i].role, where[i].period};
	sd_config_tables_free(&tables);
	(void)sd_event_source_open(&source, counting, ask, n);
	return source;
}
