#include "attribute/lock_owners.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/one_more.h"

/* A lock by name. */
static int is_lock(enum sd_activity a)
{
	return sd_activity_info[a].wait == SD_WAIT_LOCK;
}

/* Possibly a lock. */
static int may_be_lock(enum sd_activity a)
{
	return a == SD_ACTIVITY_SEMAPHORE || a == SD_ACTIVITY_CONDITION || a == SD_ACTIVITY_FUTEX;
}

/* Share of decided ends that must indicate a lock, with a margin of two standard errors. At a
 * barrier of two threads that arrive at random about half do, and a tenth more by chance. */
#define SHARE 0.62
#define LEAST 12u
#define WAKERS 0.75 /* share of ends that must be by threads that also wait there */
/* Share of its wait: a woken thread that waits again after running for less was not let in. */
#define AT_ONCE 0.3
/* ns: wakes by one thread this close together are one broadcast. */
#define BURST UINT64_C(1000000)

/* An ended wait, until it is known who waits next. */
struct open_end {
	unsigned woken, waker;
	uint64_t ran, length; /* ns: run time of the woken thread by then; length of its wait */
};

#define OPEN 16 /* latest ends of a place */

struct place {
	struct open_end open[OPEN];
	unsigned n_open, at;
	unsigned waiting; /* threads, now */
	unsigned pro, contra, by_peers, ends;
	unsigned burst; /* wakes in the current broadcast */
	struct sd_lock_owners_end last;
};

/* Threads + 1; 0 none. */
struct neighbours {
	unsigned earlier, later;
};

struct finder {
	const struct sd_timeline *t;
	struct sd_lock_owners *out;
	struct place *place;
	int told;              /* the kernel reported wake-ups */
	uint64_t *since;       /* by thread: when its wait began */
	uint64_t *came, *left; /* by thread: when it last got a CPU, and left it */
	uint64_t *ran;         /* by thread: ns on a CPU, until it last left it */
	size_t gap;            /* the first that does not end before now */
	int blind;             /* now is in it or at its end: ends are not observed */
	unsigned *running;     /* threads on a CPU */
	size_t n_running;
	unsigned *slot;         /* by thread: its index + 1 among them; 0 none */
	struct neighbours *row; /* by thread: of those that left a CPU, in the order of the last */
	unsigned latest;        /* of these + 1; 0 none */
	unsigned *at;           /* by thread: its place + 1, 0 none */
	unsigned char *peer;    /* by place and thread: waited there */
	size_t peer_bits;
};

/* Which threads ever waited at a place: a bit for each of both; of more than so many some share
 * one.
 */
#define PEERS ((size_t)8 << 20)

static size_t peer_bit(const struct finder *f, unsigned place, unsigned thread)
{
	uint64_t h = (uint64_t)place << 32 | thread;

	if (f->peer_bits < PEERS)
		return place * f->t->n_thread + thread;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 41) % PEERS;
}

static int is_peer(const struct finder *f, unsigned place, unsigned thread)
{
	const size_t bit = peer_bit(f, place, thread);

	return f->peer[bit / 8] >> bit % 8 & 1;
}

/* A thread starts to wait and thereby decides open ends: it waits as the waker, or as a woken
 * thread that hardly ran, as at a lock; or as a woken thread that ran, as at a barrier or queue. */
static void begins(struct finder *f, const struct sd_moment *m)
{
	struct place *const p = &f->place[m->lock - 1];

	for (unsigned i = 0; i < p->n_open; i++) {
		struct open_end *const e = &p->open[i];

		if (e->waker == m->thread ||
			(e->woken == m->thread &&
				(double)(f->ran[m->thread] - e->ran) < AT_ONCE * (double)e->length))
			p->pro++;
		else if (e->woken == m->thread)
			p->contra++;
		else
			continue;
		*e = p->open[--p->n_open];
		i--;
	}
	p->waiting++;
	p->burst = 0;
	f->at[m->thread] = m->lock;
	f->since[m->thread] = m->time;
}

static int add_end(struct sd_lock_owners *c, uint64_t time, unsigned waker)
{
	return SD_APPEND(c->end, c->n_end, &(struct sd_lock_owners_end){time, waker});
}

