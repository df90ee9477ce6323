/*
 * Diagnoses with samples, and the losses by function.
 */
#ifndef SD_TEST_SAMPLED_LOSSES_H
#define SD_TEST_SAMPLED_LOSSES_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2e/e2e.h"
#include "support/others.h"

/* The last run of a record, and its table of stacks. */
struct taken {
	json_t *record;
	const json_t *sampled, *text, *frame, *node;
	struct others since; /* it began */
};

static inline void take(
	struct e2e *e, struct taken *t, const char *test, const char *program, e2e_hook *hook)
{
	struct e2e_result r;
	const json_t *runs;

	e2e_need_two_cpus(test);
	t->since = others_now();
	e2e_run_hooked(e, &r, hook, NULL, "--cores", "2", "--repeats", "1", "-o", "r.json", "--",
		e2e_program(e, program), "0.5");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	t->record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	json_decref(e->report);
	e->report = t->record; /* freed with the test, also when it is skipped */
	assert_non_null(t->record);
	runs = json_object_get(t->record, "runs");
	t->sampled = json_object_get(json_array_get(runs, json_array_size(runs) - 1), "sampled");
	t->text = json_object_get(json_object_get(t->record, "stacks"), "texts");
	t->frame = json_object_get(json_object_get(t->record, "stacks"), "frames");
	t->node = json_object_get(json_object_get(t->record, "stacks"), "nodes");
}

static inline const char *status_of(const struct taken *t, const char *key)
{
	const char *const s = json_string_value(json_object_get(t->sampled, key));

	return s ? s : "absent";
}

/* Skips where the kernel gives no samples, or not what the test needs of them. */
static inline void need(const struct taken *t, const char *test, const char *key)
{
	const char *const status = status_of(t, key);

	if (strcmp(status, "ok") == 0 || strcmp(status, "multiplexed") == 0)
		return;
	print_message("SKIP: %s: %s of samples: %s\n", test, key, status);
	skip();
}

/* Rows of what was seen, for whoever has to find out why it was not what it must be. */
static inline void print_uses(const struct taken *t)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(t->sampled, "uses"), i, row)
	{
		char *const text = json_dumps(row, JSON_COMPACT);

		print_message("  %s\n", text ? text : "?");
		free(text);
	}
}

/* Expects what holds where both threads have a CPU: the waits depend on who is given one. */
static inline void expect(const struct taken *t, const char *test, const char *what, int holds)
{
	const double unwatched = json_number_value(json_object_get(t->sampled, "unwatched"));
	const double own = json_number_value(json_object_get(t->sampled, "switches"));

	if (holds)
		return;
	others_skip(&t->since, test);
	/* it did not make so many itself, in half a second or more */
	if (unwatched > .5 && unwatched < 1 && own / (1 - unwatched) < 2500) {
		print_message("SKIP: %s: others switched so often that switches were recorded for "
			      "%.0f %% of the time only\n",
			test, 100 * (1 - unwatched));
		skip();
	}
	print_uses(t);
	fail_msg("%s", what);
}

/* Is there a frame of this function in the stack? */
static inline int is_in(const struct taken *t, json_int_t node, const char *function)
{
	while (node > 0) {
		const size_t at = 2 * ((size_t)node - 1);
		const size_t frame = (size_t)json_integer_value(json_array_get(t->node, at + 1));
		const size_t name = (size_t)json_integer_value(json_array_get(t->frame, 6 * frame));
		const char *const text = json_string_value(json_array_get(t->text, name));

		if (text && strcmp(text, function) == 0)
			return 1;
		node = json_integer_value(json_array_get(t->node, at));
	}
	return 0;
}

/* A number of a row; the zeros at its end are left out. */
static inline double number(const json_t *row, size_t i)
{
	return json_number_value(json_array_get(row, i));
}

enum { SECONDS = 2, SOLO = 5, BLAME_LOCK = 9, ATOMIC = 12 };

/* The sum of a column over the rows of an activity, of stacks with that function or all. */
static inline double sum(
	const struct taken *t, const char *activity, const char *function, size_t column)
{
	const json_t *row;
	double s = 0;
	size_t i;

	json_array_foreach(json_object_get(t->sampled, "uses"), i, row)
	{
		const json_int_t node = json_integer_value(json_array_get(row, 0));

		if (strcmp(json_string_value(json_array_get(row, 1)), activity) == 0 &&
			(!function || is_in(t, node, function)))
			s += number(row, column);
	}
	return s;
}

static const char go_mutex[] =
	"package main\n"
	"import (\"os\"; \"runtime\"; \"strconv\"; \"sync\")\n"
	"var lock sync.Mutex\n"
	"func step(n int, x uint64) uint64 {\n"
	"	for ; n > 0; n-- { x = x*6364136223846793005 + 1442695040888963407 }\n"
	"	return x\n"
	"}\n"
	"func main() {\n"
	"	n, _ := strconv.Atoi(os.Args[1])\n"
	"	runtime.GOMAXPROCS(n)\n"
	"	var all sync.WaitGroup\n"
	"	for i := 0; i < n; i++ {\n"
	"		all.Add(1)\n"
	"		go func() {\n"
	"			x := uint64(1)\n"
	"			for k := 0; k < 20000/n; k++ {\n"
	"				lock.Lock(); x = step(20000, x); lock.Unlock()\n"
	"				x = step(2000, x)\n"
	"			}\n"
	"			all.Done()\n"
	"		}()\n"
	"	}\n"
	"	all.Wait()\n"
	"}\n";

#endif
