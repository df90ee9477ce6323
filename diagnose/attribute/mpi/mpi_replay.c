#include "mpi/mpi_replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Progress of a call's members. */
struct reached {
	unsigned n, below; /* how many have; how many from the lowest on, without a gap */
	double last, root; /* s, of those that have; of the root, NAN: it has not */
};

/* The calls of one thread of a rank, in their order. */
struct line {
	size_t rank, next; /* index of the rank's events */
	unsigned thread;
	double time;    /* s of the replay */
	uint64_t left;  /* ns: when the call before was left */
	double delayed; /* s of delays that are not taken off yet */
	double called;  /* s of the replay: when its call was entered */
	double held;    /* s that it had no CPU in the call */
	int entered;    /* its next call was entered: it waits in it */
	int queued, done;
};

struct replay {
	const struct sd_mpi_ranks *ranks;
	const struct sd_mpi_match *m;
	const unsigned char *synchronous;
	int delays;
	double *at; /* s, by event: when it was entered; NAN: not yet */
	struct reached *reached;
	struct line *line;
	size_t n_line;
	size_t *first;              /* of each rank's lines */
	size_t *queue, head, count; /* lines that may go on, a ring of n_line */
	size_t stuck;
};

static void enqueue(struct replay *p, size_t line)
{
	if (p->line[line].queued || p->line[line].done)
		return;
	p->line[line].queued = 1;
	p->queue[(p->head + p->count++) % p->n_line] = line;
}

/* All lines of the rank whose event it is. */
static void wake(struct replay *p, size_t event)
{
	const size_t rank = sd_mpi_match_rank(p->m, p->ranks->n_rank, event);

	for (size_t i = p->first[rank]; i < p->first[rank + 1]; i++)
		enqueue(p, i);
}

static void wake_members(struct replay *p, const struct sd_mpi_collective *c)
{
	for (unsigned i = 0; i < c->n; i++)
		wake(p, p->m->member[c->first + i]);
}

static const struct sd_mpi_event *event_of(const struct replay *p, size_t event)
{
	const size_t rank = sd_mpi_match_rank(p->m, p->ranks->n_rank, event);

	return &p->ranks->rank[rank].event[event - p->m->base[rank]];
}

static uint32_t number_of(const struct replay *p, size_t event)
{
	return p->ranks->rank[sd_mpi_match_rank(p->m, p->ranks->n_rank, event)].head->rank;
}

/* When the members below entered, the latest; NAN: not all have. */
static double below_entered(const struct replay *p, size_t call, size_t event)
{
	const size_t *const member = &p->m->member[p->m->call[call].first];
	double last = 0;

	for (unsigned i = 0; member[i] != event; i++) {
		if (i >= p->reached[call].below)
			return NAN;
		last = fmax(last, p->at[member[i]]);
	}
	return last;
}

/* The next members may go on, when there is no gap below them any more. */
static void advance_below(struct replay *p, size_t call)
{
	const struct sd_mpi_collective *const c = &p->m->call[call];
	struct reached *const r = &p->reached[call];

	while (r->below < c->n && !isnan(p->at[p->m->member[c->first + r->below]])) {
		r->below++;
		if (r->below < c->n)
			wake(p, p->m->member[c->first + r->below]);
	}
}

/* When a member may leave; NAN: not known yet. */
static double may_leave(const struct replay *p, size_t event, const struct sd_mpi_event *e)
{
	const struct sd_mpi_collective *const c = &p->m->call[p->m->collective[event]];
	const struct reached *const r = &p->reached[p->m->collective[event]];
	const int here = (int32_t)number_of(p, event) == e->peer;

	switch (e->kind) {
	case SD_MPI_FROM:
	case SD_MPI_IFROM:
		return here ? 0 : r->root;
	case SD_MPI_TO:
	case SD_MPI_ITO:
		return !here ? 0 : r->n == c->n ? r->last : NAN;
	case SD_MPI_BELOW:
	case SD_MPI_IBELOW:
		return below_entered(p, p->m->collective[event], event);
	default:
		return r->n == c->n ? r->last : NAN;
	}
}

