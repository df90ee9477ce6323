/*
 * Does a report name the load that ran beside it (truth_loads.h), and its kind?
 */
#ifndef SD_TRUTH_NEIGHBOURS_H
#define SD_TRUTH_NEIGHBOURS_H

#include "accuracy/truth_answer.h"
#include "accuracy/truth_command.h"
#include "accuracy/truth_loads.h"

struct neighbour_tally {
	unsigned reports; /* of diagnoses beside a load */
	unsigned named;   /* that have one of its processes */
	unsigned kind;    /* of these, by what it does */
};

static inline int is_of_load(const struct load_running *r, json_int_t pid)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->pid[i] == (pid_t)pid)
			return 1;
	return 0;
}

static inline void count_neighbours(struct neighbour_tally *t, const struct load *load,
	const struct load_running *running, const json_t *root)
{
	const json_t *x;
	int named = 0, kind = 0;
	size_t i;

	if (!running->n || !root)
		return;
	json_array_foreach(json_object_get(root, "neighbours"), i, x)
	{
		if (!is_of_load(running, json_integer_value(json_object_get(x, "pid"))))
			continue;
		named = 1;
		kind |= listed(load->kinds, string_of(x, "kind"));
	}
	t->reports++;
	t->named += (unsigned)named;
	t->kind += (unsigned)kind;
}

#endif
