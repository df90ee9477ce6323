#include "attribute/lone_runner.h"

#include <stdlib.h>

#include "base/one_more.h"

struct sd_lone_runner_entry {
	struct sd_lone_runner_case key;
	double amount;
};

struct sd_lone_runner_wait {
	int pid, tid; /* tid 0: free */
	uint64_t address;
};

/* A program with more cases than this starts threads without end; the sums stay right
 * (see book). */
#define MOST 65536

/* Peers that take turns are few; with more cases threads come and go. */
#define FEW 1024

#define TURNS_MOST .75 /* largest share of the time alone that one of two or more may have */
#define TURNS_TOGETHER (1. / 3) /* see the header: between mutual exclusion and a barrier */

static int same(const struct sd_lone_runner_case *a, const struct sd_lone_runner_case *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->address == b->address &&
	       a->gomp == b->gomp && a->feeds == b->feeds && a->overlapped == b->overlapped &&
	       a->code == b->code;
}

static struct sd_lone_runner_entry *add_entry(
	struct sd_lone_runner *s, const struct sd_lone_runner_case *c)
{
	if (s->n_entry >= MOST ||
		SD_APPEND(s->entry, s->n_entry, &(struct sd_lone_runner_entry){.key = *c}))
		return NULL;
	return &s->entry[s->n_entry - 1];
}

void sd_lone_runner_book(
	struct sd_lone_runner *s, const struct sd_lone_runner_case *c, double amount)
{
	struct sd_lone_runner_entry *e = NULL;

	/* it is nearly always the case of the last poll: search from the end, and not far */
	for (size_t i = s->n_entry; i > 0 && i + 256 > s->n_entry && !e; i--)
		if (same(&s->entry[i - 1].key, c))
			e = &s->entry[i - 1];
	if (!e)
		e = add_entry(s, c);
	/* full: any entry with the same verdict will do */
	for (size_t i = 0; i < s->n_entry && !e; i++)
		if (sd_lone_runner_verdict(&s->entry[i].key, 0) == sd_lone_runner_verdict(c, 0))
			e = &s->entry[i];
	if (!e && s->n_entry)
		e = &s->entry[0];
	if (e)
		e->amount += amount;
}

static size_t place(const struct sd_lone_runner *s, int pid, int tid, uint64_t address)
{
	uint64_t h = address * 0x9e3779b97f4a7c15u + (uint64_t)tid * 0xc2b2ae3d27d4eb4fu;
	size_t i;

	h ^= h >> 29;
	for (i = h & (s->room_wait - 1); s->wait[i].tid; i = (i + 1) & (s->room_wait - 1))
		if (s->wait[i].tid == tid && s->wait[i].pid == pid && s->wait[i].address == address)
			break;
	return i;
}

static int grow_waits(struct sd_lone_runner *s)
{
	struct sd_lone_runner bigger = {.room_wait = s->room_wait ? 2 * s->room_wait : 64};

	if (bigger.room_wait > MOST)
		return -1;
	bigger.wait = calloc(bigger.room_wait, sizeof *bigger.wait);
	if (!bigger.wait)
		return -1;
	for (size_t i = 0; i < s->room_wait; i++)
		if (s->wait[i].tid)
			bigger.wait[place(&bigger, s->wait[i].pid, s->wait[i].tid,
				s->wait[i].address)] = s->wait[i];
	free(s->wait);
	s->wait = bigger.wait;
	s->room_wait = bigger.room_wait;
	return 0;
}

void sd_lone_runner_waited(struct sd_lone_runner *s, int pid, int tid, uint64_t address)
{
	size_t i;

	if (!address || (2 * (s->n_wait + 1) > s->room_wait && grow_waits(s)))
		return;
	i = place(s, pid, tid, address);
	if (s->wait[i].tid)
		return;
	s->wait[i] = (struct sd_lone_runner_wait){.pid = pid, .tid = tid, .address = address};
	s->n_wait++;
}

int sd_lone_runner_has_waited(const struct sd_lone_runner *s, int pid, int tid, uint64_t address)
{
	return s->room_wait && s->wait[place(s, pid, tid, address)].tid != 0;
}

/* In order of reliability: the words of libgomp, then wait addresses, then sampled code, then the
 * role of a first thread, then whether it ran together with others (see the header). */
enum sd_idle sd_lone_runner_verdict(const struct sd_lone_runner_case *c, int waited)
{
	const int initial = c->tid == c->pid;

