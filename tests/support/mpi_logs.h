/*
 * Logs of MPI ranks as their library writes them, made up: what each computed and called is given,
 * so that what the run lost is known.
 */
#ifndef SD_TESTS_MPI_LOGS_H
#define SD_TESTS_MPI_LOGS_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/mpi_ranks.h"

#define MPI_LOGS_START 1000000000ull /* ns: the end of MPI_Init() */

struct mpi_logs {
	size_t n, room; /* ranks; events of each, at most */
	struct sd_mpi_log **head;
	struct sd_mpi_rank *rank;
	unsigned *host;
	uint32_t site[1];
	struct sd_mpi_ranks ranks;
};

/* n ranks of one communicator, `nodes` hosts, each with its clock so many ns before the first's. */
static inline void mpi_logs_make(struct mpi_logs *l, size_t n, size_t room, size_t nodes)
{
	*l = (struct mpi_logs){.n = n, .room = room};
	l->head = calloc(n, sizeof *l->head);
	l->rank = calloc(n, sizeof *l->rank);
	l->host = calloc(n, sizeof *l->host);
	for (size_t i = 0; i < n; i++) {
		struct sd_mpi_log *const h = l->head[i] =
			calloc(1, sizeof *h + room * sizeof(struct sd_mpi_event));

		l->host[i] = (unsigned)(i * nodes / n);
		*h = (struct sd_mpi_log){.magic = SD_MPI_LOG_MAGIC,
			.size_of_event = sizeof(struct sd_mpi_event),
			.abi = 1,
			.rank = (uint32_t)i,
			.ranks = (uint32_t)n,
			.pid = (uint32_t)(100 + i),
			.threads = 1,
			.sites = 1,
			.comms = 1,
			.loaded = MPI_LOGS_START / 2,
			.init = MPI_LOGS_START / 2,
			.inited = MPI_LOGS_START};
		snprintf(h->host, sizeof h->host, "node%u", l->host[i]);
		snprintf(h->site[0].call, sizeof h->site[0].call, "MPI_Allreduce");
		h->site[0].module = UINT32_MAX;
		h->comm[0] = (struct sd_mpi_comm){
			.members = 42, .size = (uint32_t)n, .rank = (uint32_t)i};
	}
}

static inline struct sd_mpi_event *mpi_logs_events(struct sd_mpi_log *h)
{
	return (struct sd_mpi_event *)(h + 1);
}

/* Another event; enter and leave in s since MPI_Init(). */
static inline struct sd_mpi_event *mpi_logs_call(struct mpi_logs *l, size_t rank,
	enum sd_mpi_kind kind, int peer, double enter, double leave)
{
	struct sd_mpi_log *const h = l->head[rank];
	struct sd_mpi_event *const e = &mpi_logs_events(h)[h->events++];

	*e = (struct sd_mpi_event){.enter = MPI_LOGS_START + (uint64_t)llround(enter * 1e9),
		.leave = MPI_LOGS_START + (uint64_t)llround(leave * 1e9),
		.kind = (uint16_t)kind,
		.peer = peer};
	h->site[0].calls++;
	return e;
}

/* All ranks end at `end`; their sums as the library would have kept them. */
static inline void mpi_logs_end(struct mpi_logs *l, double end)
{
	for (size_t i = 0; i < l->n; i++) {
		struct sd_mpi_log *const h = l->head[i];

		h->final = MPI_LOGS_START + (uint64_t)llround(end * 1e9);
		h->finalized = h->final + 1000000;
		for (size_t k = 0; k < h->events; k++) {
			const struct sd_mpi_event *const e = &mpi_logs_events(h)[k];

			if (e->kind != SD_MPI_RECEIVED && e->kind != SD_MPI_DONE)
				h->inside.wall += e->leave - e->enter;
			h->outside.delay += e->off * 1000ull;
		}
		h->outside.wall = h->final - h->inited - h->inside.wall;
		h->outside.off = h->outside.delay;
		h->process_cpu = h->final - h->inited - h->outside.off;
	}
}

/* As read, without files. */
static inline const struct sd_mpi_ranks *mpi_logs_read(struct mpi_logs *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct sd_mpi_log *const h = l->head[i];

		l->rank[i] = (struct sd_mpi_rank){.head = h,
			.event = mpi_logs_events(l->head[i]),
			.n_event = h->events,
			.site = l->site,
			.unfinished = !h->finalized};
	}
	l->ranks = (struct sd_mpi_ranks){l->rank, l->n, l->n, l->host};
	return &l->ranks;
}

static inline size_t mpi_logs_bytes(const struct sd_mpi_log *h)
{
	return sizeof *h + h->events * sizeof(struct sd_mpi_event);
}

/* One file a rank in `folder`; what is 0 is left out. 0, or what failed. */
static inline int mpi_logs_write(const struct mpi_logs *l, const char *folder)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct sd_mpi_log *const h = l->head[i];
		const size_t bytes = mpi_logs_bytes(h);
		char path[4096];
		int fd;

		snprintf(path, sizeof path, "%s/%s.%u.mpi", folder, h->host, h->pid);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd < 0 || ftruncate(fd, (off_t)bytes))
			return -1;
		for (size_t at = 0; at < bytes; at += 4096) {
			const size_t n = bytes - at < 4096 ? bytes - at : 4096;
			static const char zero[4096];

			if (memcmp((const char *)h + at, zero, n) &&
				pwrite(fd, (const char *)h + at, n, (off_t)at) != (ssize_t)n)
				return -1;
		}
		close(fd);
	}
	return 0;
}

static inline void mpi_logs_free(struct mpi_logs *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->head[i]);
	free(l->head);
	free(l->rank);
	free(l->host);
	*l = (struct mpi_logs){0};
}

#endif
