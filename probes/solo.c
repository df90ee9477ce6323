#include "solo.h"

#include <stdlib.h>

struct sd_solo_entry {
	struct sd_solo_case key;
	double amount;
};

struct sd_solo_wait {
	int pid, tid; /* tid 0: free */
	uint64_t address;
};

/* A program with more cases than this starts threads without end; the sums stay right (see book).
 */
#define MOST 65536

static int same(const struct sd_solo_case *a, const struct sd_solo_case *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->address == b->address &&
	       a->gomp == b->gomp && a->overlapped == b->overlapped && a->code == b->code;
}

static struct sd_solo_entry *add_entry(struct sd_solo *s, const struct sd_solo_case *c)
{
	if (s->n_entry == s->room_entry) {
		const size_t room = s->room_entry ? 2 * s->room_entry : 16;
		struct sd_solo_entry *grown;

		if (room > MOST)
			return NULL;
		grown = realloc(s->entry, room * sizeof *grown);
		if (!grown)
			return NULL;
		s->entry = grown;
		s->room_entry = room;
	}
	s->entry[s->n_entry] = (struct sd_solo_entry){.key = *c};
	return &s->entry[s->n_entry++];
}

void sd_solo_book(struct sd_solo *s, const struct sd_solo_case *c, double amount)
{
	struct sd_solo_entry *e = NULL;

	/* the case of the last poll is nearly always this one's: look from the end, and not far */
	for (size_t i = s->n_entry; i > 0 && i + 256 > s->n_entry && !e; i--)
		if (same(&s->entry[i - 1].key, c))
			e = &s->entry[i - 1];
	if (!e)
		e = add_entry(s, c);
	/* all full: any entry with the same verdict will do */
	for (size_t i = 0; i < s->n_entry && !e; i++)
		if (sd_solo_verdict(&s->entry[i].key, 0) == sd_solo_verdict(c, 0))
			e = &s->entry[i];
	if (!e && s->n_entry)
		e = &s->entry[0];
	if (e)
		e->amount += amount;
}

static size_t place(const struct sd_solo *s, int pid, int tid, uint64_t address)
{
	uint64_t h = address * 0x9e3779b97f4a7c15u + (uint64_t)tid * 0xc2b2ae3d27d4eb4fu;
	size_t i;

	h ^= h >> 29;
	for (i = h & (s->room_wait - 1); s->wait[i].tid; i = (i + 1) & (s->room_wait - 1))
		if (s->wait[i].tid == tid && s->wait[i].pid == pid && s->wait[i].address == address)
			break;
	return i;
}

static int grow_waits(struct sd_solo *s)
{
	struct sd_solo bigger = {.room_wait = s->room_wait ? 2 * s->room_wait : 64};

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

void sd_solo_waited(struct sd_solo *s, int pid, int tid, uint64_t address)
{
	size_t i;

	if (!address || (2 * (s->n_wait + 1) > s->room_wait && grow_waits(s)))
		return;
	i = place(s, pid, tid, address);
	if (s->wait[i].tid)
		return;
	s->wait[i] = (struct sd_solo_wait){.pid = pid, .tid = tid, .address = address};
	s->n_wait++;
}

enum sd_idle sd_solo_verdict(const struct sd_solo_case *c, int waited)
{
	const int initial = c->tid == c->pid;

	if (c->gomp == SD_GOMP_REGION)
		return SD_IDLE_IMBALANCE;
	if (c->gomp == SD_GOMP_DOCK && initial)
		return SD_IDLE_SERIAL;
	if (c->address && waited)
		return SD_IDLE_IMBALANCE;
	if (c->code == SD_SOLO_ALIKE)
		return SD_IDLE_IMBALANCE;
	if (c->address && initial)
		return SD_IDLE_SERIAL;
	return c->overlapped ? SD_IDLE_IMBALANCE : SD_IDLE_SERIAL;
}

/* How much of the sampled thread's time alone was code of its parallel parts, where that is known.
 */
static double alike_share(const struct sd_solo *s, int tid)
{
	double alike = 0, elsewhere = 0;

	for (size_t i = 0; i < s->n_entry; i++) {
		if (s->entry[i].key.tid != tid)
			continue;
		if (s->entry[i].key.code == SD_SOLO_ALIKE)
			alike += s->entry[i].amount;
		if (s->entry[i].key.code == SD_SOLO_ELSEWHERE)
			elsewhere += s->entry[i].amount;
	}
	return alike > 0 ? alike / (alike + elsewhere) : 0;
}

void sd_solo_resolve(const struct sd_solo *s, double idle[SD_IDLE_COUNT])
{
	double share = 0;
	int sampled = 0;

	for (size_t i = 0; i < s->n_entry; i++) {
		struct sd_solo_case c = s->entry[i].key;
		const double amount = s->entry[i].amount;
		const int waited =
			s->room_wait && c.address && s->wait[place(s, c.pid, c.tid, c.address)].tid;

		if (c.code != SD_SOLO_UNSEEN) {
			idle[sd_solo_verdict(&c, waited)] += amount;
			continue;
		}
		if (c.tid != sampled) {
			sampled = c.tid;
			share = alike_share(s, c.tid);
		}
		c.code = SD_SOLO_ALIKE;
		idle[sd_solo_verdict(&c, waited)] += share * amount;
		c.code = SD_SOLO_ELSEWHERE;
		idle[sd_solo_verdict(&c, waited)] += (1 - share) * amount;
	}
}

void sd_solo_free(struct sd_solo *s)
{
	free(s->entry);
	free(s->wait);
	*s = (struct sd_solo){0};
}