/* `waker` ended the wait of thread `woken`. */
static int ends(struct finder *f, unsigned woken, unsigned waker, uint64_t time)
{
	const unsigned number = f->at[woken] - 1;
	struct place *const p = &f->place[number];

	f->at[woken] = 0;
	p->waiting -= p->waiting > 0;
	if (waker == woken) /* a timer, or unknown */
		return 0;
	p->burst = p->burst && p->last.waker == waker && time - p->last.time < BURST ? p->burst + 1
										     : 1;
	p->last = (struct sd_lock_owners_end){time, waker};
	p->ends++;
	p->by_peers += is_peer(f, number, waker) != 0;
	if (p->burst > 1 && p->waiting == 0) /* a broadcast to all waiters, as by a barrier */
		p->contra += p->burst;
	p->open[p->n_open < OPEN ? p->n_open++ : p->at++ % OPEN] =
		(struct open_end){woken, waker, f->ran[woken], time - f->since[woken]};
	return add_end(&f->out[number], time, waker);
}

/* It is the latest to leave a CPU. */
static void leaves(struct finder *f, unsigned thread, uint64_t time)
{
	struct neighbours *const n = &f->row[thread];

	if (f->latest != thread + 1) {
		if (n->later)
			f->row[n->later - 1].earlier = n->earlier;
		if (n->earlier)
			f->row[n->earlier - 1].later = n->later;
		if (f->latest)
			f->row[f->latest - 1].later = thread + 1;
		*n = (struct neighbours){.earlier = f->latest};
		f->latest = thread + 1;
	}
	f->left[thread] = time;
}

static void runs(struct finder *f, unsigned thread, int on, uint64_t time)
{
	const unsigned slot = f->slot[thread];

	if (on && !slot) {
		f->running[f->n_running++] = thread;
		f->slot[thread] = (unsigned)f->n_running;
		f->came[thread] = time;
	}
	if (!on && slot) {
		const unsigned last = f->running[--f->n_running];

		f->running[slot - 1] = last;
		f->slot[last] = slot;
		f->slot[thread] = 0;
		leaves(f, thread, time);
		f->ran[thread] += time - f->came[thread];
	}
}

/*
 * Guess for kernels that do not report wake-ups: whoever ended a wait usually still runs when the
 * woken thread does; on a single CPU it has just left it. It prefers one of several that also waits
 * at this place.
 */
static unsigned guess_waker(const struct finder *f, unsigned woken)
{
	const unsigned place = f->at[woken] - 1;
	/* 0: of any process */
	const int pid = f->t->place[place].pid ? f->t->thread[woken].pid : 0;
	unsigned other = woken, others = 0, best = woken;

	for (size_t i = 0; i < f->n_running; i++) {
		const unsigned r = f->running[i];

		if (r == woken || (pid && f->t->thread[r].pid != pid))
			continue;
		if (is_peer(f, place, r))
			return r;
		other = r;
		others++;
	}
	if (others == 1)
		return other;
	if (others > 0)
		return best;
	for (unsigned next = f->latest; next; next = f->row[next - 1].earlier) {
		const unsigned i = next - 1;

		if (f->left[i] <= f->since[woken] || (best != woken && f->left[i] < f->left[best]))
			break;
		if (i != woken && (!pid || f->t->thread[i].pid == pid) &&
			(best == woken || i < best))
			best = i;
	}
	return best;
}

/* Forgets pending ends at a gap: the order of events across it is unknown. */
static void meet_gaps(struct finder *f, uint64_t time)
{
	const struct sd_gap *const g = f->t->gap;
	int forget = 0;

	/* a gap may be over before any event */
	for (; f->gap < f->t->n_gap && g[f->gap].to < time; f->gap++) {
		forget |= !f->blind;
		f->blind = 0;
	}
	if (!f->blind && f->gap < f->t->n_gap && g[f->gap].from < time)
		f->blind = forget = 1;
	for (size_t i = 0; i < f->t->n_place && forget; i++)
		f->place[i].n_open = f->place[i].burst = 0;
}

