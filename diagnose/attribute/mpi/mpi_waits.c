#include "mpi/mpi_waits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_match.h"

/* ---- mpi clocks ------------------------------------------------------------------------------ */

/* The offset lies between: what arrived bounds it from both sides. */
struct bounds {
	double low, high;
};

/* Times, ns, at which the first node entered and left a call last, and the others. */
struct seen {
	double enter, leave; /* ns: the latest to enter, the earliest to leave */
};

static void narrow(struct bounds *b, double low, double high)
{
	b->low = fmax(b->low, low);
	b->high = fmin(b->high, high);
}

/* Nobody leaves such a call before all have entered. */
static int is_meeting(unsigned kind)
{
	return kind == SD_MPI_ALL;
}

static void narrow_by_call(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	const struct sd_mpi_collective *c, struct seen *of, unsigned *touched,
	struct bounds *bounds)
{
	size_t n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const size_t event = m->member[c->first + i];
		const size_t rank = sd_mpi_match_rank(m, ranks->n_rank, event);
		const struct sd_mpi_event *const e =
			&ranks->rank[rank].event[event - m->base[rank]];
		struct seen *const s = &of[ranks->host[rank]];

		if (!is_meeting(e->kind))
			break;
		if (s->enter < 0) {
			touched[n++] = ranks->host[rank];
			*s = (struct seen){(double)e->enter, (double)e->leave};
		}
		s->enter = fmax(s->enter, (double)e->enter);
		s->leave = fmin(s->leave, (double)e->leave);
	}
	if (of[0].enter >= 0)
		for (size_t i = 0; i < n; i++)
			narrow(&bounds[touched[i]], of[0].enter - of[touched[i]].leave,
				of[0].leave - of[touched[i]].enter);
	for (size_t i = 0; i < n; i++)
		of[touched[i]].enter = -1;
}

/* A message from or to the first node arrives after it was sent. */
static void narrow_by_message(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	size_t receiver, size_t event, struct bounds *bounds)
{
	const size_t sent = m->partner[event];
	const size_t sender = sd_mpi_match_rank(m, ranks->n_rank, sent);
	const double left = (double)ranks->rank[receiver].event[event - m->base[receiver]].leave;
	const double entered = (double)ranks->rank[sender].event[sent - m->base[sender]].enter;

	if (ranks->host[sender] == 0)
		narrow(&bounds[ranks->host[receiver]], entered - left, INFINITY);
	else if (ranks->host[receiver] == 0)
		narrow(&bounds[ranks->host[sender]], -INFINITY, left - entered);
}

/*
 * offset[host]: ns to add to a time of that node, for `hosts` nodes. Between nodes that never
 * waited for each other it is 0. 0 or -ENOMEM.
 */
static int mpi_clocks(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m, size_t hosts,
	double *offset)
{
	struct bounds *const bounds = calloc(hosts + 1, sizeof *bounds);
	struct seen *const seen = calloc(hosts + 1, sizeof *seen);
	unsigned *const touched = malloc((hosts + 1) * sizeof *touched);
	const int rc = bounds && seen && touched ? 0 : -ENOMEM;

	for (size_t h = 0; h < hosts && !rc; h++) {
		bounds[h] = (struct bounds){-INFINITY, INFINITY};
		seen[h].enter = -1;
	}
	for (size_t i = 0; i < m->n_call && hosts > 1 && !rc; i++)
		narrow_by_call(ranks, m, &m->call[i], seen, touched, bounds);
	for (size_t k = 0; k < ranks->n_rank && hosts > 1 && !rc; k++)
		for (size_t i = 0; i < ranks->rank[k].n_event; i++) {
			const unsigned kind = ranks->rank[k].event[i].kind;

			if ((kind == SD_MPI_RECV || kind == SD_MPI_RECEIVED) &&
				m->partner[m->base[k] + i] != SD_MPI_MATCH_NONE)
				narrow_by_message(ranks, m, k, m->base[k] + i, bounds);
		}
	for (size_t h = 0; h < hosts && !rc; h++) {
		const struct bounds b = bounds[h];

		offset[h] = h == 0                          ? 0
			    : isinf(b.low) && isinf(b.high) ? 0
			    : isinf(b.low)                  ? b.high
			    : isinf(b.high)                 ? b.low
							    : b.low + (b.high - b.low) / 2;
	}
	free(bounds);
	free(seen);
	free(touched);
	return rc;
}

/* ---- mpi waits ------------------------------------------------------------------------------- */

/* Smaller messages are sent before anyone receives them, by every implementation: the receiver came
 * during such a send by chance. Open MPI's default between processes of a node, bytes. */
#define EAGER 4096u

/* Rows at most; beyond, those with the least are dropped when the run's are chosen. */
#define ROWS 65536u

struct row {
	struct sd_mpi_wait wait;
	unsigned char *waiter; /* a bit a rank; NULL: unused row */
};

