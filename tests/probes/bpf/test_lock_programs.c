/* Waits for a lock of the kernel that a program surely has, against the program's own clock. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/bpf_calls.h"
#include "bpf/lock_programs.h"
#include "bpf/switch_programs.h"

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define BYTES ((size_t)16 << 20)
#define ROUNDS 8

struct shared {
	int fd;
	char *data;
	atomic_int over;
	atomic_uint writing; /* odd while it is written to */
	double asked_s;      /* in lseek() */
	unsigned met;        /* of these calls: begun during a write and over after its end */
	double wrote_s;
};

/* A descriptor's position is locked while it is written to: until then nobody learns it. */
static int ask(void *of)
{
	struct shared *const s = of;

	while (!s->over) {
		const double before = now_s();
		const unsigned writing = s->writing;

		if (lseek(s->fd, 0, SEEK_CUR) < 0)
			return 1;
		s->met += writing % 2 && s->writing != writing;
		s->asked_s += now_s() - before;
	}
	return 0;
}

/* Writes while another thread asks for the position. 0: both did. */
static int contend(struct shared *s)
{
	const double before = now_s();
	thrd_t other;
	int rc = 1, asked = 1;

	if (s->data && thrd_create(&other, ask, s) == thrd_success) {
		rc = 0;
		for (int i = 0; i < ROUNDS && !rc; i++) {
			rc = lseek(s->fd, 0, SEEK_SET) != 0;
			s->writing++;
			rc = rc || write(s->fd, s->data, BYTES) != (ssize_t)BYTES;
			s->writing++;
		}
		s->over = 1;
		thrd_join(other, &asked);
	}
	s->wrote_s = now_s() - before;
	return rc | asked;
}

struct result {
	int rc;
	double asked_s, wrote_s;
	unsigned met;
};

/* A process that waits to be let go, contends, and tells what its own clock says. */
static void child(int go, int out)
{
	char name[] = "/tmp/scalediag-position-XXXXXX", c;
	struct shared s = {.fd = mkstemp(name), .data = calloc(1, BYTES)};
	struct result r = {.rc = 1};

	if (read(go, &c, 1) == 1 && s.fd >= 0) {
		unlink(name);
		r.rc = contend(&s);
		r = (struct result){r.rc, s.asked_s, s.wrote_s, s.met};
	}
	_exit(write(out, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
}

/* Runs it, watched or not. */
static struct result run(struct sd_lock_programs *p, int watched)
{
	struct result r = {.rc = 1};
	int go[2], out[2];
	pid_t pid;

	assert_true(pipe(go) == 0 && pipe(out) == 0);
	pid = fork();
	if (pid == 0)
		child(go[0], out[1]);
	assert_true(pid > 0);
	if (watched)
		assert_int_equal(sd_lock_programs_watch(p, pid), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(out[0], &r, sizeof r), sizeof r);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(out[i]);
	}
	assert_int_equal(r.rc, 0);
	return r;
}

/* All of them, and those of mutexes alone. */
struct seen {
	double mutex_s, longest_s;
	uint64_t waits, mutexes;
	size_t with_stack;
};

static struct seen take(struct sd_lock_programs *p)
{
	struct sd_lock_waits *w;
	struct seen s = {0};
	size_t n;

	assert_int_equal(sd_lock_programs_take(p, &w, &n), 0);
	for (size_t i = 0; i < n; i++) {
		s.waits += w[i].waits;
		assert_true(w[i].longest <= w[i].ns);
		if (!(w[i].flags & SD_LOCK_CODE_MUTEX))
			continue;
		s.mutexes += w[i].waits;
		s.mutex_s += (double)w[i].ns * 1e-9;
		s.longest_s = (double)w[i].longest * 1e-9 > s.longest_s
				      ? (double)w[i].longest * 1e-9
				      : s.longest_s;
		s.with_stack += w[i].waiter[0] != 0;
	}
	free(w);
	return s;
}

static int other_programs_run(void)
{
	struct sd_switch_programs p;
	const int rc = sd_switch_programs_open(&p);

	sd_switch_programs_close(&p);
	return rc == 0;
}

static int is_new_enough(void)
{
	struct utsname of;
	unsigned major = 0, minor = 0;

	return uname(&of) == 0 && sscanf(of.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 19));
}

