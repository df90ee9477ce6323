#include "preload/mpi_call.h"

#include <string.h>

static sd_mpi_next_fn *type_size;

static uint32_t bytes_of(long count, long type)
{
	int size = 0;
	uint64_t all;

	if (!type_size && !(type_size = sd_mpi_next_find("Type_size")))
		return 0;
	if ((int)type_size(type, (long)&size, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) || (int)count <= 0 ||
		size <= 0)
		return 0;
	all = (uint64_t)(unsigned)(int)count * (uint64_t)size;
	return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

/* The status that a call is given: the program's, or ours where it wants none. */
static int *status_for(long *argument, int *own)
{
	if ((unsigned long)*argument == sd_mpi_abi.ignore) {
		memset(own, 0xff, sd_mpi_abi.status);
		*argument = (long)own;
	}
	return (int *)*argument;
}

/* buffer, count, type, peer, tag, communicator, and the request or status. */
static void message(struct going *g, enum sd_mpi_kind kind, int peer, long tag, long comm)
{
	g->event.kind = (uint16_t)kind;
	g->event.comm = sd_mpi_comms_find(sd_mpi_handle_of(comm));
	g->event.peer = sd_mpi_comms_world(g->event.comm, peer);
	g->event.tag = (int32_t)tag;
}

long sd_mpi_call_send(struct going *g, enum form form)
{
	const int peer = (int)g->a[3];
	long rc;

	message(g,
		form != FORM_SEND       ? SD_MPI_ISEND
		: g->call == CALL_Ssend ? SD_MPI_SSEND
					: SD_MPI_SEND,
		peer, g->a[4], g->a[5]);
	g->event.bytes = bytes_of(g->a[1], g->a[2]);
	rc = sd_mpi_call_run(g);
	if (form != FORM_SEND) {
		struct sd_mpi_request r = sd_mpi_call_request_of(g, g->a[6], peer);

		r.persistent = form == FORM_SEND_INIT;
		r.active = !r.persistent;
		g->event.request = r.number;
		sd_mpi_requests_add(&r);
		if (r.persistent)
			g->event = (struct sd_mpi_event){.enter = g->event.enter,
				.leave = g->event.leave,
				.off = g->event.off,
				.kind = SD_MPI_TIME,
				.site = g->event.site,
				.comm = SD_MPI_NO_COMM,
				.peer = SD_MPI_NOBODY};
	}
	sd_mpi_call_finish(g);
	return rc;
}

long sd_mpi_call_receive(struct going *g, enum form form)
{
	const int peer = (int)g->a[3];
	int own[16], *status;
	long rc;

	message(g, form == FORM_RECV ? SD_MPI_RECV : SD_MPI_IRECV, peer, g->a[4], g->a[5]);
	if (form == FORM_RECV) {
		status = status_for(&g->a[6], own);
		rc = sd_mpi_call_run(g);
		if (peer == sd_mpi_abi.any_source || g->event.tag == sd_mpi_abi.any_tag) {
			g->event.peer = sd_mpi_comms_world(g->event.comm,
				peer == sd_mpi_abi.proc_null ? -1 : status[sd_mpi_abi.source]);
			g->event.tag = status[sd_mpi_abi.tag];
		}
	} else {
		struct sd_mpi_request r;

		rc = sd_mpi_call_run(g);
		r = sd_mpi_call_request_of(g, g->a[6], peer);
		r.persistent = form == FORM_RECV_INIT;
		r.active = !r.persistent;
		g->event.request = r.number;
		if (r.persistent)
			g->event.kind = SD_MPI_TIME;
		sd_mpi_requests_add(&r);
	}
	sd_mpi_call_finish(g);
	return rc;
}

long sd_mpi_call_exchange(struct going *g, int replace)
{
	const int source = (int)g->a[replace ? 5 : 8], tag = (int)g->a[replace ? 6 : 9];
	int own[16], *const status = status_for(&g->a[replace ? 8 : 11], own);
	const int open = source == sd_mpi_abi.any_source || tag == sd_mpi_abi.any_tag;
	struct sd_mpi_event e;
	long rc;

	message(g, SD_MPI_SENDRECV, (int)g->a[3], g->a[4], g->a[replace ? 7 : 10]);
	g->event.bytes = bytes_of(g->a[1], g->a[2]);
	rc = sd_mpi_call_run(g);
	sd_mpi_call_finish(g);
	e = g->event;
	e.kind = SD_MPI_RECEIVED;
	e.off = e.held = e.request = e.bytes = 0;
	e.peer = sd_mpi_comms_world(e.comm, open ? status[sd_mpi_abi.source] : source);
	e.tag = open ? status[sd_mpi_abi.tag] : tag;
	sd_mpi_log_add(&e);
	return rc;
}

static void start_one(struct going *g, long pointer)
{
	struct sd_mpi_request r;

	if (!sd_mpi_requests_start(sd_mpi_handle_at(pointer), &r))
		return;
	g->event.kind = r.kind;
	g->event.comm = r.comm;
	g->event.tag = r.tag;
	g->event.bytes = r.bytes;
	g->event.request = r.number;
	g->event.peer = sd_mpi_comms_world(r.comm, r.peer);
	if (r.kind >= SD_MPI_IALL && r.kind <= SD_MPI_IBELOW)
		g->event.order = sd_mpi_comms_order(r.comm);
}

long sd_mpi_call_start(struct going *g, int all)
{
	const long n = all ? (int)g->a[0] : 1, base = g->a[all ? 1 : 0];
	const size_t step = sd_mpi_abi.pointers ? sizeof(void *) : sizeof(int);
	const long rc = sd_mpi_call_run(g);

	for (long i = 0; i < n; i++) {
		start_one(g, base + i * (long)step);
		if (i == 0)
			sd_mpi_log_count(
				g->event.site, g->event.leave - g->event.enter, g->event.bytes);
		else
			g->event.enter = g->event.leave; /* the call's time is the first's */
		sd_mpi_log_add(&g->event);
		g->event.off = g->event.held = 0;
	}
	return rc;
}

long sd_mpi_call_probe(struct going *g)
{
	/* source, tag, communicator, then flag, message and status, as far as it has them */
	const int flagged = g->call == CALL_Iprobe || g->call == CALL_Improbe;
	const int matched = g->call == CALL_Mprobe || g->call == CALL_Improbe;
	int own[16], *const status = status_for(&g->a[3 + flagged + matched], own);
	const int *const flag = flagged ? (const int *)g->a[3] : NULL;
	long rc;

	message(g, SD_MPI_PROBE, (int)g->a[0], g->a[1], g->a[2]);
	rc = sd_mpi_call_run(g);
	if (flag && !*flag) {
		if (sd_mpi_log_extend(&g->event)) {
			sd_mpi_log_count(g->event.site, g->event.leave - g->event.enter, 0);
			return rc;
		}
		g->event.kind = SD_MPI_WAIT;
	} else {
		g->event.peer = sd_mpi_comms_world(g->event.comm, status[sd_mpi_abi.source]);
		g->event.tag = status[sd_mpi_abi.tag];
	}
	if (matched && (!flag || *flag)) {
		struct sd_mpi_request r =
			sd_mpi_call_request_of(g, g->a[3 + flagged], status[sd_mpi_abi.source]);

		sd_mpi_requests_add(&r);
	}
	sd_mpi_call_finish(g);
	return rc;
}

/* buffer, count, type, message, and the status or request: what it is was told by the probe. */
long sd_mpi_call_receive_matched(struct going *g)
{
	struct sd_mpi_request r = {.comm = SD_MPI_NO_COMM, .peer = -1};
	long rc;

	sd_mpi_requests_take(sd_mpi_handle_at(g->a[3]), &r);
	g->event.kind = g->call == CALL_Mrecv ? SD_MPI_RECV : SD_MPI_IRECV;
	g->event.comm = r.comm;
	g->event.tag = r.tag;
	g->event.peer = sd_mpi_comms_world(r.comm, r.peer);
	rc = sd_mpi_call_run(g);
	if (g->call == CALL_Imrecv) {
		r = sd_mpi_call_request_of(g, g->a[4], r.peer);
		g->event.request = r.number;
		sd_mpi_requests_add(&r);
	}
	sd_mpi_call_finish(g);
	return rc;
}
