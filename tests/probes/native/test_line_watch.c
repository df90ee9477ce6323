/*
 * Watchpoints on lines of this program: who of its threads touches which words, how often one is
 * written, and the same line found again in a process whose addresses differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "native/line_watch.h"
#include "support/watchpoints.h"

static _Alignas(128) volatile uint64_t line[SD_LINE_WATCH_WORDS];

/* A thread that adds to a word, or reads one, every `pause` ns; 0: all the time. */
struct worker {
	unsigned word;
	int reads;
	uint64_t pause;
	const cpu_set_t *cpus; /* NULL: any */
	pthread_t thread;
	uint64_t count;
	double cpu_s;
};

static atomic_int stop;

static void *work(void *arg)
{
	struct worker *const w = arg;
	uint64_t next = sd_clock_ns();

	struct timespec cpu;

	if (w->cpus)
		pthread_setaffinity_np(pthread_self(), sizeof *w->cpus, w->cpus);
	while (!atomic_load(&stop)) {
		if (w->reads)
			w->count += line[w->word] & 1;
		else
			line[w->word]++;
		w->count++;
		for (next += w->pause; w->pause && sd_clock_ns() < next;)
			;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	w->cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
	return NULL;
}

struct scene {
	struct sd_data_maps maps;
	struct sd_code_copies code;
	struct sd_line_places places;
	struct sd_line_watch watch;
};

/* The line as a run's samples would have told it: a reader, and few that write. */
static void choose(struct scene *s)
{
	struct sd_sim_sharer sharer = {.thread = 0};
	struct sd_mem_thread thread = {.pid = getpid(), .tid = getpid()};
	struct sd_native_line seen = {
		.line = {.address = (uint64_t)(uintptr_t)line, .sharer = &sharer, .n_sharer = 1},
		.contested = .5,
		.writes = SD_OK(1)};
	const struct sd_native_lines run = {.samples = 400,
		.seconds = 1,
		.thread = &thread,
		.n_thread = 1,
		.line = &seen,
		.n_line = 1};

	assert_int_equal(sd_data_maps_look(&s->maps, &s->code, "", getpid()), 0);
	sd_line_places_choose(&s->places, &run, 1, &s->maps);
}

/* Watches for `ms`; *out is what is told then. 1: each thread had a CPU nearly all of the time, so
 * that windows of a millisecond have seen it. */
static int watch(struct worker *w, unsigned n, unsigned ms, struct sd_native_line *out)
{
	struct scene s = {.watch = {.next = 0}};
	const uint64_t end = sd_clock_ns() + ms * UINT64_C(1000000);
	int busy = 1;

	atomic_store(&stop, 0);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	choose(&s);
	assert_int_equal(s.places.n, 1);
	s.watch.places = &s.places;
	while (sd_clock_ns() < end) {
		const uint64_t wait =
			sd_line_watch_tick(&s.watch, &s.maps, "", sd_clock_ns()) / 1000;

		usleep((useconds_t)(wait < 100000 ? wait + 1 : 100000));
	}
	sd_line_watch_end(&s.watch);
	atomic_store(&stop, 1);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		busy = busy && w[i].cpu_s > .8 * ms / 1e3;
	}
	*out = (struct sd_native_line){0};
	sd_line_watch_tell(&s.watch, getpid(), (uint64_t)(uintptr_t)line, out);
	sd_data_maps_free(&s.maps);
	sd_code_copies_free(&s.code);
	if (!watchpoints_count()) {
		assert_int_not_equal(out->proven.status, SD_STATUS_OK);
		print_message(
			"SKIP: test_line_watch: this kernel or machine counts no watchpoints\n");
		skip();
	}
	assert_int_equal(out->proven.status, SD_STATUS_OK);
	return busy;
}

/* The rest of the test holds where windows have seen the threads. */
static void need_cpus(int busy, const char *test)
{
	if (busy)
		return;
	fprintf(stderr, "SKIP: %s: its threads had no CPU for a fifth of the time\n", test);
	skip();
}

static void neighbours_touch_a_word_each(void **state)
{
	struct worker w[] = {{.word = 1}, {.word = 6}};
	struct sd_native_line l;
	int busy;

	(void)state;
	busy = watch(w, 2, 1500, &l);
	assert_int_equal(l.shared_words, 0);
	assert_true(l.own_words >= 1 && l.own_words <= 2);
	need_cpus(busy, __func__);
	assert_int_equal(l.own_words, 2);
	assert_int_equal(l.writers, 2);
	/* the hits take the threads' time: how often they would write is not known */
	assert_false(sd_has(l.proven_most));
}

static void one_word_is_touched_by_both(void **state)
{
	struct worker w[] = {{.word = 3}, {.word = 3}};
	struct sd_native_line l;
	int busy;

	(void)state;
	busy = watch(w, 2, 1500, &l);
	assert_int_equal(l.own_words + l.shared_words, 1);
	need_cpus(busy, __func__);
	assert_int_equal(l.shared_words, 1);
	assert_int_equal(l.writers, 2);
}

static void a_word_of_one_thread_is_its_own(void **state)
{
	struct worker w[] = {{.word = 0}};
	struct sd_native_line l;

	(void)state;
	need_cpus(watch(w, 1, 1500, &l), __func__);
	assert_int_equal(l.own_words, 1);
	assert_int_equal(l.shared_words, 0);
	assert_int_equal(l.writers, 1);
}

