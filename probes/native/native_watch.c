#include "native/native_watch.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/line_turns.h"
#include "native/read_lines.h"
#include "native/touch_totals.h"
#include "native/watched_samples.h"
#include "resolve/stack_activity.h"

#define UNNAMED .1 /* of the samples, from which on it is said */

/* Sets line_bytes, status and why of *out. */
static void watch_status_say(const struct sd_native_watch *w, struct sd_native_lines *out)
{
	out->line_bytes = SD_TOUCH_LINE;
	out->status = SD_STATUS_OK;
	if (sd_insn_decode_here() == SD_INSN_DECODE_OTHER) {
		out->status = SD_STATUS_UNSUPPORTED;
		snprintf(out->why, sizeof out->why,
			"the instructions of this machine are not decoded");
	} else if (w->bare && !w->touches.n_sample) {
		out->status = SD_STATUS_DENIED;
		snprintf(out->why, sizeof out->why,
			"the kernel gave no user registers with its samples");
	} else if (w->narrow) {
		out->status = w->narrow < w->touches.seen ? SD_STATUS_OK : SD_STATUS_UNSUPPORTED;
		snprintf(out->why, sizeof out->why,
			"%.0f %% of the samples are of 32-bit code, which is not decoded",
			100 * (double)w->narrow / (double)w->touches.seen);
	} else if ((double)w->unnamed > UNNAMED * (double)w->touches.seen) {
		snprintf(out->why, sizeof out->why,
			"%.0f %% of the samples are of JIT code that no perf map names, so that little of "
			"it is sure (java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)",
			100 * (double)w->unnamed / (double)w->touches.seen);
	} else if (w->unread >= w->touches.seen / 1000 + 1) {
		snprintf(out->why, sizeof out->why,
			"%.1f %% of the samples are of code that cannot be read: its file was "
			"replaced or is gone, or it was in no file",
			100 * (double)w->unread / (double)w->touches.seen);
	}
}

/* Samples of one thread are this many periods apart at least where turns are to be seen. */
#define PERIODS 4

/* Bytes between stack pointers of two samples that may be of one stack. Guard pages are 4 KiB at
 * least, and no frame that is seldom sampled is often larger than this. */
#define APART 65536u

/* ---- processes ------------------------------------------------------------------------------- */

/* The low half counts executions, the high one mappings of code since. */
static uint64_t state_of(const struct sd_native_watch *w, int pid)
{
	const uint64_t *const slot =
		sd_key_table_find(&w->processes, (uint64_t)(unsigned)pid + 1, 0);

	return slot ? *slot : 0;
}

/* The memory of a process, from one execution to the next. */
static uint64_t space_of(const struct sd_native_watch *w, int pid)
{
	return ((uint64_t)(unsigned)pid << 16 | (state_of(w, pid) & 0xffff)) + 1;
}

static int note_mapping(struct sd_native_watch *w, const struct sd_event *e)
{
	uint64_t *const slot = sd_key_table_add(&w->processes, (uint64_t)(unsigned)e->pid + 1, 0);

	if (!slot)
		return -ENOMEM;
	*slot += e->kind == SD_EVENT_EXEC ? 1 : UINT64_C(1) << 32;
	return 0;
}

/* Notes a stack pointer. One that is far from those before is of another stack: memory between
 * them is of neither. */
static void note_pointer(struct sd_native_stack *s, uint64_t sp)
{
	unsigned i = 0;

	while (i < s->n && (sp + APART < s->part[i].low || sp > s->part[i].high + APART))
		i++;
	if (i == SD_NATIVE_STACKS)
		return;
	if (i == s->n) {
		s->n++;
		s->part[i].low = s->part[i].high = sp;
	}
	if (sp < s->part[i].low)
		s->part[i].low = sp;
	if (sp > s->part[i].high)
		s->part[i].high = sp;
}