	if (c->gomp == SD_LIBGOMP_BARRIER_REGION)
		return SD_IDLE_IMBALANCE;
	if (c->gomp == SD_LIBGOMP_BARRIER_DOCK && initial)
		return SD_IDLE_SERIAL;
	if (c->address && waited)
		return SD_IDLE_IMBALANCE;
	if (c->code == SD_LONE_RUNNER_ALIKE)
		return SD_IDLE_IMBALANCE;
	if ((c->address || c->feeds) && initial)
		return SD_IDLE_SERIAL;
	return c->overlapped ? SD_IDLE_IMBALANCE : SD_IDLE_SERIAL;
}

/* How much of the sampled thread's time alone was code of its parallel parts, where that
 * is known. */
static double alike_share(const struct sd_lone_runner *s, int tid)
{
	double alike = 0, elsewhere = 0;

	for (size_t i = 0; i < s->n_entry; i++) {
		if (s->entry[i].key.tid != tid)
			continue;
		if (s->entry[i].key.code == SD_LONE_RUNNER_ALIKE)
			alike += s->entry[i].amount;
		if (s->entry[i].key.code == SD_LONE_RUNNER_ELSEWHERE)
			elsewhere += s->entry[i].amount;
	}
	return alike > 0 ? alike / (alike + elsewhere) : 0;
}

static int waits_there(const struct sd_lone_runner *s, const struct sd_lone_runner_case *c)
{
	return c->address && sd_lone_runner_has_waited(s, c->pid, c->tid, c->address);
}

/* Do at least two of the threads that wait at an address run alone, none of them nearly always? */
static int take_turns(const struct sd_lone_runner *s)
{
	double all = 0, most = 0;

	for (size_t i = 0; i < s->n_entry; i++) {
		const struct sd_lone_runner_case *const c = &s->entry[i].key;
		double own = 0;

		if (c->gomp != SD_LIBGOMP_BARRIER_UNKNOWN || !waits_there(s, c))
			continue;
		all += s->entry[i].amount;
		for (size_t k = 0; k < s->n_entry; k++)
			if (s->entry[k].key.tid == c->tid && waits_there(s, &s->entry[k].key))
				own += s->entry[k].amount;
		most = own > most ? own : most;
	}
	return all > 0 && most < TURNS_MOST * all;
}

/* Adds the case by the verdict that all evidence at the end gives. */
static void add(const struct sd_lone_runner *s, const struct sd_lone_runner_case *c, int turns,
	double amount, double idle[SD_IDLE_COUNT])
{
	const int waited = waits_there(s, c);

	if (turns && waited && c->gomp == SD_LIBGOMP_BARRIER_UNKNOWN)
		idle[SD_IDLE_LOCK] += amount;
	else
		idle[sd_lone_runner_verdict(c, waited)] += amount;
}

int sd_lone_runner_turns(const struct sd_lone_runner *s, double together)
{
	return s->n_entry <= FEW && together < TURNS_TOGETHER && take_turns(s);
}

void sd_lone_runner_share(const struct sd_lone_runner *s, int turns,
	const struct sd_lone_runner_case *given, double out[SD_IDLE_COUNT])
{
	struct sd_lone_runner_case c = *given;
	const double share = c.code == SD_LONE_RUNNER_UNSEEN ? alike_share(s, c.tid) : 1;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		out[i] = 0;
	if (c.code == SD_LONE_RUNNER_UNSEEN)
		c.code = SD_LONE_RUNNER_ALIKE;
	add(s, &c, turns, share, out);
	c.code = SD_LONE_RUNNER_ELSEWHERE;
	add(s, &c, turns, 1 - share, out);
}

void sd_lone_runner_resolve(
	const struct sd_lone_runner *s, double together, double idle[SD_IDLE_COUNT])
{
	const int turns = sd_lone_runner_turns(s, together);
	double share = 0;
	int sampled = 0;

	for (size_t i = 0; i < s->n_entry; i++) {
		struct sd_lone_runner_case c = s->entry[i].key;
		const double amount = s->entry[i].amount;

		if (c.code != SD_LONE_RUNNER_UNSEEN) {
			add(s, &c, turns, amount, idle);
			continue;
		}
		if (c.tid != sampled) {
			sampled = c.tid;
			share = alike_share(s, c.tid);
		}
		c.code = SD_LONE_RUNNER_ALIKE;
		add(s, &c, turns, share * amount, idle);
		c.code = SD_LONE_RUNNER_ELSEWHERE;
		add(s, &c, turns, (1 - share) * amount, idle);
	}
}

void sd_lone_runner_free(struct sd_lone_runner *s)
{
	free(s->entry);
	free(s->wait);
	*s = (struct sd_lone_runner){0};
}