struct waits {
	const struct sd_mpi_ranks *ranks;
	const struct sd_mpi_match *m;
	unsigned char *synchronous;
	double *offset;  /* ns, by host */
	size_t *last;    /* of each collective call: the member that entered last */
	struct row *row; /* a hash table */
	size_t used, bytes;
};

struct place {
	size_t rank, event;
	const struct sd_mpi_event *e;
};

static struct place place_of(const struct waits *w, size_t event)
{
	const size_t rank = sd_mpi_match_rank(w->m, w->ranks->n_rank, event);

	return (struct place){rank, event, &w->ranks->rank[rank].event[event - w->m->base[rank]]};
}

static double on_one_clock(const struct waits *w, const struct place *p, uint64_t t)
{
	return (double)t + w->offset[w->ranks->host[p->rank]];
}

static unsigned site_of(const struct waits *w, const struct place *p)
{
	const struct sd_mpi_rank *const r = &w->ranks->rank[p->rank];

	return p->e->site < r->head->sites ? r->site[p->e->site] : UINT32_MAX;
}

static struct row *find(struct waits *w, enum sd_mpi_wait_kind kind, unsigned site, unsigned peer)
{
	size_t at =
		((size_t)site * 2654435761u ^ (size_t)peer * 40503u ^ (size_t)kind * 97u) % ROWS;

	while (w->row[at].waiter && (w->row[at].wait.kind != kind || w->row[at].wait.site != site ||
					    w->row[at].wait.peer != peer))
		at = (at + 1) % ROWS;
	if (w->row[at].waiter)
		return &w->row[at];
	if (w->used > ROWS / 4 * 3)
		return NULL;
	w->row[at].waiter = calloc(1, w->bytes);
	if (!w->row[at].waiter)
		return NULL;
	w->used++;
	w->row[at].wait =
		(struct sd_mpi_wait){.kind = kind, .site = site, .peer = peer, .first = UINT32_MAX};
	return &w->row[at];
}

/* `p` waited `ns` in its call for the rank of `whom`. */
static void charge(struct waits *w, enum sd_mpi_wait_kind kind, const struct place *p,
	const struct place *whom, double ns)
{
	const unsigned rank = w->ranks->rank[p->rank].head->rank;
	struct row *row;

	if (!(ns > 0) || p->rank == whom->rank)
		return;
	row = find(w, kind, site_of(w, p), w->ranks->rank[whom->rank].head->rank);
	if (!row)
		return;
	row->wait.seconds += ns * 1e-9;
	row->wait.count++;
	row->wait.first = rank < row->wait.first ? rank : row->wait.first;
	row->wait.last = rank > row->wait.last ? rank : row->wait.last;
	if (!(row->waiter[p->rank / 8] & 1u << p->rank % 8)) {
		row->waiter[p->rank / 8] |= (unsigned char)(1u << p->rank % 8);
		row->wait.ranks++;
	}
}

/* Until `whom` had entered, at most until the call was left. */
static double wait_for(const struct waits *w, const struct place *p, const struct place *whom)
{
	return fmin(on_one_clock(w, p, p->e->leave), on_one_clock(w, whom, whom->e->enter)) -
	       on_one_clock(w, p, p->e->enter);
}

/* Blocking ones: a started one's wait is where it ended. */
static void look_at_call(struct waits *w, size_t call)
{
	const struct sd_mpi_collective *const c = &w->m->call[call];
	struct place last = {0}, root = {.rank = SIZE_MAX};

	for (unsigned i = 0; i < c->n; i++) {
		const struct place p = place_of(w, w->m->member[c->first + i]);

		if (i == 0 ||
			on_one_clock(w, &p, p.e->enter) > on_one_clock(w, &last, last.e->enter))
			last = p;
		if ((int32_t)w->ranks->rank[p.rank].head->rank == p.e->peer)
			root = p;
	}
	w->last[call] = last.event;
	for (unsigned i = 0; i < c->n; i++) {
		const struct place p = place_of(w, w->m->member[c->first + i]);

		if (p.e->kind == SD_MPI_ALL || (p.e->kind == SD_MPI_TO && p.rank == root.rank))
			charge(w, SD_MPI_WAIT_COLLECTIVE, &p, &last, wait_for(w, &p, &last));
		else if (p.e->kind == SD_MPI_FROM && root.rank != SIZE_MAX)
			charge(w, SD_MPI_WAIT_COLLECTIVE, &p, &root, wait_for(w, &p, &root));
	}
}

/* The longest of what a call waited for: several requests may end in one. */
struct longest {
	enum sd_mpi_wait_kind kind;
	struct place whom;
	double ns; /* from the call's entry on; 0: for nobody */
};

static void keep_longest(
	struct longest *l, enum sd_mpi_wait_kind kind, const struct place *whom, double ns)
{
	if (ns > l->ns)
		*l = (struct longest){kind, *whom, ns};
}

/* Did the send last until its receiver came? */
static int waited_for_receiver(const struct waits *w, const struct place *p,
	const struct sd_mpi_event *sent, const struct place *posted)
{
	const double receiver = on_one_clock(w, posted, posted->e->enter);

	return (sent->kind == SD_MPI_SSEND || sent->bytes >= EAGER) &&
	       receiver > on_one_clock(w, p, p->e->enter) &&
	       receiver <= on_one_clock(w, p, p->e->leave);
}

