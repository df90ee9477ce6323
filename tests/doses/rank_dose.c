/*
 * The program with a dial (dose.c) as ranks of MPI: so much of its work meets a cause, and it says
 * itself what that cost.
 *
 *   rank_dose SECONDS CAUSE=SHARE | CAUSE:SHARE
 *
 * SECONDS of work at 3 GHz in all, in rounds; ":" is the good form, which loses nothing to it.
 *
 *   rank-imbalance   rank 0 has a share of each round more than the others, which wait for it
 *   late-sender      one rank, in turns, works a share of each round before it sends what the
 *                    others wait for: all work as much, and one after the other
 *   transfer         in each round ranks exchange as much as takes about that share of it
 *
 * Rank 0 appends the line of the run to DOSE_LOG (dose_log.h): costs of the first two are CPU time
 * of the work that is waited for, so that they are the same beside others; that of the third is
 * what each rank is in the exchange after the last has come to it.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dose_log.h"
#include "work.h"

#define ROUND .02          /* s of work between two meetings */
#define BYTES_A_SECOND 2e9 /* between two ranks of a node, as a share is turned to bytes */
#define MOST_BYTES (1 << 25)

struct ranks {
	int id, n;
	double amount, share;
	int bad;
	double met, cost; /* s, of this rank */
};

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* s of CPU time that the work took. */
__attribute__((noinline)) static double do_work(double amount)
{
	const double from = now(CLOCK_PROCESS_CPUTIME_ID);

	work(amount);
	return now(CLOCK_PROCESS_CPUTIME_ID) - from;
}

/* Every rank is the sender equally often. */
static long rounds_of(const struct ranks *r)
{
	const long turns = (long)(r->amount / ROUND / r->n + .5);

	return (turns > 0 ? turns : 1) * r->n;
}

static void imbalance(struct ranks *r)
{
	const long rounds = rounds_of(r);
	const double round = r->amount / (double)rounds, more = r->share * round;
	const double part =
		(round - (r->bad ? more : 0)) / r->n + (r->bad && r->id == 0 ? more : 0);

	for (long i = 0; i < rounds; i++) {
		const double took = do_work(part);

		if (r->id == 0 && r->bad) {
			r->met += more;
			r->cost += took * more / part * (r->n - 1);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* The work alone, and then the message. */
static void send_late(struct ranks *r, int sender, double alone)
{
	char token = 0;

	if (r->id != sender) {
		MPI_Recv(&token, 1, MPI_CHAR, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	r->cost += do_work(alone) * (r->n - 1);
	r->met += alone;
	for (int to = 0; to < r->n; to++)
		if (to != sender)
			MPI_Send(&token, 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

static void late_sender(struct ranks *r)
{
	const long rounds = rounds_of(r);
	const double round = r->amount / (double)rounds, alone = r->bad ? r->share * round : 0;

	for (long i = 0; i < rounds; i++) {
		if (r->bad)
			send_late(r, (int)(i % r->n), alone);
		do_work((round - alone) / r->n);
	}
}

/* s that this rank is in the exchange after the last came to it. Clocks of a node are one. */
static double in_exchange(const double *from, const double *to, long rounds)
{
	double *const last = malloc((size_t)rounds * sizeof *last), sum = 0;

	if (!last)
		abort();
	MPI_Allreduce(from, last, (int)rounds, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	for (long i = 0; i < rounds; i++)
		sum += to[i] > last[i] ? to[i] - last[i] : 0;
	free(last);
	return sum;
}

static void transfer(struct ranks *r)
{
	static char out[MOST_BYTES], in[MOST_BYTES];
	const long rounds = rounds_of(r);
	const double round = r->amount / (double)rounds / r->n;
	double *const from = calloc(2 * (size_t)rounds, sizeof *from), *const to = from + rounds;
	const int bytes = r->bad ? (int)(r->share * round * BYTES_A_SECOND) : 1;

	if (!from || bytes > MOST_BYTES)
		abort();
	for (long i = 0; i < rounds; i++) {
		do_work((1 - r->share) * round);
		from[i] = now(CLOCK_MONOTONIC);
		if (r->n > 1)
			MPI_Sendrecv(out, bytes, MPI_CHAR, (r->id + 1) % r->n, 0, in, bytes,
				MPI_CHAR, (r->id + r->n - 1) % r->n, 0, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		to[i] = now(CLOCK_MONOTONIC);
		r->met += r->bad ? r->share * round : 0;
	}
	r->cost = in_exchange(from, to, rounds);
	free(from);
}

static const struct {
	const char *name;
	void (*run)(struct ranks *);
} kind[] = {{"rank-imbalance", imbalance}, {"late-sender", late_sender}, {"transfer", transfer}};
#define KINDS (sizeof kind / sizeof *kind)

/* s that this process was ready and had no CPU; 0 where the kernel does not say. */
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

static void say(const struct ranks *r, const char *name, double start)
{
	const double own[4] = {
		now(CLOCK_PROCESS_CPUTIME_ID), ready_seconds(), r->met / r->amount, r->cost};
	const char *const path = getenv("DOSE_LOG");
	struct dose_line line = {.threads = (unsigned)r->n, .n = 1};
	char text[DOSE_TEXT];
	double all[4];
	int fd;

	MPI_Reduce(own, all, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (r->id != 0)
		return;
	line.wall = now(CLOCK_MONOTONIC) - start;
	line.cpu = all[0];
	line.ready = all[1];
	snprintf(line.cause[0].name, sizeof line.cause[0].name, "%s", name);
	line.cause[0].met = all[2];
	line.cause[0].cost = all[3];
	dose_write(&line, text);
	fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : STDOUT_FILENO;
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
}

int main(int argc, char **argv)
{
	const double start = now(CLOCK_MONOTONIC);
	const char *const dose = argc == 3 ? argv[2] : "";
	const size_t length = strcspn(dose, "=:");
	struct ranks r = {.amount = work_amount(argc, argv),
		.bad = dose[length] == '=',
		.share = dose[length] ? strtod(dose + length + 1, NULL) : -1};
	size_t k = 0;

	while (k < KINDS && (strlen(kind[k].name) != length || strncmp(kind[k].name, dose, length)))
		k++;
	if (k == KINDS || !(r.share > 0 && r.share <= .9)) {
		fprintf(stderr, "usage: rank_dose SECONDS CAUSE=SHARE, of a cause of ranks\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.id);
	MPI_Comm_size(MPI_COMM_WORLD, &r.n);
	kind[k].run(&r);
	say(&r, kind[k].name, start);
	MPI_Finalize();
	return 0;
}
