#include <stdlib.h>

#include "export/json_stream.h"
#include "analysis/lane_steps.h"
#include "export/viewer_functions.h"
#include "export/viewers.h"
#include "page/page.h"
#include "page/sanitize.h"

/* Frames behind the functions: one an activity, in brackets, and these. */
enum { ON_CPU = SD_ACTIVITY_COUNT, UNKNOWN, N_PSEUDO };

struct scope {
	struct sd_json_stream out;
	struct sd_viewer_functions functions;
};

static int waits(enum sd_activity a)
{
	return sd_activity_info[a].group == SD_GROUP_WAITING;
}

static int shows_activity(enum sd_activity a)
{
	return waits(a) || sd_activity_info[a].group == SD_GROUP_SPINNING;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void put_frame(struct sd_json_stream *out, const char *name, const char *file)
{
	sd_json_stream_open(out, NULL, '{');
	sd_json_stream_text(out, "name", name);
	if (file)
		sd_json_stream_text(out, "file", file);
	sd_json_stream_close(out, '}');
}

/* Functions without a line: with one, each line of a function would be a frame of its own. */
static void put_frames(struct scope *x)
{
	struct sd_json_stream *const out = &x->out;
	char name[128];

	sd_json_stream_open(out, "shared", '{');
	sd_json_stream_open(out, "frames", '[');
	for (size_t i = 0; i < x->functions.n; i++)
		put_frame(out, x->functions.function[i].name, x->functions.function[i].file);
	for (int i = 0; i < SD_ACTIVITY_COUNT; i++) {
		snprintf(name, sizeof name, "[%s]", sd_activity_info[i].label);
		put_frame(out, name, NULL);
	}
	put_frame(out, "[on a CPU, not sampled]", NULL);
	put_frame(out, "[unknown]", NULL);
	sd_json_stream_close(out, ']');
	sd_json_stream_close(out, '}');
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A stack from its outermost function; `pseudo` is put behind it, < 0: nothing. */
static void put_stack(struct scope *x, unsigned node, int pseudo)
{
	const struct sd_viewer_functions *const v = &x->functions;
	unsigned path[SD_STACKS_DEPTH];
	const size_t n = sd_viewer_functions_path(v, node, path);

	sd_json_stream_open(&x->out, NULL, '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_number(&x->out, NULL, v->of[v->stacks->node[path[i]].frame]);
	if (pseudo >= 0)
		sd_json_stream_number(&x->out, NULL, (double)v->n + pseudo);
	else if (n == 0)
		sd_json_stream_number(&x->out, NULL, (double)v->n + UNKNOWN);
	sd_json_stream_close(&x->out, ']');
}

static void begin_profile(struct scope *x, const char *name, double end)
{
	sd_json_stream_open(&x->out, NULL, '{');
	sd_json_stream_text(&x->out, "type", "sampled");
	sd_json_stream_text(&x->out, "name", name);
	sd_json_stream_text(&x->out, "unit", "microseconds");
	sd_json_stream_number(&x->out, "startValue", 0);
	sd_json_stream_number(&x->out, "endValue", end);
}

static double us_of(const struct sd_stack_profile_row *row)
{
	return 1e6 * row->seconds;
}

static void put_point(struct scope *x, const struct sd_stack_profile_point *p, int waited)
{
	char name[128];
	double end = 0;

	for (size_t i = 0; i < p->n; i++)
		end += waits(p->row[i].activity) == waited ? us_of(&p->row[i]) : 0;
	snprintf(name, sizeof name, "%u core%s: %s (mean of %zu run%s)", p->cores,
		p->cores == 1 ? "" : "s", waited ? "waiting" : "on a CPU", p->runs,
		p->runs == 1 ? "" : "s");
	begin_profile(x, name, end);
	sd_json_stream_open(&x->out, "samples", '[');
	for (size_t i = 0; i < p->n; i++)
		if (waits(p->row[i].activity) == waited)
			put_stack(x, p->row[i].node,
				shows_activity(p->row[i].activity) ? (int)p->row[i].activity : -1);
	sd_json_stream_close(&x->out, ']');
	sd_json_stream_open(&x->out, "weights", '[');
	for (size_t i = 0; i < p->n; i++)
		if (waits(p->row[i].activity) == waited)
			sd_json_stream_number(&x->out, NULL, us_of(&p->row[i]));
	sd_json_stream_close(&x->out, ']');
	sd_json_stream_close(&x->out, '}');
}

static int put_step(void *ctx, const struct sd_lane_step *s)
{
	struct scope *const x = ctx;

	switch (s->kind) {
	case SD_LANE_STEP_UNKNOWN: /* an empty stack: speedscope draws nothing */
		sd_json_stream_open(&x->out, NULL, '[');
		sd_json_stream_close(&x->out, ']');
		break;
	case SD_LANE_STEP_ON_CPU:
		put_stack(x, 0, ON_CPU);
		break;
	default:
		put_stack(x, s->node, shows_activity(s->activity) ? (int)s->activity : -1);
	}
	return x->out.rc;
}

static int put_weight(void *ctx, const struct sd_lane_step *s)
{
	struct scope *const x = ctx;

	sd_json_stream_number(&x->out, NULL, (double)(s->to - s->from) / 1e3);
	return x->out.rc;
}

static void put_lane(struct scope *x, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane)
{
	char who[sizeof lane->name + 1], name[256];
	char *clean;

	snprintf(who, sizeof who, "%.*s", (int)sizeof lane->name, lane->name);
	clean = sd_sanitize(who);
	snprintf(name, sizeof name, "%u core%s, run %zu: %s %d", run->cores,
		run->cores == 1 ? "" : "s", run->run + 1, clean ? clean : "thread", lane->tid);
	free(clean);
	begin_profile(x, name, (double)run->length / 1e3);
	sd_json_stream_open(&x->out, "samples", '[');
	(void)sd_lane_steps_each(lane, run->length, put_step, x);
	sd_json_stream_close(&x->out, ']');
	sd_json_stream_open(&x->out, "weights", '[');
	(void)sd_lane_steps_each(lane, run->length, put_weight, x);
	sd_json_stream_close(&x->out, ']');
	sd_json_stream_close(&x->out, '}');
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_profiles(struct scope *x, const struct sd_report_style *s)
{
	const struct sd_stack_profile *const all = s->stacks;
	const struct sd_thread_lanes *const lanes = s->lanes;

	sd_json_stream_open(&x->out, "profiles", '[');
	for (size_t i = 0; all && i < all->n; i++)
		for (int waited = 0; waited < 2; waited++)
			put_point(x, &all->point[i], waited);
	for (size_t i = 0; lanes && i < lanes->n; i++)
		for (size_t k = 0; k < lanes->run[i].n; k++)
			put_lane(x, &lanes->run[i], &lanes->run[i].thread[k]);
	sd_json_stream_close(&x->out, ']');
	/* first seen: what ran at the largest count */
	sd_json_stream_number(
		&x->out, "activeProfileIndex", all && all->n ? 2 * (double)(all->n - 1) : 0);
}

int sd_viewers_speedscope(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct scope x = {.out = {.f = f}};
	char *const command = sd_page_command(&r->program.argv);
	char *const clean = command ? sd_sanitize(command) : NULL;
	int rc = sd_viewer_functions_begin(&x.functions, r);

	(void)a;
	if (!rc) {
		sd_viewer_functions_use_all(&x.functions, s->stacks, s->lanes);
		rc = sd_viewer_functions_end(&x.functions);
	}
	if (!rc) {
		sd_json_stream_open(&x.out, NULL, '{');
		sd_json_stream_text(
			&x.out, "$schema", "https://www.speedscope.app/file-format-schema.json");
		sd_json_stream_text(&x.out, "exporter", "scalediag " SD_VERSION);
		sd_json_stream_text(&x.out, "name", clean ? clean : "program");
		put_frames(&x);
		put_profiles(&x, s);
		sd_json_stream_close(&x.out, '}');
		rc = sd_json_stream_end(&x.out);
	}
	sd_viewer_functions_free(&x.functions);
	free(clean);
	free(command);
	return rc;
}