static int note_stack(
	struct sd_native_watch *w, const struct sd_timeline *t, unsigned thread, uint64_t sp)
{
	if (thread >= w->n_stack) {
		const size_t room = t->room_thread > thread ? t->room_thread : thread + 1;
		struct sd_native_stack *const grown = reallocarray(w->stack, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		memset(grown + w->n_stack, 0, (room - w->n_stack) * sizeof *grown);
		w->stack = grown;
		w->n_stack = room;
	}
	note_pointer(&w->stack[thread], sp);
	return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Operands that it surely touches, or its loop does, at addresses that are not known. */
static uint64_t unknown_of(
	const struct sd_operand_plan *p, const struct sd_operand_access *a, unsigned n)
{
	uint64_t unknown = 0;

	static_assert(SD_OPERANDS < 64, "a bit each");
	for (unsigned i = 0; i < p->n; i++)
		if (!p->operand[i].thread_local_ && (p->operand[i].sure || p->operand[i].in_loop))
			unknown |= UINT64_C(1) << i;
	for (unsigned i = 0; i < n; i++)
		unknown &= ~(UINT64_C(1) << (a[i].operand - p->operand));
	return p->unseen ? SD_TOUCH_UNSEEN : unknown;
}

/* Distinct bytes that a pass of the loop touches, all addresses known. */
static double bytes_of_pass(const struct sd_operand_access *a, unsigned n)
{
	double bytes = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		while (k < i && (a[k].address != a[i].address || !a[k].operand->in_loop))
			k++;
		bytes += k == i && a[i].operand->in_loop ? a[i].operand->size : 0;
	}
	return bytes;
}

static int add_accesses(struct sd_native_watch *w, uint64_t space, const struct sd_operand_plan *p,
	const struct sd_operand_access *a, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		const struct sd_operand *const o = a[i].operand;
		const struct sd_touch like = {.operand = (uint8_t)(o - p->operand),
			.sure = a[i].sure,
			.locked = o->locked,
			.split = o->locked && a[i].crosses_line};

		if (!o->thread_local_ && (o->reads || o->writes))
			rc = sd_sample_touches_add(&w->touches, space, a[i].address, o->size,
				o->reads, o->writes, &like);
	}
	return rc;
}

static int takes_lock(const struct sd_native_watch *w, const struct sd_moment *m)
{
	const enum sd_activity blocked = sd_stack_activity(w->placing, m->node, 1);

	return m->activity == SD_ACTIVITY_SPIN_LOCK ||
	       sd_activity_info[blocked].wait == SD_WAIT_LOCK;
}

/* Its instructions are others than those that are decoded. */
static int is_32bit(const struct sd_event *e)
{
	return !(e->regs.mask & ~SD_TRACE_REGS_32);
}

static int add_sample(struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_event *e, const struct sd_moment *m)
{
	struct sd_operand_access a[SD_OPERANDS];
	const uint64_t space = space_of(w, e->pid);
	struct sd_touch_sample s = {.time = m->time,
		.seconds = (float)((double)m->weight / 1e9),
		.thread = m->thread,
		.spins = sd_activity_info[m->activity].group == SD_GROUP_SPINNING,
		.takes = takes_lock(w, m) != 0,
		.unknown = SD_TOUCH_UNSEEN};
	const struct sd_code_plan *code;
	unsigned n = 0;
	long plan;
	int rc = note_stack(w, t, m->thread, m->sp);

	if (rc)
		return rc;
	plan = sd_code_plans_at(
		&w->plans, e->pid, space, (unsigned)(state_of(w, e->pid) >> 32), m->ip);
	if (plan < 0)
		return (int)plan;
	code = &w->plans.code[plan];
	w->narrow += is_32bit(e) != 0;
	w->unread += !code->plan && !is_32bit(e);
	w->unnamed += code->unnamed != 0;
	s.plan = (uint32_t)plan;
	s.loop = code->loop;
	if (code->plan && !is_32bit(e)) {
		n = sd_operand_plan_evaluate(
			code->plan, &e->regs, e->stack_at, e->stack, e->stack_size, a);
		s.unknown = unknown_of(code->plan, a, n);
		if (code->plan->loop && !s.unknown && w->plans.loop[code->loop].bytes == 0)
			w->plans.loop[code->loop].bytes = bytes_of_pass(a, n);
	}
	rc = sd_sample_touches_begin(&w->touches, &s);
	return rc <= 0 ? rc : add_accesses(w, space, code->plan, a, n);
}

/* The moment that the timeline made of the sample. */
static const struct sd_moment *moment_of(const struct sd_timeline *t, const struct sd_event *e)
{
	for (size_t i = t->n; i-- > 0 && t->n - i <= 2;)
		if (t->moment[i].kind == SD_MOMENT_SAMPLE && t->moment[i].time == e->time)
			return &t->moment[i];
	return NULL;
}

int sd_native_watch_event(
	struct sd_native_watch *w, const struct sd_timeline *t, const struct sd_event *e)
{
	const struct sd_moment *m;

