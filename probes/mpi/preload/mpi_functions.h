/*
 * The MPI functions that are watched: name, what it does (a form of mpi_interpose.c), and the
 * positions of its communicator (or window, file), root and request among its arguments; -1 none.
 */
#ifndef SD_MPI_FUNCTIONS_H
#define SD_MPI_FUNCTIONS_H

/* clang-format off */

/* Blocking collective calls. */
#define COLLECTIVES(X) \
	X(Barrier, ALL, 0, -1) X(Bcast, FROM, 4, 3) X(Scatter, FROM, 7, 6) X(Scatterv, FROM, 8, 7) \
	X(Gather, TO, 7, 6) X(Gatherv, TO, 8, 7) X(Reduce, TO, 6, 5) \
	X(Allgather, ALL, 6, -1) X(Allgatherv, ALL, 7, -1) X(Allreduce, ALL, 5, -1) \
	X(Alltoall, ALL, 6, -1) X(Alltoallv, ALL, 8, -1) X(Alltoallw, ALL, 8, -1) \
	X(Reduce_scatter, ALL, 5, -1) X(Reduce_scatter_block, ALL, 5, -1) \
	X(Scan, BELOW, 5, -1) X(Exscan, BELOW, 5, -1) \
	X(Neighbor_allgather, NEAR, 6, -1) X(Neighbor_allgatherv, NEAR, 7, -1) \
	X(Neighbor_alltoall, NEAR, 6, -1) X(Neighbor_alltoallv, NEAR, 8, -1) \
	X(Neighbor_alltoallw, NEAR, 8, -1)

/* Those that only start; the request is behind the communicator. */
#define STARTED(X) \
	X(Ibarrier, IALL, 0, -1) X(Ibcast, IFROM, 4, 3) X(Iscatter, IFROM, 7, 6) X(Iscatterv, IFROM, 8, 7) \
	X(Igather, ITO, 7, 6) X(Igatherv, ITO, 8, 7) X(Ireduce, ITO, 6, 5) \
	X(Iallgather, IALL, 6, -1) X(Iallgatherv, IALL, 7, -1) X(Iallreduce, IALL, 5, -1) \
	X(Ialltoall, IALL, 6, -1) X(Ialltoallv, IALL, 8, -1) X(Ialltoallw, IALL, 8, -1) \
	X(Ireduce_scatter, IALL, 5, -1) X(Ireduce_scatter_block, IALL, 5, -1) \
	X(Iscan, IBELOW, 5, -1) X(Iexscan, IBELOW, 5, -1) \
	X(Ineighbor_allgather, NEAR, 6, -1) X(Ineighbor_allgatherv, NEAR, 7, -1) \
	X(Ineighbor_alltoall, NEAR, 6, -1) X(Ineighbor_alltoallv, NEAR, 8, -1) \
	X(Ineighbor_alltoallw, NEAR, 8, -1)

/* MPI 4: collectives made persistent; the request is two behind the communicator. */
#define PERSISTENT(X) \
	X(Barrier_init, IALL, 0, -1) X(Bcast_init, IFROM, 4, 3) X(Scatter_init, IFROM, 7, 6) \
	X(Scatterv_init, IFROM, 8, 7) X(Gather_init, ITO, 7, 6) X(Gatherv_init, ITO, 8, 7) \
	X(Reduce_init, ITO, 6, 5) X(Allgather_init, IALL, 6, -1) X(Allgatherv_init, IALL, 7, -1) \
	X(Allreduce_init, IALL, 5, -1) X(Alltoall_init, IALL, 6, -1) X(Alltoallv_init, IALL, 8, -1) \
	X(Alltoallw_init, IALL, 8, -1) X(Reduce_scatter_init, IALL, 5, -1) \
	X(Reduce_scatter_block_init, IALL, 5, -1) X(Scan_init, IBELOW, 5, -1) X(Exscan_init, IBELOW, 5, -1)

