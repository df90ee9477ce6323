#include "check/lesson_grade.h"

#include <math.h>
#include <stdio.h>

#include "learn/lesson_counts.h"
#include "learn/lesson_view.h"
#include "record/cause.h"

#define MUCH 10   /* moves: fewer come with who takes a lock when, and differ from run to run */
#define LITTLE .5 /* of the instructions of both versions: part of the work is left out */

const char *const sd_grade_name[] = {"right", "wrong", "undecided"};

static struct sd_value counted(const struct sd_lesson *l, const struct sd_lesson_measured *m)
{
	const double n = l->faults   ? sd_lesson_counts_faults_of(m->record)
			 : l->counts ? sd_lesson_counts_of(l->count, m->simulated)
				     : NAN;

	return isnan(n) ? SD_NOT(ABSENT) : SD_OK(n);
}

/* Causes whose waits are a component of the stack, and nobody else's. */
static const struct {
	enum sd_cause cause;
	enum sd_component component;
} waits[] = {
	{SD_CAUSE_DISK, SD_COMPONENT_DISK},
	{SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK},
	{SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE},
};

/* A component at the largest count, bounded on both sides; NULL: it is not there. */
static const struct sd_compared_part *part_of(
	const struct sd_comparison *c, enum sd_component component)
{
	const struct sd_compared_point *const p = c->n_point ? &c->point[c->n_point - 1] : NULL;

	for (size_t i = 0; p && i < p->n_part; i++)
		if (p->part[i].component == component && sd_status_bounded(p->part[i].before) &&
			sd_status_bounded(p->part[i].after))
			return &p->part[i];
	return NULL;
}

/* Are the core-seconds that broken.c waits gone from theirs? They are if theirs has surely less
 * than broken.c and is nearer to fixed.c, and they are not if it is the other way round; -1: it
 * cannot be told, or not even the lesson's own versions can be told apart. */
static int are_waits_gone(const struct sd_lesson *l, const struct sd_comparison *theirs,
	const struct sd_comparison *fixed)
{
	int gone = -1;

	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		const struct sd_compared_part *const t = part_of(theirs, waits[i].component);
		const struct sd_compared_part *const f = part_of(fixed, waits[i].component);

		if (!sd_lesson_expects(l, waits[i].cause) || !t || !f ||
			!(t->before.low > f->after.high))
			continue;
		if (2 * t->after.value > t->before.value + f->after.value) {
			if (t->after.low > f->after.high)
				return 0;
		} else if (t->after.high < t->before.low) {
			gone = 1;
		}
	}
	return gone;
}

/* Is what the lesson counts, else what its cause waits, else the cause gone from theirs? 1, 0; -1:
 * it is not known. */
static int is_gone(const struct sd_lesson *l, struct sd_value counts,
	const struct sd_comparison *with, const struct sd_comparison *fixed,
	const struct sd_lesson_grade *g)
{
	const double times = l->faults ? l->fault_times : l->times;
	int gone = are_waits_gone(l, with, fixed);

	/* counts of locks vary: it is whose of the lesson's own versions theirs is nearer to */
	if (sd_has(g->before) && sd_has(g->after) && sd_has(counts) &&
		g->before.value > times * counts.value)
		return g->after.value * g->after.value < g->before.value * counts.value;
	if (gone >= 0)
		return gone;
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const enum sd_fate fate = with->cause[i].fate;

		if (!sd_lesson_expects(l, with->cause[i].cause))
			continue;
		if (fate == SD_FATE_STAYED)
			return 0;
		if (fate == SD_FATE_WENT || fate == SD_FATE_SHRANK)
			gone = 1;
	}
	return gone;
}

/* A cause that came with theirs, and not with the lesson's own fix; its label, or NULL. */
static const char *new_cause(const struct sd_comparison *theirs, const struct sd_comparison *fixed)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (theirs->cause[i].fate == SD_FATE_CAME &&
			theirs->cause[i].after <= SD_VERDICT_LIKELY &&
			fixed->cause[i].fate != SD_FATE_CAME &&
			theirs->cause[i].cause != SD_CAUSE_NOISE)
			return sd_cause_info[theirs->cause[i].cause].label;
	return NULL;
}

