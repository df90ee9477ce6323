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

/* Is what the lesson counts, else its cause, gone from theirs? 1, 0; -1: it is not known. */
static int is_gone(const struct sd_lesson *l, struct sd_value fixed,
	const struct sd_comparison *with, const struct sd_lesson_grade *g)
{
	const double times = l->faults ? l->fault_times : l->times;
	int gone = -1;

	/* counts of locks vary: it is whose of the lesson's own versions theirs is nearer to */
	if (sd_has(g->before) && sd_has(g->after) && sd_has(fixed) &&
		g->before.value > times * fixed.value)
		return g->after.value * g->after.value < g->before.value * fixed.value;
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

static enum sd_change change_of(const struct sd_comparison *c)
{
	return c->n_point ? c->point[c->n_point - 1].time : SD_CHANGE_UNKNOWN;
}

void sd_lesson_grade_make(const struct sd_lesson *l, const struct sd_lesson_measured own[2],
	const struct sd_lesson_measured *m, const struct sd_comparison *theirs,
	const struct sd_comparison *fixed, struct sd_lesson_grade *g)
{
	const double least = fmin(sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, own[0].simulated),
		sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, own[1].simulated));
	const char *const came = new_cause(theirs, fixed);
	const enum sd_change time = change_of(theirs);
	const int weak = l->count == SD_LESSON_MOVES && l->times < MUCH;
	int gone;

	g->before = counted(l, &own[0]);
	g->after = counted(l, m);
	if (theirs->n_point)
		g->gain = theirs->point[theirs->n_point - 1].gain;
	gone = is_gone(l, counted(l, &own[1]), theirs, g);
	g->grade = SD_GRADE_WRONG;
	if (sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, m->simulated) < LITTLE * least)
		snprintf(g->why, sizeof g->why,
			"it does less than half of the instructions of either version: part of the "
			"work is left out");
	else if (!sd_lesson_counts_same_output(own[0].record, m->record))
		snprintf(g->why, sizeof g->why, "it prints something else in measured runs");
	else if (gone == 0)
		snprintf(g->why, sizeof g->why, "the cause is still there");
	else if (time == SD_CHANGE_MORE && change_of(fixed) != SD_CHANGE_MORE)
		snprintf(g->why, sizeof g->why, "it is slower");
	else {
		g->grade = SD_GRADE_UNDECIDED;
		if (gone < 0)
			snprintf(g->why, sizeof g->why,
				"these runs do not tell whether the cause is gone");
		else if (came)
			snprintf(g->why, sizeof g->why, "another cause may have come: %s", came);
		else if (time != SD_CHANGE_LESS && (change_of(fixed) == SD_CHANGE_LESS || weak))
			snprintf(g->why, sizeof g->why,
				"the cause is gone, but that it is faster cannot be told");
		else {
			g->grade = SD_GRADE_RIGHT;
			snprintf(g->why, sizeof g->why, "the cause is gone, which %s",
				time == SD_CHANGE_LESS ? "makes it faster" : "brings no time here");
		}
	}
}
