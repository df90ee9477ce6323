#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/json_stream.h"
#include "analysis/lane_steps.h"
#include "export/viewer_functions.h"
#include "export/viewers.h"
#include "render/json_values.h"
#include "page/page.h"
#include "page/sanitize.h"
#include "view/view.h"

/* Processes of the trace: the measurement, and behind it one a run with lanes. */
#define MEASUREMENT 1

struct trace {
	struct sd_json_stream out;
	struct sd_viewer_functions functions;
	const struct sd_record *record;
	double start; /* s since the epoch: of the first run */
	unsigned n_thread;
	/* the function that the lane is in: drawn once it changes */
	struct {
		unsigned function;
		uint64_t from, to;
		int any;
	} in;
	double offset; /* us: of the run that is being drawn */
	unsigned pid, tid;
};

static void put_name(
	struct trace *x, const char *what, unsigned pid, unsigned tid, const char *name)
{
	sd_json_stream_put(&x->out, NULL,
		sd_json("ph", "M", "name", what, "pid", pid, "tid", tid, "args",
			sd_json("name", name)));
}

static void put_order(struct trace *x, const char *what, unsigned pid, unsigned tid, unsigned order)
{
	sd_json_stream_put(&x->out, NULL,
		sd_json("ph", "M", "name", what, "pid", pid, "tid", tid, "args",
			sd_json("sort_index", order)));
}

/* Takes the reference of args. */
static void put_slice(struct trace *x, const char *name, const char *category, double at,
	double length, json_t *args)
{
	sd_json_stream_put(&x->out, NULL,
		sd_json("ph", "X", "name", name, "cat", category, "ts", at, "dur", length, "pid",
			x->pid, "tid", x->tid, "args", args ? args : json_object()));
}

/* ---- the measurement ------------------------------------------------------------------------- */

static const char *const kind_name[] = {
	[SD_RUN_WARMUP] = "warm-up",
	[SD_RUN_BLOCK] = "run",
	[SD_RUN_DRIFT] = "drift check",
	[SD_RUN_EXPERIMENT] = "experiment",
	[SD_RUN_SIMULATED] = "simulated",
	[SD_RUN_MEMORY] = "memory samples",
	[SD_RUN_EVENTS] = "event samples",
	[SD_RUN_COST] = "cost of a probe",
};

static json_t *facts_of(const struct sd_run *run, size_t number)
{
	json_t *args = sd_json("run", number + 1);
	static const enum sd_metric shown[] = {SD_METRIC_WALL, SD_METRIC_USER, SD_METRIC_SYSTEM,
		SD_METRIC_RUN_DELAY, SD_METRIC_STEAL, SD_METRIC_FOREIGN};
	char name[64];

	for (size_t i = 0; args && i < sizeof shown / sizeof *shown; i++) {
		const struct sd_value v = run->metric[shown[i]];

		if (!sd_has(v) || !isfinite(v.value))
			continue;
		snprintf(name, sizeof name, "%s (%s)", sd_metric_info[shown[i]].name,
			sd_metric_info[shown[i]].unit);
		sd_json_set(&args, name, json_real(v.value));
	}
	return args;
}

static double us_since_start(const struct trace *x, const struct sd_run *run)
{
	const double us = 1e6 * (run->start - x->start);

	return isfinite(us) ? round(us) : 0;
}

