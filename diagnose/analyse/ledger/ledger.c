#include "ledger/ledger.h"

#include <assert.h>
#include <math.h>

#include "ledger/stack_room.h"

/* The parts of the stack that causes draw on: its components, and behind them what each disturbance
 * can have taken away from these. */
#define REMOVED(i) (SD_COMPONENT_COUNT + (i))
static_assert(
	SD_COMPONENT_COUNT + SD_DISTURBANCE_COUNT <= SD_STACK_ROOM_NODES, "parts of the stack");
static_assert(SD_CAUSE_COUNT <= SD_STACK_ROOM_USERS, "causes");
static_assert(SD_CAUSE_COUNT <= 8 * sizeof(unsigned long), "a bit each");

/* Does it see all that the cause's mechanism has? Silence of one that does not is no zero. */
static int sees_all(const struct sd_ledger_row *row, const struct sd_sees *s)
{
	return (s->mechanism & row->mechanism) == row->mechanism && s->run >= 1 && s->threads >= 1;
}

/* Each amount of cores is a time by the time of a run, and one run says nothing of how much that
 * differs. Only a fact of the machine, that there is none of it, holds without. */
static unsigned disturbed_by(const struct sd_statement *s)
{
	const int fact = s->at_least.status != SD_STATUS_OK && s->at_most.high <= 0;

	return s->disturbed_by | (fact ? 0 : SD_DISTURBANCE_BIT(FEW_RUNS));
}

/* The bounds of one statement, disturbances and what it does not see taken into account. */
static struct sd_disturbance_bounds bounds_of(
	const struct sd_ledger_case *c, const struct sd_statement *s)
{
	const int whole = sees_all(&c->row[s->cause], &s->sees);

	return sd_disturbance_widen(s->at_least, whole ? s->at_most : SD_STATEMENT_OPEN,
		disturbed_by(s), c->disturbance, c->n);
}

/* Sets the best estimate to the statement's that sets the lower bound, else to the largest seen. */
static void estimate(const struct sd_statement *s, double lower, struct sd_bounds *k)
{
	const double value = s->at_least.status == SD_STATUS_OK ? s->at_least.value : 0;

	if (lower > k->lower)
		k->value = value;
	else if (lower >= k->lower)
		k->value = fmax(k->value, value);
}

/* The largest of what is at least, the smallest of what is at most. */
static void combine(const struct sd_ledger_case *c, struct sd_ledger *out)
{
	for (size_t i = 0; i < c->n_statement; i++) {
		const struct sd_statement *const s = &c->statement[i];
		const struct sd_disturbance_bounds b = bounds_of(c, s);
		struct sd_bounds *const k = &out->cause[s->cause];

		const int speaks = s->at_least.status == SD_STATUS_OK &&
				   s->at_least.value >= SD_LEDGER_GATE * c->n;

		k->spoken |= speaks;
		k->sized |= speaks && !s->unsized;
		k->intervened |=
			s->kind == SD_STATEMENT_INTERVENTION && b.lower >= SD_LEDGER_GATE * c->n;
		estimate(s, b.lower, k);
		if (b.lower > k->lower) {
			k->lower = b.lower;
			k->least = s;
		}
		if (b.upper < k->upper) {
			k->upper = b.upper;
			k->most = s;
		}
	}
}

/* Two sources that contradict each other: both are kept, and what is sure is what both allow. */
static void keep_both(struct sd_bounds *b)
{
	const double lower = fmin(b->lower, b->upper), upper = fmax(b->lower, b->upper);

	b->disagree |= b->lower > b->upper;
	b->lower = lower;
	b->upper = upper;
}

/* The stack as far as it can be: each component by itself, and what disturbances can have taken
 * away from several of them once. */
static void fill_capacity(const struct sd_ledger_case *c, double *capacity)
{
	struct sd_disturbance still[SD_DISTURBANCE_COUNT];
	double times = 1;
	int present = 0;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
		still[i] = c->disturbance[i];
		still[i].removed = 0;
		times *= still[i].times;
	}
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		present |= c->component[k].status != SD_STATUS_ABSENT;
		capacity[k] = c->component[k].status == SD_STATUS_ABSENT
				      ? 0
				      : sd_disturbance_widen(SD_STATEMENT_OPEN, c->component[k],
						sd_disturbance_of[k], still, c->n)
						.upper;
	}
	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++)
		capacity[REMOVED(i)] = fmin(c->n, c->disturbance[i].removed * times);
	/* stands behind the waits that may hold it, and is not there twice */
	if (c->disturbance[SD_DISTURBANCE_NOT_ACCOUNTED].status == SD_STATUS_OK)
		capacity[SD_COMPONENT_UNACCOUNTED] = 0;
	if (!present) /* there is no stack, and nothing to be bound to */
		capacity[SD_COMPONENT_UNACCOUNTED] = c->n;
}

