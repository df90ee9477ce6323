/*
 * Reads a report's answer for a program whose cause is known, and rates it.
 */
#ifndef SD_TRUTH_ANSWER_H
#define SD_TRUTH_ANSWER_H

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "accuracy/truth_table.h"

/*
 * Ratings of an answer. Undecided and busy ones are answers, but not right. Not shown: nothing was
 * named, and the broken program loses nothing on this machine by the times, or not in the way of
 * its cause (truth_growth.h): one with two memory controllers for two CPUs has no bandwidth to run
 * out of. Not counted either way.
 */
enum outcome { RIGHT, WRONG, UNDECIDED, BUSY, FAILED, NOT_SHOWN, OUTCOMES };
static const char *const outcome_name[OUTCOMES] = {
	"right", "wrong", "undecided", "machine busy", "failed", "not shown here"};

#define LOSES_NOTHING \
	.95 /* efficiency that may be the true one: a cause takes 5 % of the cores or more */

/* Found: a cause, or one of these. */
enum { FOUND_NONE = SD_CAUSE_COUNT, FOUND_UNDECIDED, FOUND_BUSY, FOUND_FAILED, FOUNDS };
#define EXPECTED (SD_CAUSE_COUNT + 2) /* a cause; it scales; it waits by its own choice */

struct answer {
	int found, named; /* named: likely or stronger */
	enum sd_cause at[SD_CAUSE_COUNT];
	size_t n_at; /* named or possible with an amount, in order */
	int would;   /* the first, before it was seen that the machine was busy */
	const char *verdict;
	const char *component; /* the largest loss */
	double efficiency;     /* that it may have at most cores; below 0: not asked */
	double growth;         /* of its user time, a share of the cores; NAN: not asked */
	json_t *root;          /* owned */
};

static inline const char *string_of(const json_t *o, const char *key)
{
	const char *const s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static inline int is_busy(const json_t *root)
{
	const json_t *w;
	size_t i;

	json_array_foreach(json_object_get(root, "warnings"), i,
		w) if (strstr(json_string_value(w), "machine was busy")) return 1;
	return 0;
}

static inline int cause_of(const char *name)
{
	int k = 0;

	while (k < SD_CAUSE_COUNT && strcmp(sd_cause_info[k].name, name))
		k++;
	return k;
}

/* The upper end of the 95 % interval of the efficiency at most cores; below 0: not known. */
static inline double best_efficiency(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points");
	const json_t *const e =
		json_object_get(json_array_get(points, json_array_size(points) - 1), "efficiency");
	const json_t *const high = json_object_get(e, "high");

	return json_is_number(high) ? json_number_value(high) : -1;
}

static inline const char *largest_loss(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points"), *part;
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	const char *name = "";
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(last, "stack"), i, part)
	{
		const double cores =
			json_number_value(json_object_get(json_object_get(part, "cores"), "value"));

		if (cores > most && strcmp(string_of(part, "component"), "useful")) {
			most = cores;
			name = string_of(part, "component");
		}
	}
	return name;
}

/*
 * The first cause: the first that is likely or confirmed, else the first possible one. Possible
 * causes without an amount stand in the table's order, which says nothing: that is undecided, as is
 * a possible one that holds less than what is undecided besides, or that something speaks against,
 * which the report says after it.
 */
