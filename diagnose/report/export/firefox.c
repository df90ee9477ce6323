#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox_tables.h"
#include "analysis/lane_steps.h"
#include "export/viewers.h"
#include "page/page.h"
#include "page/sanitize.h"
#include "render/json_values.h"
#include "view/view.h"

#define VERSION 60       /* of the processed profile format */
#define GECKO_VERSION 31 /* of the format that browsers write, of that time */

struct profile {
	struct sd_json_stream out;
	struct sd_viewer_functions functions;
	struct sd_firefox_tables tables;
	const struct sd_record *record;
	size_t n_thread;
};

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void begin_thread(
	struct profile *x, const char *process, const char *name, double pid, int first)
{
	struct sd_json_stream *const out = &x->out;
	char number[32];

	snprintf(number, sizeof number, "%.0f", pid);
	sd_json_stream_open(out, NULL, '{');
	sd_json_stream_text(out, "processType", "default");
	sd_json_stream_text(out, "processName", process);
	sd_json_stream_text(out, "name", name);
	sd_json_stream_text(out, "pid", number);
	sd_json_stream_number(out, "tid", (double)++x->n_thread);
	sd_json_stream_put(out, "isMainThread", json_boolean(first));
	sd_json_stream_number(out, "processStartupTime", 0);
	sd_json_stream_put(out, "processShutdownTime", json_null());
	sd_json_stream_number(out, "registerTime", 0);
	sd_json_stream_put(out, "unregisterTime", json_null());
	sd_json_stream_put(out, "showMarkersInTimeline", json_true());
}

static void put_no_markers(struct sd_json_stream *out)
{
	sd_json_stream_put(out, "markers",
		sd_json("data", json_array(), "name", json_array(), "startTime", json_array(),
			"endTime", json_array(), "phase", json_array(), "category", json_array(),
			"length", 0));
}

/* A row for a core count: one sample a stack, its time as its weight. */
static void put_point(struct profile *x, const struct sd_stack_profile_point *p, int waited)
{
	struct sd_json_stream *const out = &x->out;
	char process[96];
	double at = 0;
	size_t n = 0;

	snprintf(process, sizeof process, "%u core%s, mean of %zu run%s", p->cores,
		p->cores == 1 ? "" : "s", p->runs, p->runs == 1 ? "" : "s");
	begin_thread(x, process, waited ? "waiting" : "on a CPU", p->cores, !waited);
	sd_json_stream_open(out, "samples", '{');
	for (int column = 0; column < 3; column++) {
		static const char *const name[] = {"stack", "time", "weight"};

		sd_json_stream_open(out, name[column], '[');
		for (size_t i = 0; i < p->n; i++) {
			const struct sd_stack_profile_row *const row = &p->row[i];
			const long stack =
				sd_firefox_tables_stack(&x->tables, row->node, row->activity);

			if ((sd_activity_info[row->activity].group == SD_GROUP_WAITING) != waited)
				continue;
			if (column == 0)
				sd_json_stream_put(
					out, NULL, stack < 0 ? json_null() : json_integer(stack));
			else
				sd_json_stream_number(
					out, NULL, column == 1 ? at : 1e3 * row->seconds);
			at += column == 1 ? 1e3 * row->seconds : 0;
			n += column == 0;
		}
		sd_json_stream_close(out, ']');
	}
	sd_json_stream_text(out, "weightType", "tracing-ms");
	sd_json_stream_number(out, "length", (double)n);
	sd_json_stream_close(out, '}');
	sd_json_stream_put(out, "pausedRanges", json_array());
	put_no_markers(out);
	sd_json_stream_close(out, '}');
}

/* ---- lanes ----------------------------------------------------------------------------------- */

struct column {
	struct profile *x;
	enum { STACK, TIME, WEIGHT } which;
	size_t n;
};

/* Puts a sample; a wait has no stack among the samples: it is a marker. */
static int put_sample(void *ctx, const struct sd_lane_step *s)
{
	struct column *const c = ctx;
	struct sd_json_stream *const out = &c->x->out;
	const int ran = s->kind == SD_LANE_STEP_SAMPLED || s->kind == SD_LANE_STEP_ON_CPU;
	const long stack = ran ? sd_firefox_tables_stack(&c->x->tables, s->node, s->activity) : -1;

	if (c->which == STACK)
		sd_json_stream_put(out, NULL, stack < 0 ? json_null() : json_integer(stack));
	else if (c->which == TIME)
		sd_json_stream_number(out, NULL, ms(s->from));
	else
		sd_json_stream_number(out, NULL, ran ? ms(s->to - s->from) : 0);
	c->n++;
	return out->rc;
}

