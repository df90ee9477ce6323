#include "import/script_profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/wait_match.h"
#include "base/one_more.h"

int sd_script_profile_open(struct sd_script_profile *p, const struct sd_sink *sink)
{
	return sd_wait_rules_load(&p->rules, NULL, sink);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static int is_kernel(const char *module)
{
	return strncmp(module, "[kernel", 7) == 0 || strncmp(module, "[guest.kernel", 13) == 0 ||
	       strstr(module, ".ko") != NULL;
}

static int make_frame(struct sd_stacks *stacks, const struct sd_script_frame *f, const char *module,
	unsigned *out)
{
	const int known = strcmp(module, "[unknown]") != 0;
	struct sd_frame to = {.line = f->line, .inlined = f->inlined};
	int rc = sd_stacks_text(stacks, f->function, &to.function);

	to.kernel = is_kernel(module);
	/* without a symbol the address is all there is; with one, one line is one place */
	to.offset = f->function[0] ? 0 : f->address;
	if (rc == 0)
		rc = sd_stacks_text(stacks, f->file, &to.file);
	if (rc == 0)
		rc = sd_stacks_text(stacks,
			!known      ? ""
			: to.kernel ? "[kernel]"
				    : module,
			&to.module);
	return rc ? rc : sd_stacks_frame(stacks, &to, out);
}

/* The stack's node; 0 where there is none, or no more room. */
static int make_stack(
	struct sd_stacks *stacks, const struct sd_script_frame *frame, size_t n, unsigned *out)
{
	unsigned node = 0, place = 0;
	int rc = 0;

	for (size_t i = n; i-- > 0 && rc == 0;) {
		size_t k = i; /* what is inlined stands in the module of its caller */

		while (k + 1 < n && frame[k].inlined)
			k++;
		rc = make_frame(stacks, &frame[i], frame[k].module, &place);
		if (rc == 0)
			rc = sd_stacks_node(stacks, node, place, &node);
	}
	*out = rc ? 0 : node;
	return rc == -ENOSPC ? 0 : rc;
}

/* ---- samples --------------------------------------------------------------------------------- */

static struct sd_script_event *event_of(struct sd_script_profile *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->event[i].name, name) == 0)
			return &p->event[i];
	if (p->n == SD_SCRIPT_PROFILE_EVENTS)
		return NULL;
	p->event[p->n] = (struct sd_script_event){.periods = 1};
	snprintf(p->event[p->n].name, sizeof p->event[p->n].name, "%s", name);
	return &p->event[p->n++];
}

