#include "perf_event/perf_mmap.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int sd_perf_mmap_map(int fd, size_t size, struct sd_perf_mmap *out)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *const map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*out = (struct sd_perf_mmap){0};
	if (map == MAP_FAILED)
		return -errno;
	out->control = map;
	out->data = (unsigned char *)map + page;
	out->size = size;
	return 0;
}

int sd_perf_mmap_map_aux(int fd, size_t size, struct sd_perf_mmap *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	ring->control->aux_offset = page + ring->size;
	ring->control->aux_size = size;
	/* writable: what was read need not stay */
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(page + ring->size));
	if (map == MAP_FAILED)
		return -errno;
	ring->aux = map;
	ring->aux_size = size;
	return 0;
}

void sd_perf_mmap_unmap(struct sd_perf_mmap *ring)
{
	if (ring->aux)
		munmap(ring->aux, ring->aux_size);
	if (ring->control)
		munmap(ring->control,
			(size_t)(ring->data - (unsigned char *)ring->control) + ring->size);
	*ring = (struct sd_perf_mmap){0};
}

int sd_perf_mmap_redirect(int fd, int to)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to) ? -errno : 0;
}

int sd_perf_mmap_id(int fd, uint64_t *id)
{
	return ioctl(fd, PERF_EVENT_IOC_ID, id) ? -errno : 0;
}