static void put_samples(struct profile *x, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane)
{
	static const char *const name[] = {"stack", "time", "weight"};
	struct column c = {.x = x};

	sd_json_stream_open(&x->out, "samples", '{');
	for (int i = 0; i < 3; i++) {
		c.which = i;
		c.n = 0;
		sd_json_stream_open(&x->out, name[i], '[');
		(void)sd_lane_steps_each(lane, run->length, put_sample, &c);
		sd_json_stream_close(&x->out, ']');
	}
	sd_json_stream_text(&x->out, "weightType", "tracing-ms");
	sd_json_stream_number(&x->out, "length", (double)c.n);
	sd_json_stream_close(&x->out, '}');
}

static int is_wait(const struct sd_thread_lanes_span *s)
{
	return s->activity < SD_ACTIVITY_COUNT &&
	       sd_activity_info[s->activity].group == SD_GROUP_WAITING;
}

static json_t *wait_data(const struct profile *x, const struct sd_thread_lanes_span *s)
{
	const struct sd_stacks *const names = &x->record->stacks;
	const char *const lock = s->lock && s->lock < names->n_text ? names->text[s->lock] : NULL;
	const long stack = s->node ? sd_firefox_tables_stack(&x->tables, s->node, s->activity) : -1;
	char *const clean = lock && *lock ? sd_sanitize(lock) : NULL;
	json_t *data = sd_json("type", "Wait", "spans", s->merged);

	if (clean)
		sd_json_put(&data, "lock", clean);
	if (stack >= 0)
		sd_json_put(&data, "cause", sd_json("time", ms(s->from), "stack", stack));
	free(clean);
	return data;
}

static void put_marker(const struct profile *x, struct sd_json_stream *out, int column,
	const struct sd_thread_lanes_span *s)
{
	switch (column) {
	case 0:
		sd_json_stream_put(out, NULL, wait_data(x, s));
		break;
	case 1:
		sd_json_stream_number(
			out, NULL, (double)sd_firefox_tables_label(&x->tables, s->activity));
		break;
	case 2:
		sd_json_stream_number(out, NULL, ms(s->from));
		break;
	case 3:
		sd_json_stream_number(out, NULL, ms(s->to));
		break;
	case 4: /* an interval with both its ends */
		sd_json_stream_number(out, NULL, 1);
		break;
	default:
		sd_json_stream_number(out, NULL, SD_FIREFOX_CATEGORY_WAITING);
	}
}

static void put_markers(struct profile *x, const struct sd_thread_lanes_thread *lane)
{
	static const char *const name[] = {
		"data", "name", "startTime", "endTime", "phase", "category"};
	size_t n = 0;

	sd_json_stream_open(&x->out, "markers", '{');
	for (int column = 0; column < 6; column++) {
		sd_json_stream_open(&x->out, name[column], '[');
		for (size_t i = 0; i < lane->n_span; i++)
			if (is_wait(&lane->span[i])) {
				put_marker(x, &x->out, column, &lane->span[i]);
				n += column == 0;
			}
		sd_json_stream_close(&x->out, ']');
	}
	sd_json_stream_number(&x->out, "length", (double)n);
	sd_json_stream_close(&x->out, '}');
}

