/*
 * A call of MPI under way, from its wrapper (mpi_interpose.c) to whoever reads its arguments.
 */
#ifndef SD_MPI_CALL_H
#define SD_MPI_CALL_H

#include "preload/mpi_functions.h"
#include "preload/mpi_preload.h"

/* How the arguments of a call are read. */
enum form {
	FORM_TIME,
	FORM_IO,
	FORM_COLLECTIVE,
	FORM_STARTED,
	FORM_PERSISTENT,
	FORM_COMM,
	FORM_WINDOW,
	FORM_FENCE,
	FORM_WIN_FREE,
	FORM_COMM_FREE,
	FORM_SEND,
	FORM_ISEND,
	FORM_SEND_INIT,
	FORM_RECV,
	FORM_IRECV,
	FORM_RECV_INIT,
	FORM_SENDRECV,
	FORM_SENDRECV_REPLACE,
	FORM_START,
	FORM_STARTALL,
	FORM_WAIT,
	FORM_WAITALL,
	FORM_WAITANY,
	FORM_WAITSOME,
	FORM_TEST,
	FORM_TESTALL,
	FORM_TESTANY,
	FORM_REQUEST_FREE,
	FORM_PROBE,
	FORM_MRECV,
	FORM_INIT,
	FORM_FINALIZE
};

/* comm: position of the communicator; second: of the root, or of the new communicator or window. */
struct row {
	const char *name;
	enum form form;
	enum sd_mpi_kind kind;
	int comm, second;
};

extern const struct row sd_mpi_call_rows[CALLS];

/* A call under way. */
struct going {
	unsigned call;
	long *a; /* its 12 words */
	struct sd_mpi_event event;
};

/* Makes the call, and notes when it was left. */
long sd_mpi_call_run(struct going *g);
/* Logs it. */
void sd_mpi_call_finish(struct going *g);
/* The request that the call started; `pointer`: to the request's handle. */
struct sd_mpi_request sd_mpi_call_request_of(const struct going *g, long pointer, int peer);

/* mpi_messages.c and mpi_waits_for.c: calls by their form. Each returns what the call returned. */
long sd_mpi_call_send(struct going *g, enum form form);
long sd_mpi_call_receive(struct going *g, enum form form);
long sd_mpi_call_exchange(struct going *g, int replace);
long sd_mpi_call_start(struct going *g, int all);
long sd_mpi_call_probe(struct going *g);
long sd_mpi_call_receive_matched(struct going *g);
long sd_mpi_call_wait_for(struct going *g, enum form form);

#endif
