#include "mpi/mpi_fragment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/regular_file.h"

static void end_texts(struct sd_mpi_log *h)
{
	h->host[sizeof h->host - 1] = 0;
	for (size_t i = 0; i < SD_MPI_LOG_MODULES; i++)
		h->module[i][sizeof h->module[i] - 1] = 0;
	for (size_t i = 0; i < h->sites; i++) {
		h->site[i].call[sizeof h->site[i].call - 1] = 0;
		if (h->site[i].module >= h->modules)
			h->site[i].module = UINT32_MAX;
	}
}

/* Times later than this, or beyond a day of one run, are damage. */
#define MOST_NS 4000000000000000000ull

static uint64_t not_before(uint64_t t, uint64_t least)
{
	return t < least || t > MOST_NS ? least : t;
}

static int check_head(struct sd_mpi_log *h)
{
	if (h->magic != SD_MPI_LOG_MAGIC)
		return h->magic ? -EBADMSG : -ENODATA;
	if ((h->size_of_event && h->size_of_event != sizeof(struct sd_mpi_event)) ||
		h->ranks == 0 || h->ranks > 1u << 24 || h->rank >= h->ranks || h->abi > 2 ||
		h->sites > SD_MPI_LOG_SITES || h->comms > SD_MPI_LOG_COMMS ||
		h->modules > SD_MPI_LOG_MODULES || h->inited > MOST_NS || !h->inited)
		return -EBADMSG;
	end_texts(h);
	for (size_t i = 0; i < h->comms; i++)
		if (h->comm[i].size > h->ranks || h->comm[i].rank >= h->ranks)
			h->comm[i].members = 0;
	if (h->loaded > h->inited)
		h->loaded = h->inited;
	h->init = not_before(h->init, h->loaded) > h->inited ? h->inited
							     : not_before(h->init, h->loaded);
	return 0;
}

static void check_event(const struct sd_mpi_log *h, struct sd_mpi_event *e, uint64_t *least)
{
	if (e->kind >= SD_MPI_KIND_COUNT)
		e->kind = SD_MPI_TIME;
	if (e->site >= h->sites)
		e->site = UINT32_MAX;
	if (e->comm >= h->comms || !h->comm[e->comm].members)
		e->comm = SD_MPI_NO_COMM;
	if (e->peer < 0 || (uint32_t)e->peer >= h->ranks)
		e->peer = SD_MPI_NOBODY;
	if (e->thread >= SD_MPI_LOG_THREADS)
		e->thread = SD_MPI_LOG_THREADS - 1;
	/* threads write in any order; the first one's times are those that are added up */
	if (e->thread == 0) {
		/* parts of a call carry its times */
		if (e->kind != SD_MPI_RECEIVED && e->kind != SD_MPI_DONE)
			e->enter = not_before(e->enter, *least);
		e->leave = not_before(e->leave, e->enter > *least ? e->enter : *least);
		if (e->enter > e->leave)
			e->enter = e->leave;
		*least = e->leave;
	} else {
		e->enter = not_before(e->enter, h->inited);
		e->leave = not_before(e->leave, e->enter);
	}
}

int sd_mpi_fragment_check(void *bytes, size_t size, struct sd_mpi_rank *out)
{
	struct sd_mpi_log *const h = bytes;
	struct sd_mpi_event *const event = (struct sd_mpi_event *)(h + 1);
	uint64_t least;
	int rc;

	*out = (struct sd_mpi_rank){0};
	if (size < sizeof *h)
		return -EBADMSG;
	rc = check_head(h);
	if (rc)
		return rc;
	out->head = h;
	out->event = event;
	if (!h->size_of_event)
		h->events = 0;
	out->n_event = (size - sizeof *h) / sizeof *event;
	out->folded = h->events > SD_MPI_LOG_EVENTS;
	if (out->n_event > h->events)
		out->n_event = h->events;
	least = h->inited;
	for (size_t i = 0; i < out->n_event; i++) {
		/* a place that was taken and never written: the rank died there */
		if (!event[i].leave && !event[i].enter) {
			out->n_event = i;
			break;
		}
		check_event(h, &event[i], &least);
	}
	out->unfinished = !h->finalized;
	h->final = h->final ? not_before(h->final, least) : least;
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct sd_mpi_rank *const x = a, *const y = b;

	return x->head->rank < y->head->rank ? -1 : x->head->rank > y->head->rank;
}