static void put_lane(struct profile *x, const struct sd_thread_lanes_run *run, size_t number)
{
	const struct sd_thread_lanes_thread *const lane = &run->thread[number];
	struct sd_json_stream *const out = &x->out;
	char who[sizeof lane->name + 1], process[64], name[160];
	char *clean;

	snprintf(who, sizeof who, "%.*s", (int)sizeof lane->name, lane->name);
	clean = sd_sanitize(who);
	snprintf(process, sizeof process, "%u core%s, run %zu", run->cores,
		run->cores == 1 ? "" : "s", run->run + 1);
	snprintf(name, sizeof name, "%s %d", clean ? clean : "thread", lane->tid);
	free(clean);
	begin_thread(x, process, name, (double)run->run + 1, number == 0);
	put_samples(x, run, lane);
	sd_json_stream_open(out, "pausedRanges", '[');
	for (size_t i = 0; i < run->n_gap; i++)
		sd_json_stream_put(out, NULL,
			sd_json("startTime", ms(run->gap[i].from), "endTime", ms(run->gap[i].to),
				"reason", "profiler-paused"));
	sd_json_stream_close(out, ']');
	put_markers(x, lane);
	sd_json_stream_close(out, '}');
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_categories(struct sd_json_stream *out)
{
	static const char *const category[][2] = {
#define X(id, name, colour) {name, colour},
		SD_FIREFOX_CATEGORIES(X)
#undef X
	};

	sd_json_stream_open(out, "categories", '[');
	for (size_t i = 0; i < sizeof category / sizeof *category; i++)
		sd_json_stream_put(out, NULL,
			sd_json("name", category[i][0], "color", category[i][1], "subcategories",
				sd_json_list("Other")));
	sd_json_stream_close(out, ']');
}

static void put_schema(struct sd_json_stream *out)
{
	sd_json_stream_put(out, "markerSchema",
		sd_json_list(sd_json("name", "Wait", "tooltipLabel", "{marker.name}", "tableLabel",
			"{marker.data.lock}", "display",
			sd_json_list("marker-chart", "marker-table", "timeline-overview"), "fields",
			sd_json_list(sd_json("key", "lock", "label", "Lock", "format", "string"),
				sd_json("key", "spans", "label", "Waits and runs drawn as one",
					"format", "integer")))));
}

static void put_extra(
	struct profile *x, const struct sd_analysis *a, const struct sd_report_style *s)
{
	char *const clean = sd_view_sentence(x->record, a);
	const int lanes = s->lanes && s->lanes->n;

	sd_json_stream_open(&x->out, "extra", '[');
	sd_json_stream_put(&x->out, NULL,
		sd_json("label", "scalediag", "entries",
			sd_json_list(sd_json("label", "Answer", "format", "string", "value",
					     clean ? clean : ""),
				sd_json("label", "Time axis", "format", "string", "value",
					lanes ? "since the start of each run; the typical run of each core count"
					      : "none: stacks one after another, each as wide as its time in a "
						"mean run"))));
	sd_json_stream_close(&x->out, ']');
	free(clean);
}

static void put_meta(
	struct profile *x, const struct sd_analysis *a, const struct sd_report_style *s)
{
	struct sd_json_stream *const out = &x->out;
	const struct sd_record *const r = x->record;
	char *const command = sd_page_command(&r->program.argv);
	char *const clean = command ? sd_sanitize(command) : NULL;
	double start = r->n_run ? r->run[0].start : 0, hz = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		start = fmin(start, r->run[i].start);
		hz = fmax(hz, r->run[i].sampled.hz);
	}
	sd_json_stream_open(out, "meta", '{');
	sd_json_stream_number(out, "version", GECKO_VERSION);
	sd_json_stream_number(out, "preprocessedProfileVersion", VERSION);
	sd_json_stream_text(out, "product", clean ? clean : "program");
	sd_json_stream_text(out, "importedFrom", "scalediag " SD_VERSION);
	sd_json_stream_number(out, "interval", hz > 0 ? 1e3 / hz : 1);
	sd_json_stream_number(out, "startTime", isfinite(start) ? 1e3 * start : 0);
	sd_json_stream_number(out, "processType", 0);
	sd_json_stream_number(out, "stackwalk", 1);
	sd_json_stream_text(out, "oscpu", r->host.kernel);
	sd_json_stream_text(out, "CPUName", r->host.cpu);
	if (r->host.cores)
		sd_json_stream_number(out, "physicalCPUs", r->host.cores);
	sd_json_stream_number(out, "logicalCPUs", r->host.online);
	sd_json_stream_put(out, "symbolicated", json_true());
	sd_json_stream_put(out, "usesOnlyOneStackType", json_true());
	sd_json_stream_put(out, "sourceCodeIsNotOnSearchfox", json_true());
	sd_json_stream_put(out, "keepProfileThreadOrder", json_true());
	sd_json_stream_put(out, "sampleUnits",
		sd_json("time", "ms", "eventDelay", "ms", "threadCPUDelta", "ns"));
	put_categories(out);
	put_schema(out);
	put_extra(x, a, s);
	sd_json_stream_close(out, '}');
	free(clean);
	free(command);
}

static void put_threads(struct profile *x, const struct sd_report_style *s)
{
	const int lanes = s->lanes && s->lanes->n;

	sd_json_stream_open(&x->out, "threads", '[');
	for (size_t i = 0; lanes && i < s->lanes->n; i++)
		for (size_t k = 0; k < s->lanes->run[i].n; k++)
			put_lane(x, &s->lanes->run[i], k);
	for (size_t i = 0; !lanes && s->stacks && i < s->stacks->n; i++)
		for (int waited = 0; waited < 2; waited++)
			put_point(x, &s->stacks->point[i], waited);
	sd_json_stream_close(&x->out, ']');
}

int sd_viewers_firefox(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct profile x = {.out = {.f = f}, .record = r};
	int rc = sd_viewer_functions_begin(&x.functions, r);

	if (!rc) {
		sd_viewer_functions_use_all(&x.functions, s->stacks, s->lanes);
		rc = sd_viewer_functions_end(&x.functions);
	}
	if (!rc)
		rc = sd_firefox_tables_make(&x.tables, &x.functions, s->stacks, s->lanes);
	if (!rc) {
		sd_json_stream_open(&x.out, NULL, '{');
		put_meta(&x, a, s);
		sd_firefox_tables_put(&x.tables, &x.out);
		put_threads(&x, s);
		sd_json_stream_close(&x.out, '}');
		rc = sd_json_stream_end(&x.out);
	}
	sd_firefox_tables_free(&x.tables);
	sd_viewer_functions_free(&x.functions);
	return rc;
}