static void put_measurement(struct trace *x)
{
	const struct sd_record *const r = x->record;
	char name[64];

	put_name(x, "process_name", MEASUREMENT, 0, "measurement");
	put_order(x, "process_sort_index", MEASUREMENT, 0, 0);
	x->pid = MEASUREMENT;
	for (size_t i = 0; i < r->plan.n_point; i++) {
		const unsigned cores = r->plan.point[i].cores, tid = ++x->n_thread;

		snprintf(name, sizeof name, "%u core%s", cores, cores == 1 ? "" : "s");
		put_name(x, "thread_name", MEASUREMENT, tid, name);
		put_order(x, "thread_sort_index", MEASUREMENT, tid, tid);
		x->tid = tid;
		for (size_t k = 0; k < r->n_run; k++) {
			const struct sd_value wall = r->run[k].metric[SD_METRIC_WALL];

			if (r->run[k].point != i || !sd_has(wall) || !isfinite(wall.value))
				continue;
			put_slice(x, kind_name[r->run[k].kind], "run",
				us_since_start(x, &r->run[k]), round(1e6 * wall.value),
				facts_of(&r->run[k], k));
		}
	}
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

static json_t *span_args(const struct trace *x, const struct sd_thread_lanes_span *s)
{
	const struct sd_viewer_functions *const v = &x->functions;
	const char *const lock =
		s->lock && s->lock < v->stacks->n_text ? v->stacks->text[s->lock] : "";
	unsigned path[SD_STACKS_DEPTH];
	const size_t n = sd_viewer_functions_path(v, s->node, path);
	char *const clean = sd_sanitize(lock);
	json_t *args = json_object();
	char key[32];

	if (clean && *clean)
		sd_json_put(&args, "lock", clean);
	if (s->merged > 1)
		sd_json_put(&args, "waits and runs drawn as one", s->merged);
	for (size_t i = 0; i < n && i < 16; i++) {
		const unsigned frame = v->stacks->node[path[n - 1 - i]].frame;

		snprintf(key, sizeof key, "stack %zu", i);
		sd_json_put(&args, key, v->function[v->of[frame]].name);
	}
	free(clean);
	return args;
}

static void put_function(struct trace *x)
{
	const struct sd_viewer_function *const f = &x->functions.function[x->in.function];
	json_t *args;

	if (!x->in.any)
		return;
	args = f->file ? sd_json("file", f->file) : json_object();
	put_slice(x, f->name, "function", x->offset + us(x->in.from), us(x->in.to - x->in.from),
		args);
	x->in.any = 0;
}

/* Under the span that it is in: the function that ran. */
static int follow_function(void *ctx, const struct sd_lane_step *s)
{
	struct trace *const x = ctx;
	const struct sd_viewer_functions *const v = &x->functions;
	unsigned path[SD_STACKS_DEPTH];
	const size_t n = s->kind == SD_LANE_STEP_SAMPLED && s->span
				 ? sd_viewer_functions_path(v, s->node, path)
				 : 0;
	const unsigned function = n ? v->of[v->stacks->node[path[n - 1]].frame] : 0;

	if (x->in.any && n && function == x->in.function && s->from == x->in.to &&
		s->from > s->span->from) {
		x->in.to = s->to;
		return 0;
	}
	put_function(x);
	if (n) {
		x->in.function = function;
		x->in.from = s->from;
		x->in.to = s->to;
		x->in.any = 1;
	}
	return x->out.rc;
}

static void put_lane(struct trace *x, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane)
{
	char who[sizeof lane->name + 1], name[160];
	char *clean;

	snprintf(who, sizeof who, "%.*s", (int)sizeof lane->name, lane->name);
	clean = sd_sanitize(who);
	snprintf(name, sizeof name, "%s %d", clean ? clean : "thread", lane->tid);
	free(clean);
	x->tid = ++x->n_thread;
	put_name(x, "thread_name", x->pid, x->tid, name);
	put_order(x, "thread_sort_index", x->pid, x->tid, x->tid);
	for (size_t i = 0; i < lane->n_span; i++) {
		const struct sd_thread_lanes_span *const s = &lane->span[i];
		static const char *const group[] = {[SD_GROUP_RUNNING] = "running",
			[SD_GROUP_SPINNING] = "spinning",
			[SD_GROUP_KERNEL] = "kernel",
			[SD_GROUP_WAITING] = "waiting"};

		put_slice(x, sd_lane_steps_label(s->activity),
			s->activity < SD_ACTIVITY_COUNT ? group[sd_activity_info[s->activity].group]
							: "running",
			x->offset + us(s->from), us(s->to - s->from), span_args(x, s));
	}
	(void)sd_lane_steps_each(lane, run->length, follow_function, x);
	put_function(x);
}

static void put_run(struct trace *x, const struct sd_thread_lanes_run *run)
{
	char name[96];

	x->pid++;
	x->offset = run->run < x->record->n_run ? us_since_start(x, &x->record->run[run->run]) : 0;
	snprintf(name, sizeof name, "%u core%s, run %zu", run->cores, run->cores == 1 ? "" : "s",
		run->run + 1);
	put_name(x, "process_name", x->pid, 0, name);
	put_order(x, "process_sort_index", x->pid, 0, x->pid);
	if (run->n_gap) {
		x->tid = ++x->n_thread;
		put_name(x, "thread_name", x->pid, x->tid, "switches not recorded");
		put_order(x, "thread_sort_index", x->pid, x->tid, x->tid);
	}
	for (size_t i = 0; i < run->n_gap; i++)
		put_slice(x, "not recorded", "gap", x->offset + us(run->gap[i].from),
			us(run->gap[i].to - run->gap[i].from), NULL);
	for (size_t i = 0; i < run->n; i++)
		put_lane(x, run, &run->thread[i]);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_metadata(struct trace *x, const struct sd_analysis *a)
{
	char *const answer = sd_view_sentence(x->record, a);
	char *const command = sd_page_command(&x->record->program.argv);
	char *const clean = command ? sd_sanitize(command) : NULL;

	sd_json_stream_text(&x->out, "displayTimeUnit", "ms");
	sd_json_stream_put(&x->out, "otherData",
		sd_json("tool", "scalediag " SD_VERSION, "program", clean ? clean : "", "answer",
			answer ? answer : ""));
	free(clean);
	free(answer);
	free(command);
}

int sd_viewers_perfetto(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct trace x = {.out = {.f = f}, .record = r, .start = r->n_run ? r->run[0].start : 0};
	int rc = sd_viewer_functions_begin(&x.functions, r);

	if (!rc) {
		sd_viewer_functions_use_all(&x.functions, NULL, s->lanes);
		rc = sd_viewer_functions_end(&x.functions);
	}
	for (size_t i = 0; i < r->n_run; i++)
		x.start = fmin(x.start, r->run[i].start);
	if (!rc) {
		sd_json_stream_open(&x.out, NULL, '{');
		put_metadata(&x, a);
		sd_json_stream_open(&x.out, "traceEvents", '[');
		put_measurement(&x);
		for (size_t i = 0; s->lanes && i < s->lanes->n; i++)
			put_run(&x, &s->lanes->run[i]);
		sd_json_stream_close(&x.out, ']');
		sd_json_stream_close(&x.out, '}');
		rc = sd_json_stream_end(&x.out);
	}
	sd_viewer_functions_free(&x.functions);
	return rc;
}