static void a_line_that_nobody_writes_has_a_bound_near_zero(void **state)
{
	struct worker w[] = {{.word = 0, .reads = 1}, {.word = 0, .reads = 1}};
	struct sd_native_line l;
	int busy;

	(void)state;
	busy = watch(w, 2, 1500, &l);
	assert_int_equal(l.writers, 0);
	assert_true(l.proven.value == 0);
	need_cpus(busy, __func__);
	assert_int_equal(l.own_words + l.shared_words, 1);
	assert_true(sd_has(l.proven_most));
	assert_true(l.proven_most.value > 0);
	assert_true(l.proven_most.value < 1e5);
}

/* No interval ends below the writes that there were; a hit that takes longer than was reckoned with
 * may hide some. */
static void the_bound_grows_with_the_writes(void **state)
{
	static const uint64_t pause[] = {100000000, 1000000, 100000};
	double before = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct worker w[] = {{.word = 2, .pause = pause[i]}, {.word = 2, .reads = 1}};
		const uint64_t from = sd_clock_ns();
		struct sd_native_line l;
		double rate;
		int busy;

		busy = watch(w, 2, 2000, &l);
		rate = (double)w[0].count / ((double)(sd_clock_ns() - from) / 1e9);
		assert_true(l.hits > 0 || !busy);
		if (!sd_has(l.proven_most))
			continue;
		assert_true(l.proven_most.value >= l.proven.value);
		if (!busy)
			continue;
		assert_true(l.proven_most.value > .5 * rate);
		assert_true(l.proven_most.value > before);
		before = l.proven.value;
	}
}

/* Processes that want the CPU of `set`, until they are killed or this one ends. */
static void begin_hogs(pid_t *pid, unsigned n, const cpu_set_t *set)
{
	for (unsigned i = 0; i < n; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			sched_setaffinity(0, sizeof *set, set);
			for (volatile int x = 0;; x++)
				;
		}
		assert_true(pid[i] > 0);
	}
}

/* It writes whenever it has the CPU, which others take most of: that its hits are few does not say
 * that it would write seldom. */
static void a_thread_without_a_cpu_does_not_make_a_line_seldom_written(void **state)
{
	struct worker w[] = {{.word = 0}, {.word = 0, .reads = 1, .pause = 1000000}};
	struct sd_native_line l;
	cpu_set_t all, one;
	pid_t hog[2];
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	w[0].cpus = &one;
	begin_hogs(hog, 2, &one);
	watch(w, 2, 2500, &l);
	for (unsigned i = 0; i < 2; i++) {
		kill(hog[i], SIGKILL);
		waitpid(hog[i], NULL, 0);
	}
	assert_true(l.writers <= 1);
	/* all windows may have met the hogs; a hit that takes twice as long as was reckoned with
	 * leaves a bound, far above what was counted */
	if (l.writers && sd_has(l.proven_most))
		assert_true(l.proven_most.value > 2 * l.proven.value);
}

static void a_place_is_found_again_where_its_mapping_is_now(void **state)
{
	struct sd_data_maps then = {0}, now = {0};
	struct sd_line_places p = {.n = 0};
	struct sd_sim_sharer sharer = {.thread = 0};
	struct sd_mem_thread thread = {.pid = 7, .tid = 7};
	struct sd_native_line seen = {
		.line = {.address = 0x5040, .sharer = &sharer, .n_sharer = 1}, .maybe = .5};
	const struct sd_native_lines run = {.samples = 400,
		.seconds = 1,
		.thread = &thread,
		.n_thread = 1,
		.line = &seen,
		.n_line = 1};
	struct sd_event e = {.kind = SD_EVENT_DATA,
		.pid = 7,
		.address = 0x4000,
		.size = 0x1000,
		.offset = 0x3000,
		.name = "/bin/program"};
	uint64_t address;
	size_t n;
	int pid;

	(void)state;
	/* what is behind a file's data is named by them */
	assert_int_equal(sd_data_maps_add(&then, &e), 0);
	e.pid = 9;
	e.address = 0x94000;
	assert_int_equal(sd_data_maps_add(&now, &e), 0);
	sd_line_places_choose(&p, &run, 1, &then);
	assert_int_equal(p.n, 1);
	e.pid = 10; /* a child of 9 has it, too */
	e.address = 0x95000;
	assert_int_equal(sd_data_maps_add(&now, &e), 0);
	n = now.n;
	assert_int_equal(sd_line_places_find(&p.place[0], &now, &n, &pid, &address), 0);
	assert_int_equal(pid, 10);
	assert_int_equal(sd_line_places_find(&p.place[0], &now, &n, &pid, &address), 0);
	assert_int_equal(pid, 9);
	assert_int_equal(address, 0x95040);
	assert_int_equal(sd_line_places_find(&p.place[0], &now, &n, &pid, &address), -ENOENT);
	/* a run without such lines leaves what is known */
	seen.maybe = 0;
	sd_line_places_choose(&p, &run, 1, &then);
	assert_int_equal(p.n, 1);
	/* a lock's word is told by its waits */
	p.n = 0;
	seen.maybe = .5;
	seen.lock = 1;
	sd_line_places_choose(&p, &run, 1, &then);
	assert_int_equal(p.n, 0);
	n = then.n;
	assert_int_equal(sd_line_places_find(&p.place[0], &then, &n, &pid, &address), 0);
	sd_data_maps_free(&then);
	sd_data_maps_free(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_touch_a_word_each),
		cmocka_unit_test(one_word_is_touched_by_both),
		cmocka_unit_test(a_word_of_one_thread_is_its_own),
		cmocka_unit_test(a_line_that_nobody_writes_has_a_bound_near_zero),
		cmocka_unit_test(the_bound_grows_with_the_writes),
		cmocka_unit_test(a_thread_without_a_cpu_does_not_make_a_line_seldom_written),
		cmocka_unit_test(a_place_is_found_again_where_its_mapping_is_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
