#include "mpi/mpi_clocks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

static void look_at_call(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
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
static void look_at_message(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
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

int sd_mpi_clocks(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m, size_t hosts,
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
		look_at_call(ranks, m, &m->call[i], seen, touched, bounds);
	for (size_t k = 0; k < ranks->n_rank && hosts > 1 && !rc; k++)
		for (size_t i = 0; i < ranks->rank[k].n_event; i++) {
			const unsigned kind = ranks->rank[k].event[i].kind;

			if ((kind == SD_MPI_RECV || kind == SD_MPI_RECEIVED) &&
				m->partner[m->base[k] + i] != SD_MPI_MATCH_NONE)
				look_at_message(ranks, m, k, m->base[k] + i, bounds);
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
