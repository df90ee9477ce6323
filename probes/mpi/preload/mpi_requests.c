#include "preload/mpi_preload.h"

#include <pthread.h>

/* Requests under way at the same time that can be followed. */
#define MOST 65536u
#define BUCKETS 4096u

static struct {
	struct sd_mpi_request request;
	uint32_t next; /* index + 1; of the bucket, or of the unused ones */
} pool[MOST];
static struct {
	uint32_t first, last; /* index + 1: in the order in which they came */
} bucket[BUCKETS];
static uint32_t used, unused, numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned bucket_of(unsigned long handle)
{
	return (unsigned)((handle * 0x9e3779b97f4a7c15ull) >> 52) % BUCKETS;
}

uint32_t sd_mpi_requests_number(void)
{
	return __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

void sd_mpi_requests_add(const struct sd_mpi_request *r)
{
	const unsigned b = bucket_of(r->handle);
	uint32_t at;

	pthread_mutex_lock(&lock);
	at = unused ? unused : used < MOST ? ++used : 0;
	if (!at) {
		sd_mpi_log_head->lost++;
		pthread_mutex_unlock(&lock);
		return;
	}
	if (at == unused)
		unused = pool[at - 1].next;
	pool[at - 1].request = *r;
	pool[at - 1].next = 0;
	if (bucket[b].last)
		pool[bucket[b].last - 1].next = at;
	else
		bucket[b].first = at;
	bucket[b].last = at;
	pthread_mutex_unlock(&lock);
}

/* The oldest with this handle, and the one before it in the bucket; called with the lock held. */
static uint32_t find(unsigned long handle, uint32_t *before)
{
	uint32_t at = bucket[bucket_of(handle)].first;

	for (*before = 0; at && pool[at - 1].request.handle != handle; at = pool[at - 1].next)
		*before = at;
	return at;
}

static void drop(unsigned b, uint32_t at, uint32_t before)
{
	if (before)
		pool[before - 1].next = pool[at - 1].next;
	else
		bucket[b].first = pool[at - 1].next;
	if (bucket[b].last == at)
		bucket[b].last = before;
	pool[at - 1].next = unused;
	unused = at;
}

int sd_mpi_requests_take(unsigned long handle, struct sd_mpi_request *out)
{
	uint32_t before, at;
	int found = 0;

	pthread_mutex_lock(&lock);
	at = find(handle, &before);
	if (at) {
		struct sd_mpi_request *const r = &pool[at - 1].request;

		*out = *r;
		found = !r->persistent || r->active;
		r->active = 0;
		if (!out->persistent)
			drop(bucket_of(handle), at, before);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

int sd_mpi_requests_start(unsigned long handle, struct sd_mpi_request *out)
{
	uint32_t before, at;

	pthread_mutex_lock(&lock);
	at = find(handle, &before);
	if (at) {
		pool[at - 1].request.number = sd_mpi_requests_number();
		pool[at - 1].request.active = 1;
		*out = pool[at - 1].request;
	}
	pthread_mutex_unlock(&lock);
	return at != 0;
}

void sd_mpi_requests_forget(unsigned long handle)
{
	uint32_t before, at;

	pthread_mutex_lock(&lock);
	at = find(handle, &before);
	if (at)
		drop(bucket_of(handle), at, before);
	pthread_mutex_unlock(&lock);
}