/* Calls that make a communicator: all of the old one take part; where the new one comes to stand. */
#define COMMS(X) \
	X(Comm_dup, 0, 1) X(Comm_dup_with_info, 0, 2) X(Comm_create, 0, 2) X(Comm_split, 0, 3) \
	X(Comm_split_type, 0, 4) X(Cart_create, 0, 5) X(Cart_sub, 0, 2) X(Graph_create, 0, 5) \
	X(Dist_graph_create, 0, 8) X(Dist_graph_create_adjacent, 0, 9) X(Intercomm_create, 0, 5) \
	X(Intercomm_merge, 0, 2)

/* Windows: those of all ranks of a communicator; then calls on a window that all of it enter. */
#define WINDOWS(X) X(Win_create, 4, 5) X(Win_allocate, 3, 5) X(Win_allocate_shared, 3, 5) X(Win_create_dynamic, 1, 2)

/* One-sided calls and others in which a rank may wait, but the log does not say for whom. */
#define TIMES(X) \
	X(Put) X(Get) X(Accumulate) X(Get_accumulate) X(Fetch_and_op) X(Compare_and_swap) X(Rput) X(Rget) \
	X(Raccumulate) X(Rget_accumulate) X(Win_lock) X(Win_unlock) X(Win_lock_all) X(Win_unlock_all) \
	X(Win_flush) X(Win_flush_all) X(Win_flush_local) X(Win_flush_local_all) X(Win_sync) X(Win_start) \
	X(Win_complete) X(Win_post) X(Win_wait) X(Win_test) X(Comm_spawn) X(Comm_spawn_multiple) \
	X(Comm_accept) X(Comm_connect) X(Comm_create_group) X(Comm_idup) X(Comm_join) X(Pack) X(Unpack) \
	X(Session_init) X(Session_finalize)

#define IOS(X) \
	X(File_open) X(File_close) X(File_set_size) X(File_preallocate) X(File_set_view) X(File_sync) \
	X(File_read) X(File_read_all) X(File_write) X(File_write_all) X(File_read_at) X(File_read_at_all) \
	X(File_write_at) X(File_write_at_all) X(File_iread) X(File_iwrite) X(File_iread_at) X(File_iwrite_at) \
	X(File_iread_all) X(File_iwrite_all) X(File_iread_at_all) X(File_iwrite_at_all) \
	X(File_read_shared) X(File_write_shared) X(File_read_ordered) X(File_write_ordered) \
	X(File_read_all_begin) X(File_read_all_end) X(File_write_all_begin) X(File_write_all_end) \
	X(File_read_at_all_begin) X(File_read_at_all_end) X(File_write_at_all_begin) X(File_write_at_all_end)

#define POINTS(X) \
	X(Send, SEND) X(Bsend, SEND) X(Ssend, SEND) X(Rsend, SEND) \
	X(Isend, ISEND) X(Ibsend, ISEND) X(Issend, ISEND) X(Irsend, ISEND) \
	X(Send_init, SEND_INIT) X(Bsend_init, SEND_INIT) X(Ssend_init, SEND_INIT) X(Rsend_init, SEND_INIT) \
	X(Recv, RECV) X(Irecv, IRECV) X(Recv_init, RECV_INIT) X(Sendrecv, SENDRECV) \
	X(Sendrecv_replace, SENDRECV_REPLACE) X(Start, START) X(Startall, STARTALL) X(Wait, WAIT) \
	X(Waitall, WAITALL) X(Waitany, WAITANY) X(Waitsome, WAITSOME) X(Test, TEST) X(Testall, TESTALL) \
	X(Testany, TESTANY) X(Testsome, WAITSOME) X(Request_free, REQUEST_FREE) X(Probe, PROBE) \
	X(Iprobe, PROBE) X(Mprobe, PROBE) X(Improbe, PROBE) X(Mrecv, MRECV) X(Imrecv, MRECV)

#define OTHERS(X) X(Win_fence) X(Win_free) X(Comm_free) X(Comm_disconnect) X(Init) X(Init_thread) X(Finalize)

/* clang-format on */

enum call {
#define X(name, ...) CALL_##name,
	COLLECTIVES(X) STARTED(X) PERSISTENT(X) COMMS(X) WINDOWS(X) TIMES(X) IOS(X) POINTS(X)
		OTHERS(X)
#undef X
			CALLS
};

#endif
