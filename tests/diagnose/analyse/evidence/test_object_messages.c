/*
 * Processes that send each other objects: what makes the messages is told as such, by the function
 * of the library that an interpreter ran there, with who asked for them and what the pool runs.
 */
#include <stdio.h>

#include "diagnose/analyse/hotspots/sampled_mixture.h"

static const char python[] = "/usr/bin/python3.11", jit[] = "[jit]";
static const char lib[] = "/usr/lib/python3.11/";

/* A function that CPython ran, of a file of its library or of the program. */
static unsigned call(struct sd_record *r, unsigned from, const char *name, const char *folder,
	const char *file, unsigned line)
{
	char path[96], named[160];

	snprintf(path, sizeof path, "%s%s", folder, file);
	snprintf(named, sizeof named, "py::%s:%s", name, path);
	return make_call(r, from, named, path, line, jit);
}

struct pool {
	unsigned pickles, asks, total, crunch;
};

static struct pool make_pool(struct sd_record *r)
{
	struct pool p;
	unsigned at;

	at = call(r, 0, "_bootstrap", lib, "threading.py", 995);
	at = call(r, at, "_handle_tasks", lib, "multiprocessing/pool.py", 539);
	at = call(r, at, "dumps", lib, "multiprocessing/reduction.py", 51);
	p.pickles = make_call(r, at, "_PyLong_AsByteArray", NULL, 0, python);
	p.crunch = call(r, 0, "main", "/home/u/", "app.py", 12);
	at = call(r, p.crunch, "map", lib, "multiprocessing/pool.py", 364);
	p.asks = call(r, at, "wait", lib, "threading.py", 320);
	at = call(r, 0, "worker", lib, "multiprocessing/pool.py", 125);
	at = call(r, at, "mapstar", lib, "multiprocessing/pool.py", 48);
	p.total = call(r, at, "total", "/home/u/", "app.py", 4);
	return p;
}

static const struct sd_finding *serial(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == SD_CAUSE_SERIAL_CODE)
			return &a->finding[i];
	return NULL;
}

/* On two cores one runs alone for 4 of 7 s, at this stack; on one all takes 10 s. */
static void make_runs(struct sd_record *r, const struct pool *p, unsigned alone)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 7, .user = 10, .idle = {[SD_IDLE_SERIAL] = 4}};

	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &one, f);
		struct sd_use *u;

		make_use(run, alone, SD_ACTIVITY_USEFUL, 4 * f);
		make_use(run, p->total, SD_ACTIVITY_USEFUL, 6 * f);
		run = record_sample(r, 1, &many, f);
		u = make_use(run, alone, SD_ACTIVITY_USEFUL, 4 * f);
		u->blame = u->blame_serial = 4 * f;
		make_use(run, p->total, SD_ACTIVITY_USEFUL, 6 * f);
		make_use(run, p->asks, SD_ACTIVITY_CONDITION, 6 * f);
		run->sampled.useful_alone = SD_OK(4 * f);
	}
}

static void pickling_is_told_with_who_asks_and_what_runs(void **state)
{
	static const unsigned cores[] = {1, 2};
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;
	struct pool p;

	(void)state;
	record_make(&r, cores, 2);
	p = make_pool(&r);
	make_runs(&r, &p, p.pickles);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = serial(&a);
	assert_true(f->verdict <= SD_VERDICT_LIKELY);
	assert_true(f->n_where > 0);
	/* the interpreter's own function is the same for all */
	assert_string_equal(
		f->where[0].function, "py::dumps:/usr/lib/python3.11/multiprocessing/reduction.py");
	assert_int_equal(f->where[0].line, 51);
	assert_true(has_evidence(f, "pickling"));
	assert_true(has_evidence(f, "main() app.py:12"));
	assert_true(has_evidence(f, "total() app.py:4"));
	/* whatever line is called, it is the message that takes long: said where the place is */
	assert_non_null(f->what);
	assert_non_null(strstr(f->what, "processes (pickling, pipes)"));
	assert_non_null(strstr(f->what, "main() app.py:12"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* V8 makes messages for workers, which are threads: nothing is pickled, and no pipe lies between.
 */
static void clones_for_workers_are_no_pickles(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const char node[] = "/usr/bin/node";
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;
	struct pool p;
	unsigned at;

	(void)state;
	record_make(&r, cores, 2);
	at = make_call(&r, 0, "uv__async_io", "deps/uv/src/unix/async.c", 176, node);
	at = make_call(&r, at, "node::worker::MessagePort::OnMessage", NULL, 0, node);
	at = make_call(&r, at, "v8::internal::ValueDeserializer::ReadObject", NULL, 0, node);
	p = (struct pool){.pickles = at, .asks = at};
	p.total = make_call(&r, 0, "JS:*score /srv/app.js:3:1", NULL, 0, jit);
	make_runs(&r, &p, p.pickles);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = serial(&a);
	assert_non_null(f->what);
	assert_non_null(strstr(f->what, "structured cloning"));
	assert_null(strstr(f->what, "pickling"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void work_of_the_program_itself_is_no_message(void **state)
{
	static const unsigned cores[] = {1, 2};
	const struct sd_finding *f;
	struct sd_record r;
	struct sd_analysis a;
	struct pool p;

	(void)state;
	record_make(&r, cores, 2);
	p = make_pool(&r);
	make_runs(&r, &p, p.crunch);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = serial(&a);
	assert_true(f->verdict <= SD_VERDICT_LIKELY);
	assert_string_equal(f->where[0].function, "py::main:/home/u/app.py");
	assert_false(has_evidence(f, "pickling"));
	assert_null(f->what);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pickling_is_told_with_who_asks_and_what_runs),
		cmocka_unit_test(clones_for_workers_are_no_pickles),
		cmocka_unit_test(work_of_the_program_itself_is_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
