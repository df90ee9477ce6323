/*
 * The parts of the library that is preloaded into MPI ranks. It needs no header of an MPI: every
 * MPI function is handed its words on untouched, and the few values that differ between
 * implementations are told by what the process has loaded (mpi_abi.c).
 */
#ifndef SD_MPI_PRELOAD_H
#define SD_MPI_PRELOAD_H

#include <stddef.h>
#include <stdint.h>

#include "trace/mpi_log.h"

/* Differences between implementations. */
struct sd_mpi_abi {
	int id;              /* of struct sd_mpi_log */
	int pointers;        /* handles are pointers; else ints */
	unsigned long world; /* MPI_COMM_WORLD */
	unsigned long null;  /* MPI_COMM_NULL */
	int any_source, any_tag, proc_null;
	unsigned source, tag; /* ints before them in an MPI_Status */
	size_t status;        /* bytes of one, at most */
	unsigned long ignore; /* MPI_STATUS_IGNORE, and of several */
};
extern struct sd_mpi_abi sd_mpi_abi;
void sd_mpi_abi_find(void);

/* The function behind ours; NULL: the implementation has none. */
typedef long sd_mpi_next_fn(long, long, long, long, long, long, long, long, long, long, long, long);
sd_mpi_next_fn *sd_mpi_next_find(const char *name);

/* A handle that an argument is, and one that it points to. */
unsigned long sd_mpi_handle_of(long argument);
unsigned long sd_mpi_handle_at(long pointer);

/* mpi_caller.c: the program's return address, where `caller` is in a library's wrapper, as those
 * for Fortran are; else `caller`. `slot`: where on the stack `caller` stands. */
const void *sd_mpi_caller(const void *caller, const void *const *slot);

/* mpi_log_file.c: the file; NULL: this process writes none. Once the program may have a filter of
 * system calls (trace/program_sandbox.h) the log has what needs none: times, calls and waits, but
 * no delays, and events as far as the disk's room goes that was taken before. */
extern struct sd_mpi_log *sd_mpi_log_head;
uint64_t sd_mpi_log_now(void);
void sd_mpi_log_begin(void); /* in MPI_Init */
void sd_mpi_log_ready(void); /* after it */
void sd_mpi_log_final(void); /* in MPI_Finalize */
void sd_mpi_log_end(void);
uint32_t sd_mpi_log_site(const void *caller, unsigned call, const char *name);
/* us that the thread was ready without a CPU outside of MPI, and inside, since it was looked at. */
struct sd_mpi_delays {
	uint32_t outside, inside;
};
/* Accounts for the time since the thread's last boundary. */
struct sd_mpi_delays sd_mpi_log_boundary(uint64_t now, int was_inside);
void sd_mpi_log_add(struct sd_mpi_event *e);
/* Extends the last event of this thread instead, when it is of the same kind and site and nothing
 * ended in it: programs poll. 1: done. */
int sd_mpi_log_extend(const struct sd_mpi_event *e);
void sd_mpi_log_count(uint32_t site, uint64_t ns, uint64_t bytes);

/* mpi_comms.c. Rows of the log's communicators. */
void sd_mpi_comms_begin(void);
uint32_t sd_mpi_comms_find(unsigned long handle);
void sd_mpi_comms_forget(unsigned long handle);
uint32_t sd_mpi_comms_order(uint32_t comm); /* of the next collective */
int32_t sd_mpi_comms_world(uint32_t comm, int rank);
void sd_mpi_comms_window(unsigned long window, uint32_t comm);
uint32_t sd_mpi_comms_of_window(unsigned long window);

/* mpi_requests.c */
struct sd_mpi_request {
	unsigned long handle;
	uint32_t number, comm, bytes, order;
	int32_t peer, tag; /* peer as in the communicator */
	uint16_t kind;
	uint8_t persistent, active;
};
uint32_t sd_mpi_requests_number(void);
void sd_mpi_requests_add(const struct sd_mpi_request *r);
/* The oldest with this handle into *out: taken out, unless persistent. 0: none. */
int sd_mpi_requests_take(unsigned long handle, struct sd_mpi_request *out);
/* A persistent one, which gets a new number. 0: none. */
int sd_mpi_requests_start(unsigned long handle, struct sd_mpi_request *out);
void sd_mpi_requests_forget(unsigned long handle);

#endif