static int make_room(struct sd_script_event *e, unsigned node)
{
	size_t room = e->room ? e->room : 256;
	unsigned *grown;

	while (room <= node)
		room *= 2;
	if (e->use_of && room == e->room)
		return 0;
	grown = reallocarray(e->use_of, room, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	memset(grown + e->room, 0, (room - e->room) * sizeof *grown);
	e->use_of = grown;
	e->room = room;
	return 0;
}

/* The row of this stack; beyond the most there are, that of no stack. */
static int use_of(struct sd_script_event *e, const struct sd_wait_rules *rules,
	const struct sd_stacks *stacks, unsigned node, struct sd_use **out)
{
	struct sd_sampled *const s = &e->run.sampled;
	int rc;

	if (s->n_use + 1 >= SD_SAMPLED_ROWS)
		node = e->use_of && node < e->room && e->use_of[node] ? node : 0;
	rc = make_room(e, node);
	if (rc)
		return rc;
	if (!e->use_of[node]) {
		struct sd_use *const grown = sd_one_more(s->use, s->n_use, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		s->use = grown;
		grown[s->n_use] = (struct sd_use){.node = node,
			.activity = node ? sd_wait_match_activity(rules, stacks, node, 0)
					 : SD_ACTIVITY_USEFUL};
		e->use_of[node] = (unsigned)++s->n_use;
	}
	*out = &s->use[e->use_of[node] - 1];
	return 0;
}

static int add_thread(struct sd_run *run, const struct sd_script_sample *s, double v)
{
	struct sd_thread *grown;

	for (size_t i = 0; i < run->n_thread; i++)
		if (run->thread[i].tid == s->tid) {
			run->thread[i].cpu.value += v;
			return 0;
		}
	if (run->n_thread == SD_RUN_THREADS) {
		run->n_thread_seen = run->n_thread + 1;
		return 0;
	}
	grown = sd_one_more(run->thread, run->n_thread, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	run->thread = grown;
	grown[run->n_thread] = (struct sd_thread){.pid = 1, .tid = s->tid, .cpu = SD_OK(v)};
	snprintf(grown[run->n_thread].name, sizeof grown->name, "%s", s->comm);
	run->n_thread_seen = ++run->n_thread;
	return 0;
}

int sd_script_profile_add(struct sd_script_profile *p, struct sd_stacks *stacks,
	const struct sd_script_sample *s, const struct sd_script_frame *frame, size_t n)
{
	struct sd_script_event *const e = event_of(p, s->event);
	struct sd_use *use = NULL;
	unsigned node;
	int rc;

	if (!e) {
		p->others++;
		return 0;
	}
	rc = make_stack(stacks, frame, n, &node);
	rc = rc ? rc : use_of(e, &p->rules, stacks, node, &use);
	rc = rc ? rc : add_thread(&e->run, s, s->period);
	if (rc)
		return rc;
	use->seconds += s->period;
	use->count++;
	e->first = e->samples > 0 ? fmin(e->first, s->time) : s->time;
	e->last = fmax(e->last, s->time);
	e->longest = fmax(e->longest, s->period);
	e->periods &= s->period > 0;
	e->samples++;
	e->sum += s->period;
	e->kernel += n && is_kernel(frame[0].module) ? s->period : 0;
	e->deep += n > 1;
	return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Usable events, by what is before the modifiers: the first that is there is used. */
static const struct {
	const char *name;
	double unit; /* s; 0: cycles */
} usable[] = {{"task-clock", 1e-9}, {"cpu-clock", 1e-9}, {"cycles", 0}, {"cpu-cycles", 0},
	{"cpu_core/cycles/", 0}};

static int is_event(const char *name, const char *bare)
{
	const size_t n = strlen(bare);

	return strncmp(name, bare, n) == 0 &&
	       (name[n] == '\0' || name[n] == ':' || (n && bare[n - 1] == '/'));
}

static struct sd_script_event *chosen(struct sd_script_profile *p, double *unit)
{
	for (size_t k = 0; k < sizeof usable / sizeof *usable; k++)
		for (size_t i = 0; i < p->n; i++)
			if (is_event(p->event[i].name, usable[k].name)) {
				*unit = usable[k].unit;
				return &p->event[i];
			}
	return NULL;
}

static int is_of_user(const char *event)
{
	const char *const colon = strrchr(event, ':');

	return colon && strchr(colon, 'u') && !strchr(colon, 'k');
}

static int say_others(const struct sd_script_profile *p, const struct sd_script_event *used,
	struct sd_texts *unknown)
{
	char text[200];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		if (&p->event[i] == used)
			continue;
		snprintf(text, sizeof text, "%.0f samples of %s", p->event[i].samples,
			p->event[i].name);
		rc = sd_texts_add_once(unknown, text);
	}
	if (rc == 0 && p->others > 0) {
		snprintf(text, sizeof text, "%.0f samples of more events", p->others);
		rc = sd_texts_add_once(unknown, text);
	}
	return rc;
}

/* Thread-seconds of its samples. */
static void make_times(struct sd_run *run, const struct sd_script_event *e, double unit)
{
	struct sd_value *const m = run->metric;

	for (size_t i = 0; i < run->sampled.n_use; i++)
		run->sampled.use[i].seconds *= unit;
	for (size_t i = 0; i < run->n_thread; i++)
		run->thread[i].cpu.value *= unit;
	m[SD_METRIC_TASK_CLOCK] = SD_OK(e->sum * unit);
	run->sampled.hz = e->samples / (e->sum * unit);
	if (is_of_user(e->name))
		return;
	m[SD_METRIC_USER] = SD_OK((e->sum - e->kernel) * unit);
	m[SD_METRIC_SYSTEM] = SD_OK(e->kernel * unit);
}

int sd_script_profile_run(struct sd_script_profile *p, const struct sd_import_text *t,
	unsigned cores, struct sd_run *out, struct sd_texts *unknown)
{
	double unit = 0;
	struct sd_script_event *const e = chosen(p, &unit);
	int rc;

	if (!e)
		return sd_import_bad(t, 1,
			p->n ? "has no samples of task-clock, cpu-clock or cycles (perf record -e "
			       "task-clock)"
			     : "has no sample: give what `perf script` prints");
	if (!e->periods)
		return sd_import_bad(
			t, 1, "%s: a sample has no period: perf script -F +period", e->name);
	*out = e->run;
	e->run = (struct sd_run){0};
	out->metric[SD_METRIC_WALL] =
		SD_OK(e->last - e->first + (unit > 0 ? e->longest * unit : 0));
	if (!(out->metric[SD_METRIC_WALL].value >= 1e-3))
		return sd_import_bad(t, 1, "%s: all samples are of one moment", e->name);
	out->sampled.status = SD_STATUS_OK;
	out->sampled.switch_stacks = SD_STATUS_ABSENT;
	out->sampled.kernel = is_of_user(e->name) ? SD_STATUS_ABSENT : SD_STATUS_OK;
	out->sampled.samples = e->samples;
	out->sampled.unwound = e->deep / e->samples;
	if (unit > 0)
		make_times(out, e, unit);
	rc = unit > 0 ? 0
		      : sd_import_role(out, SD_ROLE_CYCLES, e->sum, 1, is_of_user(e->name),
				SD_QUALITY_PROXY, "perf-script");
	(void)cores;
	return rc ? rc : say_others(p, e, unknown);
}

static int by_time(const void *a, const void *b)
{
	const struct sd_use *x = a, *y = b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

int sd_script_profile_scale(struct sd_import *im, const struct sd_sink *sink)
{
	for (size_t k = 0; k < im->record.n_run; k++) {
		struct sd_run *const run = &im->record.run[k];
		struct sd_sampled *const s = &run->sampled;
		const struct sd_value cpu = run->metric[SD_METRIC_TASK_CLOCK];
		double sum = 0, scale;

		if (s->status != SD_STATUS_OK)
			continue;
		for (size_t i = 0; i < s->n_use; i++)
			sum += s->use[i].seconds;
		if (!(s->hz > 0) && (!sd_has(cpu) || !(cpu.value > 0) || !(sum > 0))) {
			sd_say(sink, SD_LEVEL_ERROR,
				"samples of cycles beside runs with CPU times: sample task-clock "
				"in all of them (perf record -e task-clock)");
			return -EINVAL;
		}
		scale = s->hz > 0 ? 1 : cpu.value / sum;
		for (size_t i = 0; i < s->n_use; i++)
			s->use[i].seconds *= scale;
		for (size_t i = 0; i < run->n_thread && !(s->hz > 0); i++)
			run->thread[i].cpu.value *= scale;
		s->hz = s->hz > 0 ? s->hz : s->samples / cpu.value;
		qsort(s->use, s->n_use, sizeof *s->use, by_time);
	}
	return 0;
}

void sd_script_profile_close(struct sd_script_profile *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->event[i].use_of);
		sd_run_free(&p->event[i].run);
	}
	sd_wait_rules_free(&p->rules);
	*p = (struct sd_script_profile){.n = 0};
}