static void open_or_skip(struct sd_lock_programs *p)
{
	const int rc = sd_lock_programs_open(p);

	if (!rc)
		return;
	/* where other programs are allowed, and the kernel has these points, nothing keeps them
	 * away
	 */
	assert_false(is_new_enough() && other_programs_run());
	print_message("SKIP: programs in the kernel: %s\n", strerror(-rc));
	skip();
}

/* A thread waits within its calls: no sum is longer than they took by the program's own clock. And
 * of several calls that began during a write and ended after it one at least waited for it. */
static void waits_are_within_the_calls_that_wait(void **state)
{
	struct sd_lock_programs p;
	struct result r;
	struct seen s;

	(void)state;
	open_or_skip(&p);
	r = run(&p, 1);
	s = take(&p);
	assert_true(s.mutex_s <= r.asked_s + r.wrote_s);
	assert_true(s.longest_s <= s.mutex_s);
	if (r.met >= 3) {
		assert_true(s.mutexes > 0);
		assert_true(s.with_stack > 0);
	}
	/* what was taken is gone */
	assert_int_equal(take(&p).waits, 0);
	sd_lock_programs_close(&p);
}

static void nobody_else_is_watched(void **state)
{
	struct sd_lock_programs p;

	(void)state;
	open_or_skip(&p);
	(void)run(&p, 0);
	assert_int_equal(take(&p).waits, 0);
	/* nor one whose watching has ended */
	(void)run(&p, 1);
	(void)take(&p);
	(void)run(&p, 0);
	assert_int_equal(take(&p).waits, 0);
	sd_lock_programs_close(&p);
	sd_lock_programs_close(&p);
}

#define MS UINT64_C(1000000)

/* As if a CPU had met so many waits. */
static void add_waits(struct sd_lock_programs *p, uint64_t n)
{
	struct sd_lock_cpu *const cpu = calloc(p->cpus, sizeof *cpu);
	const uint32_t key = 0;

	assert_non_null(cpu);
	assert_int_equal(sd_bpf_calls_get(p->maps.cpu, &key, cpu), 0);
	cpu[0].all += n;
	assert_int_equal(sd_bpf_calls_put(p->maps.cpu, &key, cpu), 0);
	free(cpu);
}

/* 5000 waits in 25 ms are 200,000 a second: the rest is as long as the spell, and of ten times as
 * many the longest. What attaching and detaching take is in them. */
static void too_many_waits_are_timed_in_spells(void **state)
{
	struct sd_lock_programs p;
	uint64_t now = 1000 * MS;

	(void)state;
	open_or_skip(&p);
	assert_int_equal(sd_lock_programs_pace(&p, now), 25 * MS);
	add_waits(&p, 2500);
	assert_int_equal(sd_lock_programs_pace(&p, now += 25 * MS), 25 * MS);
	assert_false(p.paused);
	add_waits(&p, 5000);
	assert_true(sd_lock_programs_pace(&p, now += 25 * MS) >= 25 * MS);
	assert_true(p.paused);
	assert_int_equal(p.on, p.since - 1000 * MS);
	assert_int_equal(p.until - p.since, 25 * MS);
	now = p.until - 1;
	assert_int_equal(sd_lock_programs_pace(&p, now), 1);
	now = p.until;
	assert_true(sd_lock_programs_pace(&p, now) >= 25 * MS);
	assert_false(p.paused);
	assert_true(p.at[SD_LOCK_POINT_BEGIN] >= 0 && p.at[SD_LOCK_POINT_END] >= 0);
	assert_true(p.off >= 25 * MS);
	assert_int_equal(p.on + p.off, p.since - 1000 * MS);
	add_waits(&p, 50000);
	(void)sd_lock_programs_pace(&p, p.until);
	assert_int_equal(p.until - p.since, 250 * MS);
	/* what is taken then ends it, and the next one is timed */
	assert_int_equal(take(&p).waits, 0);
	assert_false(p.paused);
	assert_int_equal(p.on + p.off, 0);
	(void)run(&p, 1);
	(void)take(&p);
	sd_lock_programs_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_within_the_calls_that_wait),
		cmocka_unit_test(nobody_else_is_watched),
		cmocka_unit_test(too_many_waits_are_timed_in_spells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
