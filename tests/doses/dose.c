/*
 * A program with a dial: so much of its work meets a cause, and it says itself what that cost.
 *
 *   dose SECONDS CAUSE=SHARE... | CAUSE:SHARE...
 *
 * SECONDS of work at 3 GHz in all, by OMP_NUM_THREADS threads; with "=" SHARE of it meets the cause
 * (dose_kind), with ":" as much of it is done in the good form, which loses nothing to it: striped,
 * padded, batched, a part for each thread. Several causes take turns, with an equal part of the
 * work each. The amount of work and the number of its sections are the same for every number of
 * threads.
 *
 * DOSE_LOG names a file to which every run appends a line (dose_log.h). Its s are by the clock and
 * around the cause's own steps alone.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dose_growth.h"
#include "dose_locks.h"
#include "dose_waits.h"

/* clang-format off */
static const struct dose_kind dose_kind[] = {
	{"serial",    dose_serial},
	{"late",      dose_late},
	{"lock",      dose_mutex},
	{"spinlock",  dose_spin},
	{"barrier",   dose_barrier},
	{"sleep",     dose_sleep},
	{"disk",      dose_disk},
	{"crowd",     dose_crowd},
	{"quota",     dose_quota},
	{"extra",     dose_extra},
	{"false",     dose_false},
	{"true",      dose_true},
	{"allocator", dose_allocator},
	{"position",  dose_position},
	{"faults",    dose_faults},
};
/* clang-format on */
#define DOSE_KINDS (sizeof dose_kind / sizeof *dose_kind)

#define TURNS 4 /* of each cause, where there are several */

static int read_dose(const char *word, struct dose *d)
{
	const size_t n = strcspn(word, "=:");

	*d = (struct dose){.bad = word[n] == '='};
	for (size_t i = 0; i < DOSE_KINDS; i++)
		if (strlen(dose_kind[i].name) == n && strncmp(dose_kind[i].name, word, n) == 0)
			d->kind = &dose_kind[i];
	d->share = word[n] ? strtod(word + n + 1, NULL) : -1;
	return d->kind && d->share > 0 && d->share <= DOSE_MOST ? 0 : -1;
}

/* One arena for all threads has to be asked for before there are any. */
static void prepare(struct dose_run *r)
{
	for (size_t i = 0; i < r->n_dose; i++)
		if (strcmp(r->dose[i].kind->name, "allocator") == 0 && r->dose[i].bad)
			mallopt(M_ARENA_MAX, 1);
	if (pthread_barrier_init(&r->gate, NULL, r->n) || pthread_mutex_init(&r->mutex, NULL) ||
		pthread_spin_init(&r->spin, PTHREAD_PROCESS_PRIVATE))
		abort();
	r->file = memfd_create("dose", MFD_CLOEXEC);
	if (r->file < 0 || ftruncate(r->file, DOSE_BLOCK) ||
		sched_getaffinity(0, sizeof r->all, &r->all))
		abort();
}

static double cpu_seconds(void)
{
	return dose_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* s that this thread has waited for a CPU; 0 where the kernel does not say. */
static double ready_seconds(void)
{
	FILE *const f = fopen("/proc/thread-self/schedstat", "re");
	unsigned long long ran, ready = 0;

	if (f && fscanf(f, "%llu %llu", &ran, &ready) != 2)
		ready = 0;
	if (f)
		fclose(f);
	return 1e-9 * (double)ready;
}

/* Does this thread's part; where causes take turns, nobody begins before all have ended the last.
 */
static void part(const struct team_member *m)
{
	struct dose_run *const r = m->arg;
	const size_t turns = r->n_dose > 1 ? TURNS : 1;
	struct dose_thread t = {.id = m->id, .run = r};
	double ready;

	for (size_t i = 0; i < turns * r->n_dose; i++) {
		const struct dose *const d = &r->dose[i % r->n_dose];
		struct dose_sum *const sum = &t.sum[i % r->n_dose];

		if (r->n_dose > 1)
			pthread_barrier_wait(&r->gate);
		t.turn = (unsigned)i;
		d->kind->run(&t, d, r->amount / (double)(turns * r->n_dose), sum);
	}
	ready = ready_seconds();
	pthread_mutex_lock(&r->mutex);
	r->ready += ready;
	for (size_t i = 0; i < r->n_dose; i++) {
		r->sum[i].met += t.sum[i].met;
		r->sum[i].cost += t.sum[i].cost;
	}
	pthread_mutex_unlock(&r->mutex);
}

static void say(const struct dose_run *r, double wall)
{
	const char *const path = getenv("DOSE_LOG");
	struct dose_line line = {.threads = r->n,
		.wall = wall,
		.cpu = cpu_seconds(),
		.ready = r->ready,
		.n = r->n_dose};
	char text[DOSE_TEXT];
	int fd;

	for (size_t i = 0; i < r->n_dose; i++) {
		snprintf(
			line.cause[i].name, sizeof line.cause[i].name, "%s", r->dose[i].kind->name);
		line.cause[i].met = r->sum[i].met / (r->amount / (double)r->n_dose);
		line.cause[i].cost = r->sum[i].cost;
	}
	dose_write(&line, text);
	fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : STDOUT_FILENO;
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
}

int main(int argc, char **argv)
{
	const double start = dose_clock(CLOCK_MONOTONIC);
	static struct dose_run r;

	r.n = work_threads();
	r.amount = work_amount(argc, argv);
	for (int i = 2; i < argc && r.n_dose < DOSE_TOGETHER; i++)
		if (read_dose(argv[i], &r.dose[r.n_dose++])) {
			fprintf(stderr, "dose: %s: not CAUSE=SHARE of a known cause, up to %g\n",
				argv[i], DOSE_MOST);
			return 2;
		}
	if (r.n_dose == 0 || argc > 2 + DOSE_TOGETHER) {
		fprintf(stderr, "usage: dose SECONDS CAUSE=SHARE [CAUSE=SHARE]\n");
		return 2;
	}
	prepare(&r);
	team_run(r.n, part, &r);
	say(&r, dose_clock(CLOCK_MONOTONIC) - start);
	return 0;
}
