#include "mpi/mpi_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* One end of a message, or a member of a collective call, by what has to agree. */
struct end {
	uint64_t members; /* of the communicator */
	uint32_t nth, size;
	uint32_t source, target; /* collective: order, 0 */
	int32_t tag;             /* collective: the member's rank */
	size_t event;            /* in the order of posting */
	size_t other;            /* of a receive: the event in which it ended */
	int started;             /* of a receive: it was posted by a call of its own */
};

struct ends {
	struct end *end;
	size_t n;
};

static int compare(const struct end *x, const struct end *y)
{
#define BY(m)             \
	if (x->m != y->m) \
		return x->m < y->m ? -1 : 1;
	BY(members)
	BY(nth)
	BY(size)
	BY(source)
	BY(target)
	BY(tag)
#undef BY
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct end *const x = a, *const y = b;
	const int by = compare(x, y);

	return by ? by : x->event < y->event ? -1 : x->event > y->event;
}

static int add(struct ends *to, const struct end *e)
{
	return SD_APPEND(to->end, to->n, e);
}

static int is_send(unsigned kind)
{
	return kind == SD_MPI_SEND || kind == SD_MPI_SSEND || kind == SD_MPI_ISEND ||
	       kind == SD_MPI_SENDRECV;
}

static int is_started_collective(unsigned kind)
{
	return kind >= SD_MPI_IALL && kind <= SD_MPI_IBELOW;
}

static int is_collective(unsigned kind)
{
	return (kind >= SD_MPI_ALL && kind <= SD_MPI_BELOW) || is_started_collective(kind);
}

/* A call that a rank has started, by the number of its request. */
struct started {
	uint32_t request;
	size_t event;
};

static int by_request(const void *a, const void *b)
{
	const struct started *const x = a, *const y = b;

	return x->request < y->request ? -1 : x->request > y->request;
}

static struct started *list_started(const struct sd_mpi_rank *r, size_t base, size_t *n)
{
	struct started *list = malloc((r->n_event + 1) * sizeof *list);
	int sorted = 1;

	*n = 0;
	for (size_t i = 0; list && i < r->n_event; i++) {
		const struct sd_mpi_event *const e = &r->event[i];

		if (!e->request || e->kind == SD_MPI_RECEIVED || e->kind == SD_MPI_DONE)
			continue;
		sorted &= !*n || list[*n - 1].request < e->request;
		list[(*n)++] = (struct started){e->request, base + i};
	}
	if (list && !sorted)
		qsort(list, *n, sizeof *list, by_request);
	return list;
}

static size_t find_started(const struct started *list, size_t n, uint32_t request)
{
	const struct started key = {.request = request};
	const struct started *const at =
		request ? bsearch(&key, list, n, sizeof *list, by_request) : NULL;

	return at ? at->event : SD_MPI_MATCH_NONE;
}

static struct end end_of(const struct sd_mpi_rank *r, const struct sd_mpi_event *e)
{
	const struct sd_mpi_comm *const c = &r->head->comm[e->comm];

	return (struct end){.members = c->members, .nth = c->nth, .size = c->size, .tag = e->tag};
}

struct work {
	struct sd_mpi_match *m;
	size_t base; /* first event of the rank that is read */
	struct ends send, receive, member;
};

/* One event; `before`: the event of its call. */
static int sort_event(struct work *w, const struct sd_mpi_rank *r, size_t i, size_t before,
	const struct started *started, size_t n)
{
	const struct sd_mpi_event *const e = &r->event[i];
	const size_t at = w->base + i;
	struct end end;

	if (e->kind == SD_MPI_DONE)
		w->m->partner[at] = find_started(started, n, e->request);
	if (e->comm == SD_MPI_NO_COMM)
		return 0;
	end = end_of(r, e);
	end.event = at;
	if (is_collective(e->kind)) {
		end.source = e->order;
		end.tag = (int32_t)r->head->comm[e->comm].rank;
		return add(&w->member, &end);
	}
	if (e->peer < 0)
		return 0;
	if (is_send(e->kind)) {
		end.source = r->head->rank;
		end.target = (uint32_t)e->peer;
		return add(&w->send, &end);
	}
	if (e->kind != SD_MPI_RECV && e->kind != SD_MPI_RECEIVED)
		return 0;
	end.source = (uint32_t)e->peer;
	end.target = r->head->rank;
	end.other = at;
	if (e->kind == SD_MPI_RECEIVED) {
		const size_t posted = find_started(started, n, e->request);

		end.started = posted != SD_MPI_MATCH_NONE;
		end.event = end.started ? posted : before;
	}
	return add(&w->receive, &end);
}

