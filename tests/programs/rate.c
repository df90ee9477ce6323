/* Runs for SECONDS, whatever the number of threads, and prints the work it did a second. */
#include <stdio.h>
#include <time.h>

#include "team.h"
#include "work.h"

#define PIECE 1e-4

struct job {
	double seconds;
	double pieces[TEAM_MAX]; /* written once, at the end */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void part(const struct team_member *m)
{
	struct job *const job = m->arg;
	const double end = now() + job->seconds;
	double pieces = 0;

	do {
		work(PIECE);
		pieces++;
	} while (now() < end);
	job->pieces[m->id] = pieces;
}

int main(int argc, char **argv)
{
	static struct job job;
	const unsigned n = work_threads();
	double sum = 0;

	job.seconds = work_amount(argc, argv);
	team_run(n, part, &job);
	for (unsigned i = 0; i < n; i++)
		sum += job.pieces[i];
	printf("warm-up done\nthroughput: %.1f pieces/s\n", sum / job.seconds);
	return 0;
}
