/* clang-format off */
/*
 * MPI programs whose load balance, serialisation and transfer are known by construction: PATTERN
 * [STEPS [WORK]]. Work is counted in iterations, so that what a rank computes does not depend on
 * the machine; N ranks.
 *
 *   balanced    all compute the same, then allreduce              LB 1, Ser 1
 *   imbalanced  rank 0 computes 3 times what each other does      LB (N + 2) / 3N, Ser 1
 *   chain       each rank computes when the one before has        LB 1, Ser 1/N
 *   master      only rank 0 computes; the others have its data    LB 1/N, Ser 1
 *   alltoall    a little work, much data exchanged                LB 1, Ser x Trf as it writes to ranks.transfer
 *   halo        neighbours exchange by Isend/Irecv/Waitall, rank 0 has 3 times the work: as imbalanced
 *   persistent  the same by persistent requests
 *   halves      two sub-communicators, in each of which its first rank computes 3 times as much
 *   hybrid      as imbalanced, with an OpenMP team in each rank
 *   sampler     master and workers by ANY_SOURCE: rank 0 only hands out; LB (N - 1) / N, N > 1
 *   window      as imbalanced, with MPI_Put between fences
 *   file        balanced, and each rank writes its part of a file
 *   killed      balanced, and the last of several ranks is killed halfway
 */
/* clang-format on */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, steps = 20;
static long work = 10000000;
static volatile double sink;
static MPI_Win win = MPI_WIN_NULL;

static double computed; /* s of this rank */