static int sort_events(struct work *w, const struct sd_mpi_ranks *ranks)
{
	int rc = 0;

	for (size_t k = 0; k < ranks->n_rank && !rc; k++) {
		const struct sd_mpi_rank *const r = &ranks->rank[k];
		const size_t mine = w->base = w->m->base[k];
		size_t n, call = mine;
		struct started *started = list_started(r, mine, &n);

		if (!started)
			return -ENOMEM;
		for (size_t i = 0; i < r->n_event && !rc; i++) {
			if (r->event[i].kind != SD_MPI_RECEIVED && r->event[i].kind != SD_MPI_DONE)
				call = mine + i;
			rc = sort_event(w, r, i, call, started, n);
		}
		free(started);
	}
	return rc;
}

/* The first send to a rank with a tag is received by the first receive posted that gets it:
 * messages do not overtake each other. */
static void join_messages(
	struct sd_mpi_match *m, const struct ends *send, const struct ends *receive)
{
	size_t s = 0, r = 0;

	while (s < send->n && r < receive->n) {
		const int by = compare(&send->end[s], &receive->end[r]);

		if (by) {
			m->unmatched++;
			*(by < 0 ? &s : &r) += 1;
			continue;
		}
		m->partner[send->end[s].event] = receive->end[r].event;
		m->partner[receive->end[r].other] = send->end[s].event;
		if (receive->end[r].started)
			m->partner[receive->end[r].event] = send->end[s].event;
		s++;
		r++;
	}
	m->unmatched += send->n - s + receive->n - r;
}

/* Do they belong to one call? Each rank is in it once. */
static int together(const struct end *x, const struct end *y)
{
	return x->tag < y->tag && x->members == y->members && x->nth == y->nth &&
	       x->size == y->size && x->source == y->source;
}

static int join_members(struct sd_mpi_match *m, const struct ends *member)
{
	m->member = malloc((member->n + 1) * sizeof *m->member);
	m->call = malloc((member->n + 1) * sizeof *m->call);
	if (!m->member || !m->call)
		return -ENOMEM;
	for (size_t i = 0; i < member->n; i++) {
		if (i == 0 || !together(&member->end[i - 1], &member->end[i]))
			m->call[m->n_call++] = (struct sd_mpi_collective){.first = i};
		m->member[i] = member->end[i].event;
		m->call[m->n_call - 1].n++;
		m->collective[member->end[i].event] = m->n_call - 1;
		if (i + 1 == member->n || !together(&member->end[i], &member->end[i + 1]))
			m->unmatched += m->call[m->n_call - 1].n < member->end[i].size;
	}
	return 0;
}

int sd_mpi_match_make(struct sd_mpi_match *m, const struct sd_mpi_ranks *ranks)
{
	struct work w = {.m = m};
	int rc;

	*m = (struct sd_mpi_match){0};
	m->base = malloc((ranks->n_rank + 1) * sizeof *m->base);
	if (!m->base)
		return -ENOMEM;
	for (size_t k = 0; k < ranks->n_rank; k++) {
		m->base[k] = m->n_event;
		m->n_event += ranks->rank[k].n_event;
	}
	m->base[ranks->n_rank] = m->n_event;
	if (m->n_event > SD_MPI_MATCH_EVENTS) {
		sd_mpi_match_free(m);
		return -E2BIG;
	}
	m->partner = malloc((m->n_event + 1) * sizeof *m->partner);
	m->collective = malloc((m->n_event + 1) * sizeof *m->collective);
	rc = m->partner && m->collective ? 0 : -ENOMEM;
	if (!rc) {
		memset(m->partner, 0xff, m->n_event * sizeof *m->partner);
		memset(m->collective, 0xff, m->n_event * sizeof *m->collective);
		rc = sort_events(&w, ranks);
	}
	if (!rc) {
		if (w.send.n)
			qsort(w.send.end, w.send.n, sizeof *w.send.end, by_key);
		if (w.receive.n)
			qsort(w.receive.end, w.receive.n, sizeof *w.receive.end, by_key);
		if (w.member.n)
			qsort(w.member.end, w.member.n, sizeof *w.member.end, by_key);
		join_messages(m, &w.send, &w.receive);
		rc = join_members(m, &w.member);
	}
	free(w.send.end);
	free(w.receive.end);
	free(w.member.end);
	if (rc)
		sd_mpi_match_free(m);
	return rc;
}

void sd_mpi_match_free(struct sd_mpi_match *m)
{
	free(m->base);
	free(m->partner);
	free(m->collective);
	free(m->call);
	free(m->member);
	*m = (struct sd_mpi_match){0};
}

size_t sd_mpi_match_rank(const struct sd_mpi_match *m, size_t n_rank, size_t event)
{
	size_t low = 0, high = n_rank;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		*(m->base[middle] <= event ? &low : &high) = middle;
	}
	return low;
}