static int make_room(struct sd_mpi_fragments *f)
{
	const size_t room = f->room ? 2 * f->room : 64;
	struct sd_mpi_rank *rank;
	size_t *length;
	void **map;

	if (f->mapped < f->room)
		return 0;
	rank = realloc(f->rank, room * sizeof *rank);
	if (!rank)
		return -ENOMEM;
	f->rank = rank;
	map = realloc(f->map, room * sizeof *map);
	if (!map)
		return -ENOMEM;
	f->map = map;
	length = realloc(f->length, room * sizeof *length);
	if (!length)
		return -ENOMEM;
	f->length = length;
	f->room = room;
	return 0;
}

/* MAP_FAILED: it is no file that a rank writes. A copy of what it wrote: a rank that was left over
 * may write and cut it. */
static void *copy_file(int folder, const char *name, size_t *length)
{
	const int fd = sd_regular_file_open_at(folder, name, O_NOFOLLOW, NULL);
	struct sd_mpi_log *head = malloc(sizeof *head);
	void *copy = MAP_FAILED;

	if (fd >= 0 && head && sd_regular_file_bytes(fd, head, sizeof *head, 0) == sizeof *head) {
		const size_t n =
			head->events < SD_MPI_LOG_EVENTS ? head->events : SD_MPI_LOG_EVENTS;

		*length = sizeof *head + n * sizeof(struct sd_mpi_event);
		copy = mmap(
			NULL, *length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	/* what it lacks at its end is zero, and no event */
	if (copy != MAP_FAILED) {
		memcpy(copy, head, sizeof *head);
		(void)sd_regular_file_bytes(fd, (char *)copy + sizeof *head, *length - sizeof *head,
			(off_t)sizeof *head);
	}
	free(head);
	if (fd >= 0)
		close(fd);
	return copy;
}

/* 0: taken, or passed over; -ENOMEM. */
static int take_file(struct sd_mpi_fragments *f, int folder, const char *name)
{
	size_t length = 0;
	void *const map = copy_file(folder, name, &length);

	if (map == MAP_FAILED) {
		f->unreadable++;
		return 0;
	}
	if (make_room(f)) {
		munmap(map, length);
		return -ENOMEM;
	}
	if (sd_mpi_fragment_check(map, length, &f->rank[f->mapped])) {
		f->unreadable++;
		munmap(map, length);
		return 0;
	}
	f->map[f->mapped] = map;
	f->length[f->mapped++] = length;
	return 0;
}

/* Keeps one of each rank. Where a rank is there twice (a program that a rank started has ranks of
 * its own), the first world of the size that most have stays. */
static void keep_each_once(struct sd_mpi_fragments *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_rank; i++) {
		if (n && (f->rank[n - 1].head->rank == f->rank[i].head->rank ||
				 f->rank[i].head->ranks != f->rank[0].head->ranks))
			continue;
		f->rank[n++] = f->rank[i];
	}
	f->n_rank = n;
}

static int is_fragment(const char *name)
{
	const size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".mpi") == 0;
}

int sd_mpi_fragments_open(struct sd_mpi_fragments *f, const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	int rc = d ? 0 : -errno;

	*f = (struct sd_mpi_fragments){0};
	while (d && !rc && (e = readdir(d))) {
		if (is_fragment(e->d_name))
			rc = take_file(f, dirfd(d), e->d_name);
	}
	if (d)
		closedir(d);
	if (rc) {
		sd_mpi_fragments_close(f);
		return rc;
	}
	f->n_rank = f->mapped;
	if (f->n_rank)
		qsort(f->rank, f->n_rank, sizeof *f->rank, by_rank);
	keep_each_once(f);
	return 0;
}

void sd_mpi_fragments_close(struct sd_mpi_fragments *f)
{
	for (size_t i = 0; i < f->mapped; i++)
		munmap(f->map[i], f->length[i]);
	free(f->rank);
	free(f->map);
	free(f->length);
	*f = (struct sd_mpi_fragments){0};
}

void sd_mpi_fragments_remove(const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_fragment(e->d_name)) {
			const int fd = openat(dirfd(d), e->d_name,
				O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
			uint64_t magic = 1;

			/* a rank that never came out of MPI_Init() has written none yet */
			if (fd >= 0 && pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
				(magic == SD_MPI_LOG_MAGIC || !magic))
				unlinkat(dirfd(d), e->d_name, 0);
			if (fd >= 0)
				close(fd);
		}
	if (d)
		closedir(d);
}
