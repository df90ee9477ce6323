#include "preload/mpi_preload.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS 64u

/* One communicator of the log, and what of it stays in the process. */
static struct {
	unsigned long handle; /* 0: its communicator was freed */
	int *member;          /* ranks in MPI_COMM_WORLD; NULL: its own ranks, or not known */
	uint32_t order;
	int world;
} known[SD_MPI_LOG_COMMS];
static struct {
	unsigned long window;
	uint32_t comm;
} window[WINDOWS];
static unsigned windows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sd_mpi_next_fn *comm_size, *comm_rank, *comm_group, *inter_group, *test_inter, *translate,
	*group_free, *group_size;

#define CALL(fn, a, b, c, d, e) \
	fn((long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0, 0, 0, 0, 0, 0, 0)

void sd_mpi_comms_begin(void)
{
	comm_size = sd_mpi_next_find("Comm_size");
	comm_rank = sd_mpi_next_find("Comm_rank");
	comm_group = sd_mpi_next_find("Comm_group");
	inter_group = sd_mpi_next_find("Comm_remote_group");
	test_inter = sd_mpi_next_find("Comm_test_inter");
	translate = sd_mpi_next_find("Group_translate_ranks");
	group_free = sd_mpi_next_find("Group_free");
	group_size = sd_mpi_next_find("Group_size");
}

/* The ranks of a communicator, or the other side's of an intercommunicator, in MPI_COMM_WORLD. */
static int *members_of(unsigned long handle, int inter, int *size)
{
	unsigned long group = 0, all = 0;
	int *from = NULL, *to = NULL;

	if (!comm_group || !translate || !group_size || (inter && !inter_group) ||
		(int)CALL((inter ? inter_group : comm_group), handle, &group, 0, 0, 0) ||
		(int)CALL(comm_group, sd_mpi_abi.world, &all, 0, 0, 0) ||
		(int)CALL(group_size, sd_mpi_handle_at((long)&group), size, 0, 0, 0) || *size < 1)
		return NULL;
	from = malloc((size_t)*size * sizeof *from);
	to = malloc((size_t)*size * sizeof *to);
	for (int i = 0; from && i < *size; i++)
		from[i] = i;
	if (!from || !to ||
		(int)CALL(translate, sd_mpi_handle_at((long)&group), *size, from,
			sd_mpi_handle_at((long)&all), to)) {
		free(to);
		to = NULL;
	}
	free(from);
	if (group_free) {
		CALL(group_free, &group, 0, 0, 0, 0);
		CALL(group_free, &all, 0, 0, 0, 0);
	}
	return to;
}

static uint64_t hash(const int *member, int n)
{
	uint64_t h = 14695981039346656037ull;

	for (int i = 0; i < n; i++)
		h = (h ^ (uint32_t)(member ? member[i] : i)) * 1099511628211ull;
	return h ? h : 1;
}

/* A new row; called with the lock held. */
static uint32_t enter(unsigned long handle)
{
	const uint32_t at = sd_mpi_log_head->comms;
	struct sd_mpi_comm *const c = &sd_mpi_log_head->comm[at];
	int inter = 0, size = 0, rank = 0;

	if (at >= SD_MPI_LOG_COMMS || !comm_size || !comm_rank)
		return SD_MPI_NO_COMM;
	if (test_inter)
		CALL(test_inter, handle, &inter, 0, 0, 0);
	if ((int)CALL(comm_rank, handle, &rank, 0, 0, 0) ||
		(int)CALL(comm_size, handle, &size, 0, 0, 0))
		return SD_MPI_NO_COMM;
	known[at].handle = handle;
	known[at].world = handle == sd_mpi_abi.world;
	known[at].member = known[at].world ? NULL : members_of(handle, inter, &size);
	*c = (struct sd_mpi_comm){.size = (uint32_t)size, .rank = (uint32_t)rank};
	/* the two sides of an intercommunicator name other members: no collective is matched */
	c->members =
		inter || (!known[at].world && !known[at].member) ? 0 : hash(known[at].member, size);
	for (uint32_t i = 0; i < at; i++)
		c->nth += sd_mpi_log_head->comm[i].members == c->members &&
			  sd_mpi_log_head->comm[i].size == c->size;
	__atomic_store_n(&sd_mpi_log_head->comms, at + 1, __ATOMIC_RELEASE);
	return at;
}

uint32_t sd_mpi_comms_find(unsigned long handle)
{
	static __thread uint32_t last;
	uint32_t n = __atomic_load_n(&sd_mpi_log_head->comms, __ATOMIC_ACQUIRE),
		 at = SD_MPI_NO_COMM;

	if (last < n && known[last].handle == handle)
		return last;
	if (!handle || handle == sd_mpi_abi.null)
		return SD_MPI_NO_COMM;
	pthread_mutex_lock(&lock);
	for (uint32_t i = sd_mpi_log_head->comms; i > 0 && at == SD_MPI_NO_COMM; i--)
		at = known[i - 1].handle == handle ? i - 1 : at;
	if (at == SD_MPI_NO_COMM)
		at = enter(handle);
	pthread_mutex_unlock(&lock);
	last = at == SD_MPI_NO_COMM ? 0 : at;
	return at;
}

void sd_mpi_comms_forget(unsigned long handle)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < sd_mpi_log_head->comms; i++)
		if (known[i].handle == handle)
			known[i].handle = 0;
	pthread_mutex_unlock(&lock);
}

uint32_t sd_mpi_comms_order(uint32_t comm)
{
	return comm == SD_MPI_NO_COMM ? 0
				      : __atomic_fetch_add(&known[comm].order, 1, __ATOMIC_RELAXED);
}

int32_t sd_mpi_comms_world(uint32_t comm, int rank)
{
	if (comm == SD_MPI_NO_COMM || rank < 0 ||
		(uint32_t)rank >= sd_mpi_log_head->comm[comm].size)
		return SD_MPI_NOBODY;
	if (known[comm].world)
		return rank;
	return known[comm].member && known[comm].member[rank] >= 0 ? known[comm].member[rank]
								   : SD_MPI_NOBODY;
}

void sd_mpi_comms_window(unsigned long handle, uint32_t comm)
{
	pthread_mutex_lock(&lock);
	window[windows % WINDOWS].window = handle;
	window[windows++ % WINDOWS].comm = comm;
	pthread_mutex_unlock(&lock);
}

uint32_t sd_mpi_comms_of_window(unsigned long handle)
{
	uint32_t comm = SD_MPI_NO_COMM;

	pthread_mutex_lock(&lock);
	for (unsigned i = windows; i > 0 && i + WINDOWS > windows; i--)
		if (window[(i - 1) % WINDOWS].window == handle) {
			comm = window[(i - 1) % WINDOWS].comm;
			break;
		}
	pthread_mutex_unlock(&lock);
	return comm;
}
