#include "kernels/lock_kinds.h"

#include <errno.h>
#include <sched.h>

#include "harness/team.h"
#include "base/clock.h"

/* Waiters give the CPU away now and then: the one they wait for may be descheduled,
 * perhaps here. */
#define SPINS_A_YIELD 4096u
/* A look at the clock costs some 25 ns: one in this time, s, is below 0.3 %. */
#define CLOCK_EVERY_S 10e-6
#define CHUNK_MAX 4096u

/*
 * A chain of multiplications, each of which waits for the one before: as long whatever else the
 * core does. A bare loop takes one cycle or two, as its sibling thread is idle or busy, and on a
 * virtual machine that is a stranger's.
 */
static inline void spin(uint64_t n)
{
	uint64_t x = 1, y = 3;

	for (uint64_t i = 0; i < n; i++) {
		x *= y;
		__asm__ volatile("" : "+r"(x), "+r"(y));
	}
}

void sd_lock_kind_spin(uint64_t n)
{
	spin(n);
}

static inline void wait_a_little(unsigned *spins)
{
	sd_relax();
	if (++*spins % SPINS_A_YIELD == 0)
		sched_yield();
}

/* ---- the system's ---- */

static int mutex_init(struct sd_lock_kind *l)
{
	return -pthread_mutex_init(&l->mutex, NULL);
}

/* Spins for a while before it sleeps; glibc alone has it. */
static int adaptive_init(struct sd_lock_kind *l)
{
#ifdef __GLIBC__
	pthread_mutexattr_t attr;
	int rc = pthread_mutexattr_init(&attr);

	if (rc)
		return -rc;
	rc = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	if (!rc)
		rc = pthread_mutex_init(&l->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return -rc;
#else
	(void)l;
	return -EOPNOTSUPP;
#endif
}

static void mutex_destroy(struct sd_lock_kind *l)
{
	pthread_mutex_destroy(&l->mutex);
}

static void mutex_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_mutex_lock(&l->mutex);
}

static void mutex_release(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_mutex_unlock(&l->mutex);
}

static int spin_init(struct sd_lock_kind *l)
{
	return -pthread_spin_init(&l->spin, PTHREAD_PROCESS_PRIVATE);
}

static void spin_destroy(struct sd_lock_kind *l)
{
	pthread_spin_destroy(&l->spin);
}

static void spin_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_spin_lock(&l->spin);
}

static void spin_release(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_spin_unlock(&l->spin);
}

static int rwlock_init(struct sd_lock_kind *l)
{
	return -pthread_rwlock_init(&l->rwlock, NULL);
}

static void rwlock_destroy(struct sd_lock_kind *l)
{
	pthread_rwlock_destroy(&l->rwlock);
}

static void read_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_rwlock_rdlock(&l->rwlock);
}

static void write_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_rwlock_wrlock(&l->rwlock);
}

static void rwlock_release(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	(void)n;
	pthread_rwlock_unlock(&l->rwlock);
}

/* ---- first come, first served ---- */

static int ticket_init(struct sd_lock_kind *l)
{
	atomic_init(&l->ticket.next, 0);
	atomic_init(&l->ticket.serving, 0);
	return 0;
}

static void ticket_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	unsigned mine = atomic_fetch_add_explicit(&l->ticket.next, 1, memory_order_relaxed);
	unsigned spins = 0;

	(void)n;
	while (atomic_load_explicit(&l->ticket.serving, memory_order_acquire) != mine)
		wait_a_little(&spins);
}

static void ticket_release(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	unsigned now = atomic_load_explicit(&l->ticket.serving, memory_order_relaxed);

	(void)n;
	atomic_store_explicit(&l->ticket.serving, now + 1, memory_order_release);
}

static int mcs_init(struct sd_lock_kind *l)
{
	atomic_init(&l->tail, NULL);
	return 0;
}

/* Mellor-Crummey and Scott, ACM TOCS 9(1), 1991, algorithm 5. */
static void mcs_acquire(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	struct sd_lock_kind_node *before;
	unsigned spins = 0;

	atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&n->waiting, 1, memory_order_relaxed);
	before = atomic_exchange_explicit(&l->tail, n, memory_order_acq_rel);
	if (!before)
		return;
	atomic_store_explicit(&before->next, n, memory_order_release);
	while (atomic_load_explicit(&n->waiting, memory_order_acquire))
		wait_a_little(&spins);
}

static void mcs_release(struct sd_lock_kind *l, struct sd_lock_kind_node *n)
{
	struct sd_lock_kind_node *after = atomic_load_explicit(&n->next, memory_order_acquire),
				 *me = n;
	unsigned spins = 0;

	if (!after && atomic_compare_exchange_strong_explicit(
			      &l->tail, &me, NULL, memory_order_release, memory_order_relaxed))
		return;
	/* Someone is in the queue behind us and about to say who. */
	while (!after) {
		wait_a_little(&spins);
		after = atomic_load_explicit(&n->next, memory_order_acquire);
	}
	atomic_store_explicit(&after->waiting, 0, memory_order_release);
}

