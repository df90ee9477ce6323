/*
 * Parallel regions of OpenMP, each with timers placed by hand, in JSON on its standard output:
 *
 *   regions_omp ENTRIES    of each region; in each of them two threads are to be busy so many ms,
 *                          whether they have a CPU or not
 *
 * "even" 4 and 4; "uneven" 2 and 6; "critical" 3 and 3, one after the other; "barrier" 2 and 6,
 * then 6 and 2; "tasks" eight of 1 that one thread makes; "loop" pieces of .01, whoever asks first;
 * "nested" a region inside of another. `stolen`: s in which a busy thread saw nothing of the clock.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GAP 2e-5
#define MOST 64

static struct {
	double stolen;
} seen;

/* Not omp_get_wtime(): LLVM's has the seconds since 1970 in a double, which are .24 us apart. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void be_busy(double ms)
{
	const double end = now() + ms * 1e-3;
	double last = now(), stolen = 0;

	for (double t = last; t < end; last = t) {
		t = now();
		stolen += t - last > GAP ? t - last : 0;
	}
#pragma omp atomic
	seen.stolen += stolen;
}

/* Around a region, inside of it, and what its two threads were busy with: by hand. */
struct timers {
	double outer, busy, imbalance, lock;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static void even(struct timers *t)
{
	const double start = now();
	double busy[2] = {0};

#pragma omp parallel num_threads(2)
	{
		const double from = now();

		be_busy(4);
		busy[omp_get_thread_num()] = now() - from;
	}
	t->outer += now() - start;
	t->busy += busy[0] + busy[1];
}

static void uneven(struct timers *t)
{
	const double start = now();
	double end[2] = {0}, busy[2] = {0};

#pragma omp parallel num_threads(2)
	{
		const int self = omp_get_thread_num();
		const double from = now();

		be_busy(self ? 2 : 6);
		end[self] = now();
		busy[self] = end[self] - from;
	}
	t->outer += now() - start;
	t->busy += busy[0] + busy[1];
	t->imbalance += 2 * larger(end[0], end[1]) - end[0] - end[1];
}

static void critical(struct timers *t)
{
	const double start = now();
	double lock[2] = {0}, busy[2] = {0};

#pragma omp parallel num_threads(2)
	{
		const int self = omp_get_thread_num();
		const double from = now();
		double got;

#pragma omp critical
		{
			got = now();
			lock[self] = got - from;
			be_busy(3);
			busy[self] = now() - got;
		}
	}
	t->outer += now() - start;
	t->busy += busy[0] + busy[1];
	t->lock += lock[0] + lock[1];
}

static void barrier(struct timers *t)
{
	const double start = now();
	double met[2] = {0}, end[2] = {0}, busy[2] = {0};

#pragma omp parallel num_threads(2)
	{
		const int self = omp_get_thread_num();
		double from = now();

		be_busy(self ? 2 : 6);
		met[self] = now();
		busy[self] = met[self] - from;
#pragma omp barrier
		from = now();
		be_busy(self ? 6 : 2);
		end[self] = now();
		busy[self] += end[self] - from;
	}
	t->outer += now() - start;
	t->busy += busy[0] + busy[1];
	t->imbalance += 2 * larger(met[0], met[1]) - met[0] - met[1];
	t->imbalance += 2 * larger(end[0], end[1]) - end[0] - end[1];
}

static void tasks(struct timers *t)
{
	const double start = now();
	double busy = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task shared(busy)
		{
			const double from = now();

			be_busy(1);
#pragma omp atomic
			busy += now() - from;
		}
	}
	t->outer += now() - start;
	t->busy += busy;
}

static void loop(struct timers *t)
{
	const double start = now();
	double busy = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic, 1) reduction(+ : busy)
	for (int i = 0; i < 400; i++) {
		const double from = now();

		be_busy(.01);
		busy += now() - from;
	}
	t->outer += now() - start;
	t->busy += busy;
}

static void nested(struct timers *t)
{
	const double start = now();

#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(1)
		be_busy(1);
	}
	t->outer += now() - start;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct timers *t);
	} region[] = {{"even", even}, {"uneven", uneven}, {"critical", critical},
		{"barrier", barrier}, {"tasks", tasks}, {"loop", loop}, {"nested", nested}};
	const int entries = argc > 1 ? atoi(argv[1]) : 5;
	const double began = now();
	double inside = 0;

	/* the runtime's own start is in none of them */
#pragma omp parallel num_threads(2)
	be_busy(.1);
	printf("{");
	for (unsigned k = 0; k < sizeof region / sizeof *region; k++) {
		struct timers t = {0};

		seen.stolen = 0;
		for (int i = 0; i < entries; i++)
			region[k].run(&t);
		inside += t.outer;
		printf("\"%s\": {\"outer\": %.9f, \"busy\": %.9f, \"imbalance\": %.9f, \"lock\": %.9f, "
		       "\"stolen\": %.9f},\n",
			region[k].name, t.outer, t.busy, t.imbalance, t.lock, seen.stolen);
	}
	printf("\"outside\": %.9f}\n", now() - began - inside);
	return 0;
}