static inline void read_answer(json_t *root, struct answer *a)
{
	const double undecided = json_number_value(
		json_object_get(json_object_get(root, "undecided_cores"), "value"));
	const json_t *f;
	double first = 0, rest = 0;
	int against = 0;
	size_t i;

	*a = (struct answer){.found = root ? FOUND_NONE : FOUND_FAILED, .root = root};
	a->component = largest_loss(root);
	a->efficiency = -1;
	a->growth = NAN;
	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		const char *const verdict = string_of(f, "verdict");
		const int named = !strcmp(verdict, "confirmed") || !strcmp(verdict, "likely");
		const int cause = cause_of(string_of(f, "cause"));

		if (cause == SD_CAUSE_COUNT || !(named || !strcmp(verdict, "possible")))
			continue;
		if (!named && json_is_null(json_object_get(json_object_get(f, "cores"), "value"))) {
			if (a->found == FOUND_NONE)
				a->found = FOUND_UNDECIDED;
			continue;
		}
		if (a->n_at == 0) {
			a->found = cause;
			a->named = named;
			a->verdict = verdict;
			first = json_number_value(
				json_object_get(json_object_get(f, "cores"), "value"));
			against = json_is_true(json_object_get(f, "contradicted"));
			rest = undecided -
			       (json_is_true(json_object_get(f, "of_growth")) ? first : 0);
		}
		a->at[a->n_at++] = (enum sd_cause)cause;
	}
	if (a->n_at && !a->named && (first < rest || (against && rest > 0)))
		a->found = FOUND_UNDECIDED;
	if (a->found == FOUND_NONE && json_is_null(json_object_get(root, "scales")))
		a->found = FOUND_UNDECIDED;
	a->would = a->found;
	if (a->found == SD_CAUSE_NOISE || a->found == SD_CAUSE_CPU_QUOTA ||
		(root && !a->named && is_busy(root)))
		a->found = FOUND_BUSY;
}

/* At a count that was only simulated no run can name a cause: what the latency model charges most
 * for, where that costs as much as a cause must. */
static inline void read_estimate(struct answer *a)
{
	const json_t *const all = json_object_get(a->root, "estimates");
	const json_t *const last = json_array_get(all, json_array_size(all) - 1), *c;
	const double gate = (1 - LOSES_NOTHING) * json_number_value(json_object_get(last, "cores"));
	size_t i;

	if (!last || json_is_true(json_object_get(last, "measured_too")) ||
		(a->found != FOUND_NONE && a->found != FOUND_UNDECIDED && a->found != FOUND_BUSY))
		return;
	a->n_at = 0;
	a->found = json_number_value(json_object_get(last, "lost_cores")) < gate ? FOUND_NONE
										 : FOUND_UNDECIDED;
	json_array_foreach(json_object_get(last, "causes"), i, c)
	{
		const int cause = cause_of(string_of(c, "cause"));

		if (cause == SD_CAUSE_COUNT || a->found == FOUND_NONE ||
			json_number_value(json_object_get(c, "cores")) < gate)
			break;
		if (a->n_at == 0)
			a->found = cause;
		a->at[a->n_at++] = (enum sd_cause)cause;
		a->verdict = "estimated";
	}
	a->would = a->found;
}

static inline int is_shown(const struct answer *a)
{
	return !(a->efficiency >= LOSES_NOTHING || a->growth < 1 - LOSES_NOTHING);
}

static inline enum outcome worth(const struct truth *t, const struct answer *a)
{
	switch (a->found) {
	case FOUND_FAILED:
		return FAILED;
	case FOUND_BUSY:
		return BUSY;
	case FOUND_UNDECIDED:
		return t->n_right && !is_shown(a) ? NOT_SHOWN : UNDECIDED;
	case FOUND_NONE:
		if (t->component)
			return strcmp(t->component, a->component) == 0 ? RIGHT : WRONG;
		if (!t->n_right)
			return RIGHT;
		return is_shown(a) ? WRONG : NOT_SHOWN;
	default:
		for (size_t i = 0; i < t->n_cause; i++)
			if ((int)t->cause[i] == a->found)
				return RIGHT;
		return WRONG;
	}
}

static inline int expected(const struct truth *t)
{
	if (t->n_right)
		return (int)t->cause[0];
	return t->component ? SD_CAUSE_COUNT + 1 : SD_CAUSE_COUNT;
}

static inline const char *found_name(int found)
{
	static const char *const other[] = {"none", "undecided", "busy", "failed"};

	return found < SD_CAUSE_COUNT ? sd_cause_info[found].name : other[found - SD_CAUSE_COUNT];
}

static inline const char *expected_name(int e)
{
	return e < SD_CAUSE_COUNT    ? sd_cause_info[e].name
	       : e == SD_CAUSE_COUNT ? "(it scales)"
				     : "(own waits)";
}

#endif