/* Did others take CPUs while one of the two was measured? */
static int is_noisy(const struct sd_comparison *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (c->cause[i].cause == SD_CAUSE_NOISE &&
			(c->cause[i].before <= SD_VERDICT_POSSIBLE ||
				c->cause[i].after <= SD_VERDICT_POSSIBLE))
			return 1;
	return 0;
}

static enum sd_change change_of(const struct sd_comparison *c)
{
	return c->n_point ? c->point[c->n_point - 1].time : SD_CHANGE_UNKNOWN;
}

/* All that a grade rests on. */
struct facts {
	double instructions; /* of theirs, for each of the version of the lesson with fewer */
	int same_output, gone, noisy;
	int modelled; /* the model tells the time, too, without a clock */
	int few;      /* moves of lines: too few to tell that it is faster */
	int slower;
	enum sd_change time, own; /* of theirs, of fixed.c */
	const char *came;
};

/* Why the version is wrong; NULL: it is not. */
static const char *find_wrong(const struct facts *f)
{
	if (f->instructions < LITTLE)
		return "it does less than half of the instructions of either version: part of the "
		       "work is left out";
	if (!f->same_output)
		return "it prints something else in measured runs";
	if (f->gone == 0)
		return "the cause is still there";
	return f->slower && !f->noisy ? "it is slower" : NULL;
}

/* Why it is not surely right; NULL: it is. */
static const char *find_doubt(const struct facts *f)
{
	if (f->gone < 0)
		return "these runs do not tell whether the cause is gone";
	if (f->slower)
		return "the cause is gone, but it is slower, or the busy machine was";
	if (f->came)
		return "another cause may have come: ";
	if (f->time != SD_CHANGE_LESS && !f->modelled && (f->own == SD_CHANGE_LESS || f->few))
		return "the cause is gone, but that it is faster cannot be told";
	return NULL;
}

static void conclude(const struct facts *f, struct sd_lesson_grade *g)
{
	const char *const wrong = find_wrong(f), *const doubt = wrong ? NULL : find_doubt(f);

	g->grade = wrong ? SD_GRADE_WRONG : doubt ? SD_GRADE_UNDECIDED : SD_GRADE_RIGHT;
	if (wrong || doubt)
		snprintf(g->why, sizeof g->why, "%s%s", wrong ? wrong : doubt,
			doubt && f->gone > 0 && !f->slower && f->came ? f->came : "");
	else
		snprintf(g->why, sizeof g->why, "the cause is gone, which %s",
			f->time == SD_CHANGE_LESS ? "makes it faster"
			: f->modelled             ? "makes it faster by the model"
						  : "brings no time here");
}

void sd_lesson_grade_make(const struct sd_lesson *l, const struct sd_lesson_measured own[2],
	const struct sd_lesson_measured *m, const struct sd_comparison *theirs,
	const struct sd_comparison *fixed, struct sd_lesson_grade *g)
{
	struct facts f = {
		.instructions =
			sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, m->simulated) /
			fmin(sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, own[0].simulated),
				sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, own[1].simulated)),
		.same_output = sd_lesson_counts_same_output(own[0].record, m->record),
		.noisy = is_noisy(theirs),
		.modelled = l->counts && l->count == SD_LESSON_CYCLES &&
			    !isnan(sd_lesson_counts_of(l->count, m->simulated)),
		.few = l->count == SD_LESSON_MOVES && l->times < MUCH,
		.time = change_of(theirs),
		.own = change_of(fixed),
		.came = new_cause(theirs, fixed)};

	f.slower = f.time == SD_CHANGE_MORE && f.own != SD_CHANGE_MORE && !f.modelled;
	g->before = counted(l, &own[0]);
	g->after = counted(l, m);
	if (theirs->n_point)
		g->gain = theirs->point[theirs->n_point - 1].gain;
	f.gone = is_gone(l, counted(l, &own[1]), theirs, fixed, g);
	conclude(&f, g);
}
