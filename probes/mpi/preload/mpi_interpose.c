/*
 * A library to preload into MPI ranks: every call that may wait is logged, with who was called,
 * from where, and what ended in it.
 *
 * MPI functions have at most 12 arguments, each a word: they are handed on as they came, which
 * needs no header of any implementation. Reading more words than the caller passed reads its own
 * stack. Both names of each function are ours, MPI_X and PMPI_X: Fortran libraries call either.
 * What a call calls itself is not logged (`depth`).
 */
#include "preload/mpi_call.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

#define ROW(name, form, kind, comm, second) \
	[CALL_##name] = {#name, FORM_##form, SD_MPI_##kind, comm, second},
#define COLLECTIVE(name, kind, comm, root) ROW(name, COLLECTIVE, kind, comm, root)
#define START_ONLY(name, kind, comm, root) ROW(name, STARTED, kind, comm, root)
#define PERSIST(name, kind, comm, root) ROW(name, PERSISTENT, kind, comm, root)
#define MAKE_COMM(name, comm, made) ROW(name, COMM, ALL, comm, made)
#define MAKE_WINDOW(name, comm, made) ROW(name, WINDOW, ALL, comm, made)
#define TIME(name) ROW(name, TIME, TIME, -1, -1)
#define IO(name) ROW(name, IO, IO, -1, -1)
#define POINT(name, form) ROW(name, form, TIME, -1, -1)

const struct row sd_mpi_call_rows[CALLS] = {
	COLLECTIVES(COLLECTIVE) STARTED(START_ONLY) PERSISTENT(PERSIST) COMMS(MAKE_COMM) WINDOWS(
		MAKE_WINDOW) TIMES(TIME) IOS(IO) POINTS(POINT) ROW(Win_fence, FENCE, ALL, 1, -1)
		ROW(Win_free, WIN_FREE, ALL, 0, -1) ROW(Comm_free, COMM_FREE, TIME, 0, -1) ROW(
			Comm_disconnect, COMM_FREE, TIME, 0, -1) ROW(Init, INIT, TIME, -1, -1)
			ROW(Init_thread, INIT, TIME, -1, -1) ROW(Finalize, FINALIZE, TIME, -1, -1)};

static sd_mpi_next_fn *next[CALLS];
static __thread unsigned depth;

static long hand_on(unsigned call, const long *a)
{
	sd_mpi_next_fn *fn = __atomic_load_n(&next[call], __ATOMIC_RELAXED);

	if (!fn) {
		fn = sd_mpi_next_find(sd_mpi_call_rows[call].name);
		__atomic_store_n(&next[call], fn, __ATOMIC_RELAXED);
	}
	if (!fn)
		abort(); /* the program calls what its MPI does not have: it would not have loaded
			  */
	return fn(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}

static void begin(struct going *g, const void *caller)
{
	g->event = (struct sd_mpi_event){.enter = sd_mpi_log_now(),
		.kind = (uint16_t)sd_mpi_call_rows[g->call].kind,
		.comm = SD_MPI_NO_COMM,
		.peer = SD_MPI_NOBODY,
		.tag = -1};
	g->event.off = sd_mpi_log_boundary(g->event.enter, 0).outside;
	g->event.site = sd_mpi_log_site(caller, g->call, sd_mpi_call_rows[g->call].name);
}

long sd_mpi_call_run(struct going *g)
{
	const long rc = hand_on(g->call, g->a);
	struct sd_mpi_delays delays;

	g->event.leave = sd_mpi_log_now();
	delays = sd_mpi_log_boundary(g->event.leave, 1);
	g->event.off += delays.outside;
	g->event.held = delays.inside;
	return rc;
}

void sd_mpi_call_finish(struct going *g)
{
	sd_mpi_log_count(g->event.site, g->event.leave - g->event.enter, g->event.bytes);
	sd_mpi_log_add(&g->event);
}

struct sd_mpi_request sd_mpi_call_request_of(const struct going *g, long pointer, int peer)
{
	return (struct sd_mpi_request){.handle = sd_mpi_handle_at(pointer),
		.number = sd_mpi_requests_number(),
		.comm = g->event.comm,
		.peer = peer,
		.tag = g->event.tag,
		.bytes = g->event.bytes,
		.order = g->event.order,
		.kind = g->event.kind,
		.active = 1};
}

static long collective(struct going *g, enum form form)
{
	const struct row *const w = &sd_mpi_call_rows[g->call];
	const int request = w->comm + (form == FORM_PERSISTENT ? 2 : 1);
	long rc;

	g->event.comm = sd_mpi_comms_find(sd_mpi_handle_of(g->a[w->comm]));
	if (form != FORM_PERSISTENT)
		g->event.order = sd_mpi_comms_order(g->event.comm);
	if (w->second >= 0)
		g->event.peer = sd_mpi_comms_world(g->event.comm, (int)g->a[w->second]);
	rc = sd_mpi_call_run(g);
	if (form != FORM_COLLECTIVE) {
		struct sd_mpi_request r = sd_mpi_call_request_of(
			g, g->a[request], w->second >= 0 ? (int)g->a[w->second] : -1);

		r.persistent = form == FORM_PERSISTENT;
		r.active = !r.persistent;
		g->event.request = r.number;
		if (r.persistent)
			g->event.kind = SD_MPI_TIME;
		sd_mpi_requests_add(&r);
	}
	sd_mpi_call_finish(g);
	return rc;
}

static long make(struct going *g, enum form form)
{
	const struct row *const w = &sd_mpi_call_rows[g->call];
	long rc;

	g->event.comm = sd_mpi_comms_find(sd_mpi_handle_of(g->a[w->comm]));
	g->event.order = sd_mpi_comms_order(g->event.comm);
	rc = sd_mpi_call_run(g);
	if (!(int)rc && form == FORM_WINDOW)
		sd_mpi_comms_window(sd_mpi_handle_at(g->a[w->second]), g->event.comm);
	else if (!(int)rc)
		sd_mpi_comms_find(
			sd_mpi_handle_at(g->a[w->second])); /* now: all its ranks number it alike */
	sd_mpi_call_finish(g);
	return rc;
}

static long on_window(struct going *g, unsigned long window)
{
	long rc;

	g->event.comm = sd_mpi_comms_of_window(window);
	if (g->event.comm == SD_MPI_NO_COMM)
		g->event.kind = SD_MPI_TIME;
	else
		g->event.order = sd_mpi_comms_order(g->event.comm);
	rc = sd_mpi_call_run(g);
	sd_mpi_call_finish(g);
	return rc;
}

static long plain(struct going *g, enum form form)
{
	unsigned long freed =
		form == FORM_COMM_FREE || form == FORM_REQUEST_FREE ? sd_mpi_handle_at(g->a[0]) : 0;
	const long rc = sd_mpi_call_run(g);

	if (form == FORM_COMM_FREE)
		sd_mpi_comms_forget(freed);
	else if (form == FORM_REQUEST_FREE)
		sd_mpi_requests_forget(freed);
	sd_mpi_call_finish(g);
	return rc;
}

static long init(unsigned call, const long *a)
{
	long rc;

	sd_mpi_log_begin();
	rc = hand_on(call, a);
	if (sd_mpi_log_head && !(int)rc) {
		sd_mpi_log_head->provided = call == CALL_Init_thread ? (uint32_t) * (int *)a[3] : 0;
		sd_mpi_log_ready();
	}
	return rc;
}

static long finalize(unsigned call, const long *a)
{
	long rc;

	if (!sd_mpi_log_head)
		return hand_on(call, a);
	sd_mpi_log_final();
	rc = hand_on(call, a);
	sd_mpi_log_end();
	return rc;
}

static long log_call(struct going *g, const void *caller)
{
	const enum form form = sd_mpi_call_rows[g->call].form;

	begin(g, caller);
	switch (form) {
	case FORM_SEND:
	case FORM_ISEND:
	case FORM_SEND_INIT:
		return sd_mpi_call_send(g, form);
	case FORM_RECV:
	case FORM_IRECV:
	case FORM_RECV_INIT:
		return sd_mpi_call_receive(g, form);
	case FORM_SENDRECV:
	case FORM_SENDRECV_REPLACE:
		return sd_mpi_call_exchange(g, form == FORM_SENDRECV_REPLACE);
	case FORM_START:
	case FORM_STARTALL:
		return sd_mpi_call_start(g, form == FORM_STARTALL);
	case FORM_WAIT:
	case FORM_WAITALL:
	case FORM_WAITANY:
	case FORM_WAITSOME:
	case FORM_TEST:
	case FORM_TESTALL:
	case FORM_TESTANY:
		return sd_mpi_call_wait_for(g, form);
	case FORM_PROBE:
		return sd_mpi_call_probe(g);
	case FORM_MRECV:
		return sd_mpi_call_receive_matched(g);
	case FORM_COLLECTIVE:
	case FORM_STARTED:
	case FORM_PERSISTENT:
		return collective(g, form);
	case FORM_COMM:
	case FORM_WINDOW:
		return make(g, form);
	case FORM_FENCE:
		return on_window(g, sd_mpi_handle_of(g->a[1]));
	case FORM_WIN_FREE:
		return on_window(g, sd_mpi_handle_at(g->a[0]));
	default:
		return plain(g, form);
	}
}

/* `slot`: of the stack, where the return address stands. */
static long enter(unsigned call, long *a, const void *caller, const void *const *slot)
{
	struct going g = {.call = call, .a = a};
	long rc;

	if (depth)
		return hand_on(call, a);
	depth++;
	if (sd_mpi_call_rows[call].form == FORM_INIT)
		rc = init(call, a);
	else if (sd_mpi_call_rows[call].form == FORM_FINALIZE)
		rc = finalize(call, a);
	else if (!sd_mpi_log_head || !sd_mpi_log_head->magic || !sd_mpi_log_head->size_of_event)
		rc = hand_on(call, a);
	else
		rc = log_call(&g, sd_mpi_caller(caller, slot));
	depth--;
	return rc;
}

#define WRAP(name, ...)                                                                         \
	EXPORT long MPI_##name(long a, long b, long c, long d, long e, long f, long g, long h,  \
		long i, long j, long k, long l);                                                \
	EXPORT long PMPI_##name(long a, long b, long c, long d, long e, long f, long g, long h, \
		long i, long j, long k, long l) __attribute__((alias("MPI_" #name)));           \
	long MPI_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, \
		long j, long k, long l)                                                         \
	{                                                                                       \
		long words[12] = {a, b, c, d, e, f, g, h, i, j, k, l};                          \
                                                                                                \
		return enter(CALL_##name, words, __builtin_return_address(0),                   \
			(const void *const *)__builtin_frame_address(0) + 1);                   \
	}

COLLECTIVES(WRAP)
STARTED(WRAP)
PERSISTENT(WRAP)
COMMS(WRAP)
WINDOWS(WRAP)
TIMES(WRAP)
IOS(WRAP)
POINTS(WRAP)
OTHERS(WRAP)