static void compute(long n)
{
	const double begin = MPI_Wtime();
	double x = 1;

	for (long i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
	computed += MPI_Wtime() - begin;
}

/* The work is the same at every number of ranks: each one's share of it, and rank 0's of three. */
static long even(void)
{
	return work / ranks;
}

static long uneven(int heavy, int of)
{
	return work * (heavy ? 3 : 1) / (of + 2);
}

static void sum_up(MPI_Comm comm)
{
	double one = sink, all;

	MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void balanced(void)
{
	compute(even());
	sum_up(MPI_COMM_WORLD);
}

static void imbalanced(void)
{
	compute(uneven(rank == 0, ranks));
	sum_up(MPI_COMM_WORLD);
}

static void chain(void)
{
	char token = 0;

	if (rank > 0)
		MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	compute(even());
	if (rank + 1 < ranks)
		MPI_Send(&token, 1, MPI_CHAR, rank + 1, 7, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void master(void)
{
	double data[128] = {0};

	if (rank == 0)
		compute(work);
	MPI_Bcast(data, 128, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* s that this thread was ready and had no CPU, by the kernel's count */
static double delay(void)
{
	static int fd = -1;
	char text[100] = "";
	unsigned long long ns = 0;

	if (fd < 0)
		fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, text, sizeof text - 1, 0) > 0)
		sscanf(text, "%*u %llu", &ns);
	return 1e-9 * (double)ns;
}

#define EXCHANGES 32

/* s without a CPU in each exchange of a step, of this rank and of the rank that had it longest;
 * the sum of the latter */
static double lacked[EXCHANGES], longest_lacked[EXCHANGES], all_lacked;

static void alltoall(void)
{
	const int each = 1 << 20;
	static char *from, *to;
	double since;

	if (!from) {
		from = calloc((size_t)ranks, (size_t)each);
		to = calloc((size_t)ranks, (size_t)each);
	}
	compute(even() / 20);
	for (int i = 0; i < EXCHANGES; i++) {
		since = delay();
		MPI_Alltoall(from, each, MPI_CHAR, to, each, MPI_CHAR, MPI_COMM_WORLD);
		lacked[i] = delay() - since;
	}
	MPI_Reduce(lacked, longest_lacked, EXCHANGES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	for (int i = 0; i < EXCHANGES; i++)
		all_lacked += longest_lacked[i];
}

static int before(void)
{
	return (rank + ranks - 1) % ranks;
}

static int after(void)
{
	return (rank + 1) % ranks;
}

static void halo(void)
{
	static double edge[2][64], ghost[2][64];
	MPI_Request r[4];

	MPI_Irecv(ghost[0], 64, MPI_DOUBLE, before(), 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(ghost[1], 64, MPI_DOUBLE, after(), 2, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(edge[0], 64, MPI_DOUBLE, after(), 1, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(edge[1], 64, MPI_DOUBLE, before(), 2, MPI_COMM_WORLD, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	compute(uneven(rank == 0, ranks));
}

static void persistent(void)
{
	static double edge[64], ghost[64];
	static MPI_Request r[2];
	static int made;

	if (!made++) {
		MPI_Recv_init(ghost, 64, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Send_init(edge, 64, MPI_DOUBLE, after(), 1, MPI_COMM_WORLD, &r[1]);
	}
	MPI_Startall(2, r);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	compute(uneven(rank == 0, ranks));
}

static void halves(void)
{
	static MPI_Comm half = MPI_COMM_NULL;
	int in, of;

	if (half == MPI_COMM_NULL)
		MPI_Comm_split(MPI_COMM_WORLD, rank < (ranks + 1) / 2, 0, &half);
	MPI_Comm_rank(half, &in);
	MPI_Comm_size(half, &of);
	compute(uneven(in == 0, of) / ((ranks + of - 1) / of));
	sum_up(half);
}

static void hybrid(void)
{
	const long mine = uneven(rank == 0, ranks);

#pragma omp parallel
	{
		double x = 1;

#pragma omp for schedule(static)
		for (long i = 0; i < mine; i++)
			x = x * 1.0000001 + 1e-9;
		if (x < 0)
			sink = x;
	}
	sum_up(MPI_COMM_WORLD);
}

static void sampler(void)
{
	int item = 0, left = 2 * (ranks - 1);
	MPI_Status status;

	if (ranks == 1)
		compute(work);
	if (rank > 0) {
		for (int i = 0; i < 2; i++) {
			MPI_Sendrecv(&item, 1, MPI_INT, 0, 3, &item, 1, MPI_INT, 0, 4,
				MPI_COMM_WORLD, &status);
			compute(work / 2 / (ranks - 1));
		}
		return;
	}
	for (; left > 0; left--) {
		MPI_Recv(&item, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Send(&item, 1, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD);
	}
}

static void window(void)
{
	static double *cell, one = 1;

	if (!cell) {
		MPI_Win_allocate(
			sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
		MPI_Win_fence(0, win);
	}
	compute(uneven(rank == 0, ranks));
	MPI_Put(&one, 1, MPI_DOUBLE, after(), 0, 1, MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
}

static void file(void)
{
	static char path[] = "ranks.data";
	double block[512] = {0};
	MPI_File f;

	compute(even());
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
	MPI_File_write_at_all(
		f, rank * (MPI_Offset)sizeof block, block, 512, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
}

static void killed(void)
{
	static int step;

	balanced();
	if (++step == steps / 2 && ranks > 1 && rank == ranks - 1)
		raise(SIGKILL);
}

/* Writes the network's cost, which only the program itself knows: the longest computation, and what
 * a rank without a CPU held up the others, over the time. A line of a file, as launchers' outputs
 * end in one. */
static void write_transfer(double elapsed)
{
	double longest;
	FILE *f;

	MPI_Reduce(&computed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	f = rank == 0 ? fopen("ranks.transfer", "a") : NULL;
	if (!f)
		return;
	fprintf(f, "%d %.4f\n", ranks, (longest + all_lacked) / elapsed);
	fclose(f);
}

static const struct {
	const char *name;
	void (*step)(void);
} pattern[] = {{"balanced", balanced}, {"imbalanced", imbalanced}, {"chain", chain},
	{"master", master}, {"alltoall", alltoall}, {"halo", halo}, {"persistent", persistent},
	{"halves", halves}, {"hybrid", hybrid}, {"sampler", sampler}, {"window", window},
	{"file", file}, {"killed", killed}};

int main(int argc, char **argv)
{
	const size_t n = sizeof pattern / sizeof *pattern;
	double elapsed;
	int provided;
	size_t p = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 2)
		steps = atoi(argv[2]);
	if (argc > 3)
		work = atol(argv[3]);
	while (p < n && (argc < 2 || strcmp(argv[1], pattern[p].name)))
		p++;
	if (p == n) {
		fprintf(stderr, "which pattern?\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	elapsed = MPI_Wtime();
	for (int i = 0; i < steps; i++)
		pattern[p].step();
	elapsed = MPI_Wtime() - elapsed;
	if (pattern[p].step == alltoall)
		write_transfer(elapsed);
	if (win != MPI_WIN_NULL)
		MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