	if (e->kind == SD_EVENT_EXEC || e->kind == SD_EVENT_MAP)
		return note_mapping(w, e);
	if (e->kind == SD_EVENT_DATA)
		return sd_data_maps_add(&w->data, e);
	if (e->kind != SD_EVENT_SAMPLE || e->kernel)
		return 0;
	m = moment_of(t, e);
	if (!m)
		return 0;
	w->bare += !e->regs.mask;
	return !e->regs.mask || w->plans.machine == SD_INSN_DECODE_OTHER ? 0
									 : add_sample(w, t, e, m);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int is_judged(const struct sd_timeline *t, uint64_t time)
{
	if (!t->n_part)
		return time >= t->start && time <= t->end;
	/* the end is that of their sum */
	for (size_t i = 0; i < t->n_part; i++)
		if (time >= t->part[i].from && time <= t->part[i].to)
			return 1;
	return 0;
}

/* Those outside of what is judged stand for no time; the window, ns. */
static uint64_t bound_samples(struct sd_native_watch *w, const struct sd_timeline *t)
{
	double seconds = 0, most = SD_NATIVE_WINDOW_S;
	size_t n = 0;

	for (size_t i = 0; i < w->touches.n_sample; i++) {
		seconds += (double)w->touches.sample[i].seconds;
		n += w->touches.sample[i].seconds > 0;
		if (!is_judged(t, w->touches.sample[i].time))
			w->touches.sample[i].seconds = 0;
	}
	if (n)
		most = fmax(most, PERIODS * seconds / (double)n);
	return (uint64_t)(most * 1e9);
}

/* Memory that several processes map: its lines are the file's. */
static int place_shared(struct sd_native_watch *w, const struct sd_timeline *t)
{
	struct sd_sample_touches *const s = &w->touches;
	const int rc = sd_shared_lines_make(&w->shared, &w->data);

	for (size_t i = 0; w->shared.n && i < s->n; i++)
		sd_shared_lines_place(&w->shared,
			t->thread[s->sample[s->touch[i].sample].thread].pid, &s->touch[i].space,
			&s->touch[i].line);
	return rc;
}

/* Words of futexes that threads waited at, and what stands beside them in a mutex. */
static int add_futexes(
	const struct sd_native_watch *w, const struct sd_timeline *t, struct sd_key_table *words)
{
	int rc = 0;

	for (size_t i = 0; i < t->n_place && !rc; i++) {
		const struct sd_timeline_place *const p = &t->place[i];
		uint64_t space = space_of(w, p->pid), address = p->address;

		if (!p->address || sd_activity_info[p->kind].wait != SD_WAIT_LOCK)
			continue;
		sd_shared_lines_place(&w->shared, p->pid, &space, &address);
		rc = sd_sample_touches_word(words, space, address);
		if (!rc)
			rc = sd_sample_touches_word(words, space, address + 8);
	}
	return rc;
}

int sd_native_watch_end(
	struct sd_native_watch *w, const struct sd_timeline *t, struct sd_native_lines **out)
{
	struct sd_native_lines *const lines = calloc(1, sizeof *lines);
	struct sd_key_table words = {0};
	long n = 0;
	int rc = lines ? 0 : -ENOMEM;

	*out = NULL;
	rc = rc ? rc : place_shared(w, t);
	if (!rc)
		n = sd_line_turns_find(&w->touches, bound_samples(w, t));
	rc = !rc && n < 0 ? (int)n : rc;
	rc = rc ? rc : add_futexes(w, t, &words);
	rc = rc ? rc : sd_sample_touches_taken(&w->touches, (size_t)n, &words);
	if (!rc) {
		sd_sample_touches_mark(&w->touches, &words);
		sd_read_lines_clear(&w->touches, (size_t)n, t, &w->data);
		watch_status_say(w, lines);
		rc = sd_touch_totals_fill(w, t, (size_t)n, lines);
	}
	sd_key_table_free(&words);
	if (rc)
		sd_native_lines_free(lines);
	else
		*out = lines;
	return rc;
}

int sd_native_watch_decodes(void)
{
	return sd_insn_decode_here() != SD_INSN_DECODE_OTHER;
}

int sd_native_watch_open(struct sd_native_watch **out, struct sd_stack_resolve *placing,
	const struct sd_native_beside *beside)
{
	struct sd_native_watch *const w = calloc(1, sizeof *w);

	*out = w;
	if (!w)
		return -ENOMEM;
	w->placing = placing;
	w->proof = beside->proof;
	w->blocks = beside->blocks;
	w->frames = beside->frames;
	w->plans.copies = beside->copies;
	w->plans.symbols = placing->symbols;
	w->plans.stacks = placing->stacks;
	w->plans.machine = sd_insn_decode_here();
	return 0;
}

void sd_native_watch_close(struct sd_native_watch *w)
{
	if (!w)
		return;
	sd_code_plans_free(&w->plans);
	sd_sample_touches_free(&w->touches);
	sd_shared_lines_free(&w->shared);
	sd_data_maps_free(&w->data);
	sd_key_table_free(&w->processes);
	free(w->stack);
	free(w);
}