/* Until when the call of this event waits, s of the replay; NAN: for what has not come yet. */
static double until(const struct replay *p, size_t event, const struct sd_mpi_event *e)
{
	const size_t partner = p->m->partner[event];

	switch (e->kind) {
	case SD_MPI_RECV:
	case SD_MPI_RECEIVED:
		return partner != SD_MPI_MATCH_NONE ? p->at[partner] : 0;
	case SD_MPI_SEND:
	case SD_MPI_SSEND:
		return partner != SD_MPI_MATCH_NONE && p->synchronous[event] ? p->at[partner] : 0;
	case SD_MPI_DONE:
		if (partner == SD_MPI_MATCH_NONE)
			return 0;
		if (p->m->collective[partner] != SD_MPI_MATCH_NONE)
			return may_leave(p, partner, event_of(p, partner));
		return p->synchronous[event] && p->m->partner[partner] != SD_MPI_MATCH_NONE
			       ? p->at[p->m->partner[partner]]
			       : 0;
	case SD_MPI_ALL:
	case SD_MPI_FROM:
	case SD_MPI_TO:
	case SD_MPI_BELOW:
		return p->m->collective[event] != SD_MPI_MATCH_NONE ? may_leave(p, event, e) : 0;
	default:
		return 0;
	}
}

/* The time between the calls is what the rank computed; what it lacked a CPU is taken off. */
static void compute(const struct replay *p, struct line *l, uint64_t enter, double delay)
{
	double s = enter > l->left ? (double)(enter - l->left) * 1e-9 : 0;

	if (!p->delays) {
		const double off = fmin(s, l->delayed + delay);

		l->delayed += delay - off;
		s -= off;
	}
	l->time += s;
}

static int is_part(const struct sd_mpi_event *e)
{
	return e->kind == SD_MPI_RECEIVED || e->kind == SD_MPI_DONE;
}

/*
 * A call that is left, or goes on with its next part. What it took longer than it waited for others
 * was the messages', but for what the rank had no CPU meanwhile: it could not see what had come.
 */
static void leave(const struct replay *p, struct line *l, const struct sd_mpi_event *e,
	const struct sd_mpi_event *next)
{
	const double longer = (double)(e->leave - e->enter) * 1e-9 - (l->time - l->called);

	if (next && next->thread == e->thread && is_part(next) && next->enter == e->enter)
		return;
	if (p->delays)
		l->time += fmax(0, fmin(l->held, longer));
	l->held = 0;
}

static void enter(struct replay *p, struct line *l, size_t event, const struct sd_mpi_event *e)
{
	const size_t call = p->m->collective[event];

	/* parts of a call are entered with it */
	if (!is_part(e)) {
		compute(p, l, e->enter, (double)e->off * 1e-6);
		l->called = l->time;
		l->held = (double)e->held * 1e-6;
	}
	l->entered = 1;
	p->at[event] = l->time;
	if (call != SD_MPI_MATCH_NONE) {
		struct reached *const r = &p->reached[call];

		r->last = fmax(r->last, l->time);
		r->n++;
		if ((int32_t)number_of(p, event) == e->peer) {
			r->root = l->time;
			wake_members(p, &p->m->call[call]);
		} else if (e->kind == SD_MPI_BELOW || e->kind == SD_MPI_IBELOW) {
			advance_below(p, call);
		} else if (r->n == p->m->call[call].n) {
			wake_members(p, &p->m->call[call]);
		}
	}
	if (p->m->partner[event] != SD_MPI_MATCH_NONE && e->kind != SD_MPI_DONE)
		wake(p, p->m->partner[event]);
}