/* ---- single atomic instructions ---- */

static int word_init(struct sd_lock_kind *l)
{
	atomic_init(&l->word, 0);
	return 0;
}

static void nothing_to_destroy(struct sd_lock_kind *l)
{
	(void)l;
}

static inline void word_add(struct sd_lock_kind *l)
{
	atomic_fetch_add_explicit(&l->word, 1, memory_order_relaxed);
}

static inline void word_cas(struct sd_lock_kind *l)
{
	uint64_t seen = atomic_load_explicit(&l->word, memory_order_relaxed);

	while (!atomic_compare_exchange_weak_explicit(
		&l->word, &seen, seen + 1, memory_order_relaxed, memory_order_relaxed))
		;
}

/* ---- hammering: one loop, compiled once a kind so that the lock is inlined into it ---- */

#define HAMMER(kind, critical)                                                                \
	static uint64_t kind##_hammer(struct sd_lock_kind *l, struct sd_lock_kind_node *node, \
		struct sd_lock_kind_load load, double end)                                    \
	{                                                                                     \
		double now = sd_clock_s();                                                    \
		uint64_t n = 0;                                                               \
		unsigned chunk = 1;                                                           \
                                                                                              \
		(void)node;                                                                   \
		while (now <= end) {                                                          \
			double before = now;                                                  \
                                                                                              \
			for (unsigned i = 0; i < chunk; i++) {                                \
				critical;                                                     \
				spin(load.outside);                                           \
			}                                                                     \
			n += chunk;                                                           \
			now = sd_clock_s();                                                   \
			if (now - before < CLOCK_EVERY_S && chunk < CHUNK_MAX)                \
				chunk *= 2;                                                   \
			else if (now - before > 4 * CLOCK_EVERY_S && chunk > 1)               \
				chunk /= 2;                                                   \
		}                                                                             \
		return n;                                                                     \
	}

/* With nothing inside nothing is guarded: what is moves to the next holder on a line of its own,
 * which costs a spinning lock as much again. */
#define LOCKED(acquire, release)           \
	do {                               \
		acquire(l, node);          \
		if (load.inside) {         \
			l->guarded++;      \
			spin(load.inside); \
		}                          \
		release(l, node);          \
	} while (0)

/* Readers may not count. They read, as readers do. */
#define READ_LOCKED                                                    \
	do {                                                           \
		read_acquire(l, node);                                 \
		if (load.inside) {                                     \
			(void)*(const volatile uint64_t *)&l->guarded; \
			spin(load.inside);                             \
		}                                                      \
		rwlock_release(l, node);                               \
	} while (0)

HAMMER(mutex, LOCKED(mutex_acquire, mutex_release))
HAMMER(spin, LOCKED(spin_acquire, spin_release))
HAMMER(ticket, LOCKED(ticket_acquire, ticket_release))
HAMMER(mcs, LOCKED(mcs_acquire, mcs_release))
HAMMER(read, READ_LOCKED)
HAMMER(write, LOCKED(write_acquire, rwlock_release))
HAMMER(add, word_add(l))
HAMMER(cas, word_cas(l))

const struct sd_lock_kind_kind sd_lock_kinds[] = {
	{"mutex", mutex_init, mutex_destroy, mutex_acquire, mutex_release, mutex_hammer, 1},
	{"adaptive-mutex", adaptive_init, mutex_destroy, mutex_acquire, mutex_release, mutex_hammer,
		1},
	{"spin", spin_init, spin_destroy, spin_acquire, spin_release, spin_hammer, 1},
	{"ticket", ticket_init, nothing_to_destroy, ticket_acquire, ticket_release, ticket_hammer,
		1},
	{"mcs", mcs_init, nothing_to_destroy, mcs_acquire, mcs_release, mcs_hammer, 1},
	{"rwlock-read", rwlock_init, rwlock_destroy, read_acquire, rwlock_release, read_hammer, 0},
	{"rwlock-write", rwlock_init, rwlock_destroy, write_acquire, rwlock_release, write_hammer,
		1},
	{"atomic-add", word_init, nothing_to_destroy, NULL, NULL, add_hammer, 1},
	{"cas-loop", word_init, nothing_to_destroy, NULL, NULL, cas_hammer, 1},
};
const unsigned sd_lock_kind_kinds_n = sizeof(sd_lock_kinds) / sizeof(*sd_lock_kinds);

int sd_lock_kind_exact(const struct sd_lock_kind_kind *kind, struct sd_lock_kind *l,
	struct sd_lock_kind_load load, uint64_t sum)
{
	if (!kind->acquire)
		return atomic_load(&l->word) == sum;
	return !kind->excludes || l->guarded == (load.inside ? sum : 0);
}
