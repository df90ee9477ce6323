/*
 * Two thieves. One stores past the caches as fast as memory takes it, so that bandwidth goes and
 * cache content stays; the other reads the same memory over and over, so that it stays in the
 * shared cache and little else is used.
 */
#include "bench/thief.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/arena.h"
#include "loops/stream.h"

/* Doubles moved between two additions to the count: 128 KiB. */
#define CHUNK ((size_t)32 * SD_STREAM_GRAIN)
/* Bytes of the streaming thief: more than private caches hold, where it has no stores past them. */
#define STREAM_BYTES ((size_t)64 << 20)
/* Bytes of the walking thief: no core's cache is larger, and no larger share is worth its
 * faults. */
#define WALK_LEAST ((size_t)8 << 20)
#define WALK_MOST ((size_t)512 << 20)

struct worker {
	pthread_t thread;
	unsigned cpu;
	double *base;
	size_t length; /* doubles, whole chunks */
	sd_stream_fn move;
	struct sd_thief_shown *shown;
};

static void bind_to(unsigned cpu)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	/* a CPU that went away: it moves on another, and what it moved is still true */
	(void)sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

static void *work(void *arg)
{
	const struct worker *w = arg;

	bind_to(w->cpu);
	for (size_t i = 0;; i = i + CHUNK < w->length ? i + CHUNK : 0) {
		w->move(w->base + i, NULL, NULL, CHUNK);
		atomic_fetch_add_explicit(
			&w->shown->moved, CHUNK * sizeof(double), memory_order_relaxed);
	}
	return NULL;
}

/* Each worker its part of one arena; comes back only when nothing could be begun. */
static void steal(const struct sd_thief_ask *ask, struct sd_thief_shown *shown, sd_stream_fn move)
{
	const size_t n = ask->cpus->n, chunk = CHUNK * sizeof(double);
	const size_t each = (ask->bytes / n + chunk - 1) / chunk * chunk;
	struct worker *worker = calloc(n, sizeof *worker);
	struct sd_arena arena = {0};
	size_t begun = 0;
	int rc = worker ? sd_arena_map(&arena, each * n, SD_PAGES_HUGE) : -ENOMEM;

	if (rc == -ENOTSUP)
		rc = sd_arena_map(&arena, each * n, SD_PAGES_BASE);
	if (!rc)
		sd_arena_touch(arena.base, arena.bytes);
	for (; begun < n && !rc; begun += !rc) {
		struct worker *const w = &worker[begun];

		*w = (struct worker){.cpu = ask->cpus->cpu[begun],
			.base = (double *)(void *)(arena.base + begun * each),
			.length = each / sizeof(double),
			.move = move,
			.shown = shown};
		rc = -pthread_create(&w->thread, NULL, work, w);
	}
	atomic_store(&shown->ready, rc ? rc : 1);
	if (!rc)
		for (;;)
			pause(); /* until whoever started it ends this process */
	if (begun)
		return; /* those that began move in it until this process ends */
	sd_arena_free(&arena);
	free(worker);
}

/* ---- bandwidth ---- */

static size_t stream_bytes(double llc_bytes, unsigned cores)
{
	(void)llc_bytes;
	return STREAM_BYTES * (cores > 1 ? cores - 1 : 1);
}

static void stream(const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	const struct sd_stream_isa *const *isa;
	sd_stream_fn move;

	sd_stream_isas(&isa);
	move = isa[0]->fn[SD_STREAM_WRITE][SD_STORES_NT];
	steal(ask, shown, move ? move : isa[0]->fn[SD_STREAM_WRITE][SD_STORES_REGULAR]);
}

static const struct sd_thief bandwidth = {
	.name = "bandwidth-thief", .bytes = stream_bytes, .run = stream};

/* ---- cache ---- */

static size_t walk_bytes(double llc_bytes, unsigned cores)
{
	const double share = cores > 1 ? llc_bytes * (cores - 1) / cores : 0;

	if (!(share > (double)WALK_LEAST))
		return WALK_LEAST;
	return share < (double)WALK_MOST ? (size_t)share : WALK_MOST;
}

static void walk(const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	const struct sd_stream_isa *const *isa;

	sd_stream_isas(&isa);
	steal(ask, shown, isa[0]->fn[SD_STREAM_READ][SD_STORES_REGULAR]);
}

static const struct sd_thief cache = {.name = "cache-thief", .bytes = walk_bytes, .run = walk};

const struct sd_thief *const sd_thief_registry[] = {&bandwidth, &cache, NULL};