/* Goes on as far as it can. `force`: leaves the call that it waits in. */
static void go_on(struct replay *p, struct line *l, int force)
{
	const struct sd_mpi_rank *const r = &p->ranks->rank[l->rank];

	for (; l->next < r->n_event; l->next++) {
		const struct sd_mpi_event *const e = &r->event[l->next];
		const size_t event = p->m->base[l->rank] + l->next;
		double t;

		if (e->thread != l->thread)
			continue;
		if (!l->entered)
			enter(p, l, event, e);
		t = until(p, event, e);
		if (isnan(t) && !force)
			return;
		if (!isnan(t))
			l->time = fmax(l->time, t);
		force = 0;
		if (e->kind == SD_MPI_IO)
			l->time += (double)(e->leave - e->enter) * 1e-9;
		else
			leave(p, l, e, l->next + 1 < r->n_event ? e + 1 : NULL);
		l->left = e->leave;
		l->entered = 0;
	}
	if (l->thread == 0)
		compute(p, l, r->head->final, 0);
	l->done = 1;
}

/* Nobody can go on: what is waited for is in no log. The one that is furthest behind does. */
static int let_go(struct replay *p)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < p->n_line; i++)
		if (!p->line[i].done &&
			(least == SIZE_MAX || p->line[i].time < p->line[least].time))
			least = i;
	if (least == SIZE_MAX)
		return 0;
	p->stuck++;
	go_on(p, &p->line[least], 1);
	return 1;
}

static void run(struct replay *p)
{
	for (size_t i = 0; i < p->n_line; i++)
		enqueue(p, i);
	do {
		while (p->count) {
			const size_t line = p->queue[p->head];

			p->head = (p->head + 1) % p->n_line;
			p->count--;
			p->line[line].queued = 0;
			go_on(p, &p->line[line], 0);
		}
	} while (let_go(p));
}

/* Threads of a rank that called MPI; the first one always. */
static unsigned threads_of(const struct sd_mpi_rank *r)
{
	unsigned most = 0;

	for (size_t i = 0; i < r->n_event; i++)
		most = r->event[i].thread > most ? r->event[i].thread : most;
	return most + 1;
}

static int make_lines(struct replay *p)
{
	size_t n = 0;

	for (size_t k = 0; k < p->ranks->n_rank; k++) {
		p->first[k] = n;
		n += threads_of(&p->ranks->rank[k]);
	}
	p->first[p->ranks->n_rank] = p->n_line = n;
	p->line = calloc(n + 1, sizeof *p->line);
	p->queue = malloc((n + 1) * sizeof *p->queue);
	if (!p->line || !p->queue)
		return -ENOMEM;
	for (size_t k = 0; k < p->ranks->n_rank; k++)
		for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
			p->line[i].rank = k;
			p->line[i].thread = (unsigned)(i - p->first[k]);
			p->line[i].left = p->ranks->rank[k].head->inited;
		}
	return 0;
}

int sd_mpi_replay(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	const unsigned char *synchronous, int delays, struct sd_mpi_replayed *out)
{
	struct replay p = {.ranks = ranks, .m = m, .synchronous = synchronous, .delays = delays};
	int rc;

	*out = (struct sd_mpi_replayed){0};
	p.at = malloc((m->n_event + 1) * sizeof *p.at);
	p.reached = calloc(m->n_call + 1, sizeof *p.reached);
	p.first = malloc((ranks->n_rank + 1) * sizeof *p.first);
	rc = p.at && p.reached && p.first ? make_lines(&p) : -ENOMEM;
	for (size_t i = 0; !rc && i < m->n_event; i++)
		p.at[i] = NAN;
	for (size_t i = 0; !rc && i < m->n_call; i++)
		p.reached[i].root = NAN;
	if (!rc && p.n_line)
		run(&p);
	for (size_t i = 0; !rc && i < p.n_line; i++)
		out->seconds = fmax(out->seconds, p.line[i].time);
	out->stuck = p.stuck;
	free(p.at);
	free(p.reached);
	free(p.line);
	free(p.first);
	free(p.queue);
	return rc;
}