/* Parts that may hold a cause's cores: its components as far as they were told apart, and what
 * disturbances took from any of them; all parts when no component was. Absent is not zero: a wait
 * that nobody told apart may be among what is not accounted for. */
static uint64_t parts_of(const struct sd_ledger_case *c, unsigned long components)
{
	uint64_t set = 0;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (components >> k & 1 && c->component[k].status != SD_STATUS_ABSENT)
			set |= 1ull << k;
	if (!set)
		return ~0ull;
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		for (int i = 0; components >> k & 1 && i < SD_DISTURBANCE_COUNT; i++)
			if (sd_disturbance_of[k] >> i & 1)
				set |= 1ull << REMOVED(i);
	return set;
}

/* No cause has more than the stack leaves when the others have what is surely theirs. What is sure
 * does not depend on this, so that one pass is all. */
static void bind_to_stack(const struct sd_ledger_case *c, struct sd_ledger *out)
{
	struct sd_stack_room room = {.sure = {0}};

	fill_capacity(c, room.capacity);
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		room.may[k] = parts_of(c, c->row[k].components);
		room.sure[k] = out->cause[k].lower;
	}
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		struct sd_bounds *const b = &out->cause[k];
		const double left = fmax(0, sd_stack_room_for(&room, (unsigned)k, c->n));

		if (left < b->upper) {
			b->upper = left;
			b->most = NULL;
		}
	}
}

/* Cores of the loss in which threads surely waited for CPUs that others had: not the program's. */
static double of_others(const struct sd_ledger_case *c, const struct sd_ledger_loss *l)
{
	const struct sd_disturbance *const d = &c->disturbance[SD_DISTURBANCE_OTHERS_CPU];

	return l->disturbed_by & SD_DISTURBANCE_BIT(OTHERS_CPU) && d->status == SD_STATUS_OK
		       ? d->added
		       : 0;
}

/*
 * The loss at most, had nobody kept threads apart: for up to a share x of the time the others had
 * ran without one of them, and did their work no faster than n - 1 cores do. What the rest of the
 * time lost is then (loss - x) / (1 - x), and not loss / (1 - x).
 */
static double without_others_apart(const struct sd_ledger_case *c, const struct sd_ledger_loss *l)
{
	const unsigned apart = SD_DISTURBANCE_BIT(OTHERS_APART);
	const struct sd_disturbance *const d = &c->disturbance[SD_DISTURBANCE_OTHERS_APART];
	const double seen = sd_disturbance_widen(
		l->cores, l->cores, l->disturbed_by & ~apart, c->disturbance, c->n)
				    .upper;

	if (!(l->disturbed_by & apart) || d->status != SD_STATUS_OK || seen <= 1)
		return seen;
	return fmin(c->n, 1 + (seen - 1) * d->times);
}

/* Each estimate narrows the bounds; the best is the one that says how much is lost at most. */
static void bound_loss(const struct sd_ledger_case *c, struct sd_ledger *out)
{
	int known = 0; /* an upper bound of all cores is an estimate, too */

	out->loss_upper = out->loss_most = out->loss = c->n;
	for (size_t i = 0; i < SD_LEDGER_LOSSES; i++) {
		const struct sd_ledger_loss *const l = &c->loss[i];
		const struct sd_disturbance_bounds b = sd_disturbance_widen(
			l->cores, l->cores, l->disturbed_by, c->disturbance, c->n);

		if (l->cores.status != SD_STATUS_OK)
			continue;
		out->loss_most = fmin(out->loss_most, without_others_apart(c, l));
		out->loss_lower = fmax(out->loss_lower, b.lower);
		if (b.upper < out->loss_upper || !known++) {
			out->loss_upper = b.upper;
			out->loss = l->cores.value - of_others(c, l);
		}
	}
	if (out->loss_lower > out->loss_upper) { /* they contradict each other */
		const double lower = out->loss_upper;

		out->loss_upper = out->loss_lower;
		out->loss_lower = lower;
	}
	out->loss = fmin(fmax(out->loss, out->loss_lower), out->loss_upper);
	out->loss_most = fmax(out->loss, fmin(out->loss_most, out->loss_upper));
}

void sd_ledger_make(const struct sd_ledger_case *c, struct sd_ledger *out)
{
	*out = (struct sd_ledger){.n = c->n};
	bound_loss(c, out);
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		out->cause[k] =
			(struct sd_bounds){.upper = c->n, .components = c->row[k].components};
	combine(c, out);
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		keep_both(&out->cause[k]);
	bind_to_stack(c, out);
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		struct sd_bounds *const b = &out->cause[k];

		keep_both(b);
		out->of_others |= (unsigned long)(c->row[k].of_others != 0) << k;
		b->value = fmin(fmax(b->value, b->lower), b->upper);
	}
}