/* A send, or what ended one: of `sent`, whose receive was posted at event `posted`. */
static void look_at_send(struct waits *w, const struct place *p, const struct sd_mpi_event *sent,
	size_t posted, struct longest *l)
{
	const struct place with = place_of(w, posted);

	w->synchronous[p->event] = (unsigned char)waited_for_receiver(w, p, sent, &with);
	if (w->synchronous[p->event])
		keep_longest(l, SD_MPI_WAIT_LATE_RECEIVER, &with, wait_for(w, p, &with));
}

static void look_at_event(struct waits *w, const struct place *p, struct longest *l)
{
	const size_t partner = w->m->partner[p->event];
	struct place with;

	if (partner == SD_MPI_MATCH_NONE)
		return;
	with = place_of(w, partner);
	if (p->e->kind == SD_MPI_RECV || p->e->kind == SD_MPI_RECEIVED) {
		keep_longest(l, SD_MPI_WAIT_LATE_SENDER, &with, wait_for(w, p, &with));
	} else if (p->e->kind == SD_MPI_SEND || p->e->kind == SD_MPI_SSEND) {
		look_at_send(w, p, p->e, partner, l);
	} else if (p->e->kind == SD_MPI_DONE && w->m->collective[partner] != SD_MPI_MATCH_NONE) {
		const struct place last = place_of(w, w->last[w->m->collective[partner]]);

		if (last.e->kind == SD_MPI_IALL)
			keep_longest(l, SD_MPI_WAIT_COLLECTIVE, &last, wait_for(w, p, &last));
	} else if (p->e->kind == SD_MPI_DONE && w->m->partner[partner] != SD_MPI_MATCH_NONE) {
		look_at_send(w, p, with.e, w->m->partner[partner], l);
	}
}

/* The calls of a rank, each with what ended in it. */
static void look_at_rank(struct waits *w, size_t rank)
{
	const struct sd_mpi_rank *const r = &w->ranks->rank[rank];
	struct longest longest = {0};

	for (size_t i = 0; i < r->n_event; i++) {
		const struct place p = {rank, w->m->base[rank] + i, &r->event[i]};
		const struct sd_mpi_event *const next =
			i + 1 < r->n_event ? &r->event[i + 1] : NULL;

		look_at_event(w, &p, &longest);
		if (next && (next->kind == SD_MPI_RECEIVED || next->kind == SD_MPI_DONE) &&
			next->enter == p.e->enter)
			continue;
		charge(w, longest.kind, &p, &longest.whom, longest.ns);
		longest.ns = 0;
	}
}

static int by_seconds(const void *a, const void *b)
{
	const struct row *const x = a, *const y = b;

	if (x->wait.seconds != y->wait.seconds)
		return x->wait.seconds > y->wait.seconds ? -1 : 1;
	if (x->wait.site != y->wait.site)
		return x->wait.site < y->wait.site ? -1 : 1;
	return x->wait.peer < y->wait.peer ? -1 : x->wait.peer > y->wait.peer;
}

static int choose(struct waits *w, struct sd_mpi_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < ROWS; i++)
		if (w->row[i].waiter) {
			free(w->row[i].waiter);
			w->row[i].waiter = NULL;
			w->row[n++] = w->row[i];
		}
	qsort(w->row, n, sizeof *w->row, by_seconds);
	run->n_wait_seen = n;
	run->wait = calloc(SD_MPI_RUN_WAITS, sizeof *run->wait);
	for (size_t i = 0; run->wait && i < n && i < SD_MPI_RUN_WAITS; i++)
		run->wait[run->n_wait++] = w->row[i].wait;
	for (size_t i = 0; i < run->n_wait; i++)
		run->wait[i].site = run->wait[i].site == UINT32_MAX ? 0 : run->wait[i].site + 1;
	return run->wait ? 0 : -ENOMEM;
}

int sd_mpi_waits(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	unsigned char *synchronous, struct sd_mpi_run *run)
{
	struct waits w = {
		.ranks = ranks, .m = m, .synchronous = synchronous, .bytes = ranks->n_rank / 8 + 1};
	int rc = -ENOMEM;

	memset(synchronous, 0, m->n_event);
	w.offset = malloc((run->n_host + 1) * sizeof *w.offset);
	w.row = calloc(ROWS, sizeof *w.row);
	w.last = malloc((m->n_call + 1) * sizeof *w.last);
	if (w.offset && w.row && w.last)
		rc = mpi_clocks(ranks, m, run->n_host, w.offset);
	for (size_t i = 0; !rc && i < m->n_call; i++)
		look_at_call(&w, i);
	for (size_t k = 0; !rc && k < ranks->n_rank; k++)
		look_at_rank(&w, k);
	if (!rc)
		rc = choose(&w, run);
	free(w.offset);
	free(w.row);
	free(w.last);
	return rc;
}
