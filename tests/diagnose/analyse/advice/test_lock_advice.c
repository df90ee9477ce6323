/*
 * Advice about locks depends on who takes them, and on whether anybody waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "diagnose/analyse/advice/advice_case.h"

/* Holding a lock for less helps those who wait for it, not readers who never do. */
static void a_lock_that_nobody_waits_for_is_taken_less_often(void **state)
{
	static const double waits[] = {0, 1.5};
	char work[] = "work", module[] = "/home/me/app",
	     in[] = "std::shared_lock<std::shared_mutex>::~shared_lock()";
	struct sd_where where = {.function = work, .module = module, .in = in};
	/* whatever calls it in the program's language: the stack leads to a read-write lock */
	struct sd_spot spot[] = {{0}, {.locks = 1, .rwlock = 1}, {.locks = 1}};
	double cost[3 * SD_PART_COUNT] = {
		[SD_PART_COUNT + SD_PART_USER] = 1.4, [2 * SD_PART_COUNT + SD_PART_USER] = .2};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		double sample[4][SD_COMPONENT_COUNT] = {{0}}, scratch[4];
		struct sd_loss loss = {.n = 4,
			.components = SD_BIT(LOCK),
			.added_sample = sample[0],
			.n_sample = 4,
			.runs = 5};
		unsigned less_often = 0, shorter = 0;
		struct made m;
		struct sd_texts *t;

		make(&m, "rwlock");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		loss.added[SD_COMPONENT_LOCK] = waits[i];
		for (size_t k = 0; k < 4; k++)
			sample[k][SD_COMPONENT_LOCK] = waits[i];
		m.spread.now = &m.last;
		m.spread.places.spot = spot;
		m.spread.places.n_spot = 3;
		m.spread.spot = cost;
		m.spread.locking = (struct sd_interval){1.6, 1.5, 1.7, SD_STATUS_OK};
		m.c.loss = &loss;
		m.c.scratch = scratch;
		sd_advice_texts_fill(&m.c, &r);
		for (size_t k = 0; k < t->n; k++) {
			less_often += strstr(t->text[k], "hardly anybody waits") != NULL;
			shorter += strstr(t->text[k], "shorten the critical section") != NULL;
		}
		assert_int_equal(less_often, waits[i] == 0);
		assert_int_equal(shorter, waits[i] > 0);
		sd_texts_free(t);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* A lock that a function of the library takes for itself is not to be held for less. */
static void a_librarys_lock_is_taken_less_often(void **state)
{
	static const struct {
		const char *in, *lock, *advice; /* lock NULL: it has no name */
		const char *at;                 /* what the place calls; NULL: `in` */
		const char *kind;               /* NULL: a mutex */
	} row[] = {
		{"__tz_convert", NULL, "__tz_convert() takes a lock of its library", NULL, NULL},
		{"std::locale::locale(char const*)", "__libc_setlocale_lock",
			"std::locale::locale(char const*) takes a lock of its library", NULL,
			"rwlock"},
		{"std::basic_filebuf<char, std::allocator<char>>::open(char const*)", NULL,
			"std::basic_filebuf<char, std::allocator<char>>::open(char const*) takes ",
			NULL, NULL},
		{"std::basic_ostringstream<char, std::allocator<char>>::basic_ostringstream()",
			"[libstdc++.so.6+0x40], of std::locale::locale()",
			"every C++ stream that is made copies the global locale", NULL, NULL},
		{"std::shared_timed_mutex::lock_shared()", NULL,
			"the most contended lock is a read-write lock", NULL, "rwlock"},
		{"operator new(unsigned long)", NULL, "somebody waits for the lock most of", NULL,
			NULL},
		{"tokio::runtime::park", NULL, "somebody waits for the lock most of",
			"tokio::sync::mutex::Mutex<T>::lock", NULL},
	};
	char serve[] = "serve", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		char in[128], at[128], lock[64];
		struct sd_where waiter = {.function = serve, .module = module, .in = in};
		struct sd_where where = {.function = serve, .module = module, .in = at};
		struct sd_texts *t, *shared;
		struct made m;
		int of_sections = 0;

		snprintf(in, sizeof in, "%s", row[k].in);
		snprintf(at, sizeof at, "%s", row[k].at ? row[k].at : row[k].in);
		make(&m, row[k].kind ? row[k].kind : "mutex");
		shared = &m.a.finding[SD_CAUSE_TRUE_SHARING].advice;
		assert_int_equal(sd_texts_add(shared, "plain"), 0);
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.lock.waiter = &waiter;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.lock.n_waiter = m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		m.lock.busy = SD_OK(.9);
		if (row[k].lock) {
			snprintf(lock, sizeof lock, "%s", row[k].lock);
			m.lock.name = lock;
		}
		sd_advice_texts_fill(&m.c, &r);
		assert_true(t->n > 0);
		assert_int_equal(strncmp(t->text[0], row[k].advice, strlen(row[k].advice)), 0);
		for (size_t i = 0; i < t->n; i++)
			of_sections |= strstr(t->text[i], "out of the section") != NULL;
		assert_int_equal(of_sections, k >= 4);
		/* the lock may lie in what the program hands over: a compiled expression */
		assert_int_equal(strstr(t->text[0], "an object of its own") != NULL,
			strstr(t->text[0], "of its library") != NULL);
		/* what is counted beside the lock is the same construct */
		assert_int_equal(strstr(shared->text[0], "make a stream once") != NULL, k == 3);
		sd_texts_free(t);
		sd_texts_free(shared);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* A channel is held for as long as a send takes; there is no section to shorten. */
static void a_channel_is_no_critical_section(void **state)
{
	static const char *const asked[] = {
		"runtime.chansend1", "runtime.selectgo", "sync.(*Mutex).Lock"};
	char produce[] = "main.produce", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
		char in[64];
		struct sd_where where = {.function = produce, .module = module, .in = in};
		struct sd_texts *t, *spins;
		struct made m;
		int of_sections = 0;

		snprintf(in, sizeof in, "%s", asked[k]);
		make(&m, k < 2 ? "runtime-lock" : "mutex");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.lock.waiter = m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.lock.n_waiter = m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		m.lock.busy = SD_OK(.9);
		spins = &m.a.finding[SD_CAUSE_SPINNING].advice;
		assert_int_equal(sd_texts_add(spins, "plain"), 0);
		sd_advice_texts_fill(&m.c, &r);
		assert_int_equal(strstr(t->text[0], "channel's own lock") != NULL, k < 2);
		for (size_t i = 0; i < t->n; i++)
			of_sections |= strstr(t->text[i], "section") != NULL;
		assert_int_equal(of_sections, k == 2);
		/* who spins there spins for the same lock */
		assert_true(spins->n > 0);
		assert_int_equal(strstr(spins->text[0], "channel's own lock") != NULL, k < 2);
		sd_texts_free(t);
		sd_texts_free(spins);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* A sum guarded so may be a reduction instead; for a mutex there is no such clause. */
static void a_critical_section_may_be_a_reduction(void **state)
{
	static const char *const asked[] = {
		"GOMP_critical_start", "__kmpc_critical", "pthread_mutex_lock"};
	char add[] = "main._omp_fn.0", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
		char in[64];
		struct sd_where where = {.function = add, .module = module, .in = in};
		struct sd_texts *t;
		struct made m;

		snprintf(in, sizeof in, "%s", asked[k]);
		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.lock.waiter = m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.lock.n_waiter = m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		sd_advice_texts_fill(&m.c, &r);
		assert_int_equal(strstr(t->text[0], "reduction") != NULL, k < 2);
		sd_texts_free(t);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Processes that pass messages through one queue take turns at its lock, a semaphore of which no
 * more than one may be let in. */
static void a_queues_semaphore_is_no_limit_to_be_raised(void **state)
{
	double cost[2 * SD_PART_COUNT] = {[SD_PART_COUNT + SD_PART_LOCK] = 1};
	char get[] = "get", module[] = "/home/me/app";
	struct sd_where where = {.function = get, .module = module};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (int messages = 0; messages <= 1; messages++) {
		struct sd_spot spot[] = {{0}, {.messages = messages}};
		struct sd_texts *t;
		struct made m;
		int more = 0;

		make(&m, "semaphore");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		m.spread.now = &m.last;
		m.spread.places.spot = spot;
		m.spread.places.n_spot = 2;
		m.spread.spot = cost;
		sd_advice_texts_fill(&m.c, &r);
		for (size_t i = 0; i < t->n; i++)
			more |= strstr(t->text[i], "let more threads in") != NULL;
		assert_int_equal(more, !messages);
		assert_int_equal(strstr(t->text[0], "smaller messages") != NULL, messages);
		sd_texts_free(t);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Threads that wake each other, each at a word of its own, have no door to open wider. */
static void the_leader_of_a_group_is_to_do_less_while_the_others_wait(void **state)
{
	char own[] = "a word of each of 8 threads", m_[] = "m", *const named[] = {own, m_};
	char put[] = "put", module[] = "/home/me/app";
	struct sd_where where = {.function = put, .module = module};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (int k = 0; k < 2; k++) {
		struct sd_spot spot[] = {{0}, {0}};
		double cost[2 * SD_PART_COUNT] = {[SD_PART_COUNT + SD_PART_LOCK] = 1};
		struct sd_texts *t;
		struct made m;
		int group = 0, more = 0;

		make(&m, "semaphore");
		m.lock.name = named[k];
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		m.spread.now = &m.last;
		m.spread.places.spot = spot;
		m.spread.places.n_spot = 2;
		m.spread.spot = cost;
		sd_advice_texts_fill(&m.c, &r);
		for (size_t i = 0; i < t->n; i++) {
			group |= strstr(t->text[i], "one thread works for a group") != NULL;
			more |= strstr(t->text[i], "let more threads in") != NULL;
		}
		assert_int_equal(group, k == 0);
		assert_int_equal(more, k == 1);
		sd_texts_free(t);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Fewer atomic operations are no advice to who has too few of them. */
static void a_race_is_made_right_first(void **state)
{
	struct sd_run run[2] = {
		{.stdout_bytes = 1, .stdout_digest = 1}, {.stdout_bytes = 1, .stdout_digest = 1}};
	struct sd_run other = {.stdout_bytes = 1, .stdout_digest = 2};
	const struct sd_run *same[] = {&run[0], &run[1]}, *differ[] = {&run[0], &other};
	struct sd_chosen ref = {.run = same, .n_run = 2};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (unsigned race = 0; race < 2; race++) {
		struct made m;
		struct sd_texts *t;

		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_TRUE_SHARING].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		m.c.ref = &ref;
		m.last.run = race ? differ : same;
		m.last.n_run = 2;
		sd_advice_texts_fill(&m.c, &r);
		assert_true(t->n > 0);
		assert_int_equal(strstr(t->text[0], "first make it right") != NULL, race);
		for (size_t k = 0; k < t->n; k++)
			assert_true(!race || !strstr(t->text[k], "fewer atomic"));
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* 100,000 entries of a region in 50 ms, or in 20 s: only there may threads that spin sleep. */
static void who_spins_between_short_regions_is_to_make_them_longer(void **state)
{
	static const double elapsed[] = {.05, 20};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < 2; k++) {
		struct sd_region_time row = {
			.kind = SD_REGION_OPENMP, .entries = 1e5, .elapsed = elapsed[k]};
		struct sd_region_run regions = {.row = &row, .n_row = 1};
		struct sd_run run = {.regions = &regions};
		struct sd_texts *t;
		struct made m;

		make(&m, "mutex");
		m.record.run = &run;
		m.record.n_run = 1;
		m.a.constructs.openmp = SD_OK(1);
		t = &m.a.finding[SD_CAUSE_SPINNING].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		sd_advice_texts_fill(&m.c, &r);
		assert_true(t->n > 0);
		assert_int_equal(strstr(t->text[0], "one region around the loop") != NULL, k == 0);
		for (size_t i = 0; i < t->n; i++)
			assert_int_equal(strstr(t->text[i], "OMP_WAIT_POLICY") != NULL, k == 1);
		sd_texts_free(t);
		sd_texts_free(&m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_spins_between_short_regions_is_to_make_them_longer),
		cmocka_unit_test(a_race_is_made_right_first),
		cmocka_unit_test(a_lock_that_nobody_waits_for_is_taken_less_often),
		cmocka_unit_test(a_librarys_lock_is_taken_less_often),
		cmocka_unit_test(a_channel_is_no_critical_section),
		cmocka_unit_test(a_critical_section_may_be_a_reduction),
		cmocka_unit_test(a_queues_semaphore_is_no_limit_to_be_raised),
		cmocka_unit_test(the_leader_of_a_group_is_to_do_less_while_the_others_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