static int walk(struct finder *f)
{
	int rc = 0;

	for (size_t i = 0; i < f->t->n && !rc; i++) {
		const struct sd_moment *const m = &f->t->moment[i];
		const int on = m->kind == SD_MOMENT_IN || m->kind == SD_MOMENT_SAMPLE;

		meet_gaps(f, m->time);
		if (m->kind == SD_MOMENT_WAKE && f->at[m->other])
			rc = ends(f, m->other, m->thread, m->time);
		if (m->kind == SD_MOMENT_WAKE || m->kind == SD_MOMENT_BORN)
			continue;
		if ((on || m->kind == SD_MOMENT_EXIT) && f->at[m->thread])
			rc = ends(f, m->thread,
				f->told || f->blind || !on ? m->thread : guess_waker(f, m->thread),
				m->time);
		runs(f, m->thread, on, m->time);
		if (m->kind == SD_MOMENT_OUT && m->lock)
			begins(f, m);
	}
	return rc;
}

/* A place is a lock by name, or by the statistics of its ended waits: enough of them, significantly
 * more than SHARE for a lock, and ended by threads that also wait there, as no queue is. */
static void judge(struct finder *f)
{
	for (size_t i = 0; i < f->t->n_place; i++) {
		const struct place *const p = &f->place[i];
		struct sd_lock_owners *const c = &f->out[i];

		const double n = p->pro + p->contra;

		c->decided = p->pro + p->contra;
		c->lock = is_lock(f->t->place[i].kind) ||
			  (may_be_lock(f->t->place[i].kind) && c->decided >= LEAST &&
				  p->pro / n - 1 / sqrt(n) > SHARE && /* 2 x sqrt(1/4 / n) */
				  p->by_peers >= WAKERS * p->ends);
	}
}

int sd_lock_owners_find(const struct sd_timeline *t, struct sd_lock_owners **out)
{
	struct finder f = {.t = t};
	int rc = -ENOMEM;

	*out = NULL;
	f.out = calloc(t->n_place + 1, sizeof *f.out);
	f.place = calloc(t->n_place + 1, sizeof *f.place);
	f.since = calloc(t->n_thread + 1, sizeof *f.since);
	f.at = calloc(t->n_thread + 1, sizeof *f.at);
	f.peer_bits = t->n_place < PEERS / (t->n_thread + 1) ? t->n_place * t->n_thread : PEERS;
	f.peer = calloc(f.peer_bits / 8 + 1, 1);
	f.came = calloc(t->n_thread + 1, sizeof *f.came);
	f.left = calloc(t->n_thread + 1, sizeof *f.left);
	f.ran = calloc(t->n_thread + 1, sizeof *f.ran);
	f.running = calloc(t->n_thread + 1, sizeof *f.running);
	f.slot = calloc(t->n_thread + 1, sizeof *f.slot);
	f.row = calloc(t->n_thread + 1, sizeof *f.row);
	if (!f.out || !f.place || !f.since || !f.at || !f.peer || !f.came || !f.left || !f.ran ||
		!f.running || !f.slot || !f.row)
		goto out;
	for (size_t i = 0; i < t->n && !f.told; i++)
		f.told = t->moment[i].kind == SD_MOMENT_WAKE;
	for (size_t i = 0; i < t->n; i++)
		if (t->moment[i].kind == SD_MOMENT_OUT && t->moment[i].lock) {
			const size_t bit = peer_bit(&f, t->moment[i].lock - 1, t->moment[i].thread);

			f.peer[bit / 8] = (unsigned char)(f.peer[bit / 8] | 1u << bit % 8);
		}
	rc = walk(&f);
	if (!rc) {
		judge(&f);
		*out = f.out;
		f.out = NULL;
	}
out:
	sd_lock_owners_free(f.out, f.out ? t->n_place : 0);
	free(f.place);
	free(f.since);
	free(f.came);
	free(f.left);
	free(f.ran);
	free(f.running);
	free(f.slot);
	free(f.row);
	free(f.at);
	free(f.peer);
	return rc;
}

void sd_lock_owners_free(struct sd_lock_owners *c, size_t n)
{
	for (size_t i = 0; c && i < n; i++)
		free(c[i].end);
	free(c);
}
