#include "preload/mpi_call.h"

#include <stdlib.h>
#include <string.h>

#define REQUESTS 64 /* that a wait has on the stack; more are allocated */

static int is_open(const struct sd_mpi_request *r)
{
	return r->peer == sd_mpi_abi.any_source || r->tag == sd_mpi_abi.any_tag;
}

/* Logs the end of a request: its event follows that of the call in which it ended. */
static void ended(const struct going *g, const struct sd_mpi_request *r, const int *status)
{
	struct sd_mpi_event e = {.enter = g->event.enter,
		.leave = g->event.leave,
		.site = g->event.site,
		.comm = r->comm,
		.tag = r->tag,
		.request = r->number,
		.kind = r->kind == SD_MPI_IRECV ? SD_MPI_RECEIVED : SD_MPI_DONE};
	int peer = r->peer;

	if (r->kind == SD_MPI_IRECV && status && is_open(r)) {
		peer = status[sd_mpi_abi.source];
		e.tag = status[sd_mpi_abi.tag];
	}
	e.peer = sd_mpi_comms_world(r->comm, peer);
	sd_mpi_log_add(&e);
}

/* A wait's arguments, and the requests that ended in it. */
struct waited {
	int n, many; /* requests; statuses are a list */
	long requests;
	long *status;              /* its argument */
	int *flag, *count, *index; /* NULL: it has none */
};

static struct waited waited_of(enum form form, long *a)
{
	switch (form) {
	case FORM_WAIT:
		return (struct waited){1, 0, a[0], &a[1], NULL, NULL, NULL};
	case FORM_TEST:
		return (struct waited){1, 0, a[0], &a[2], (int *)a[1], NULL, NULL};
	case FORM_WAITALL:
		return (struct waited){(int)a[0], 1, a[1], &a[2], NULL, NULL, NULL};
	case FORM_TESTALL:
		return (struct waited){(int)a[0], 1, a[1], &a[3], (int *)a[2], NULL, NULL};
	case FORM_WAITANY:
		return (struct waited){(int)a[0], 0, a[1], &a[3], NULL, NULL, (int *)a[2]};
	case FORM_TESTANY:
		return (struct waited){(int)a[0], 0, a[1], &a[4], (int *)a[3], NULL, (int *)a[2]};
	default:
		return (struct waited){(int)a[0], 1, a[1], &a[4], NULL, (int *)a[2], (int *)a[3]};
	}
}

/* How many ended, and the i-th's place among the requests. */
static int how_many(const struct waited *w)
{
	if (w->flag && !*w->flag)
		return 0;
	if (w->count)
		return *w->count < 0 ? 0 : *w->count;
	return w->index ? *w->index >= 0 && *w->index < w->n : w->n;
}

long sd_mpi_call_wait_for(struct going *g, enum form form)
{
	struct waited w = waited_of(form, g->a);
	const size_t step = sd_mpi_abi.pointers ? sizeof(void *) : sizeof(int);
	const size_t n = w.n > 0 ? (size_t)w.n : 0;
	unsigned long few[REQUESTS], *handle = few;
	int own[REQUESTS * 8], *status = own, *base, done;
	struct sd_mpi_request r;
	long rc;

	if (n > REQUESTS) {
		handle = malloc(n * sizeof *handle);
		status = malloc(n * sd_mpi_abi.status);
	}
	for (size_t i = 0; handle && i < n; i++)
		handle[i] = sd_mpi_handle_at(w.requests + (long)(i * step));
	if (handle && status && (unsigned long)*w.status == sd_mpi_abi.ignore)
		*w.status = (long)status;
	base = (int *)*w.status;
	rc = sd_mpi_call_run(g);
	g->event.kind = SD_MPI_WAIT;
	done = handle ? how_many(&w) : 0;
	if (done || !sd_mpi_log_extend(&g->event))
		sd_mpi_call_finish(g);
	else
		sd_mpi_log_count(g->event.site, g->event.leave - g->event.enter, 0);
	for (int i = 0; i < done; i++) {
		const int at = w.index && w.many ? w.index[i] : w.index ? *w.index : i;

		if (at >= 0 && (size_t)at < n && sd_mpi_requests_take(handle[at], &r))
			ended(g, &r,
				(unsigned long)base == sd_mpi_abi.ignore
					? NULL
					: (int *)((char *)base +
						  (w.many ? (size_t)i * sd_mpi_abi.status : 0)));
	}
	if (handle != few)
		free(handle);
	if (status != own)
		free(status);
	return rc;
}
