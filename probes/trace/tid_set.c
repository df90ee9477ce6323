#include "trace/tid_set.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#define BYTES (SD_TID_SET_MAX / 8)

static int is_tid(int tid)
{
	return tid > 0 && (unsigned)tid < SD_TID_SET_MAX;
}

int sd_tid_set_init(struct sd_tid_set *m)
{
	/* not from the heap, which would clear all of it where it has had such memory before */
	void *const map =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	m->bit = map == MAP_FAILED ? NULL : map;
	return m->bit ? 0 : -ENOMEM;
}

void sd_tid_set_add(struct sd_tid_set *m, int tid)
{
	if (is_tid(tid))
		m->bit[tid / 64] |= UINT64_C(1) << tid % 64;
}

void sd_tid_set_drop(struct sd_tid_set *m, int tid)
{
	if (is_tid(tid))
		m->bit[tid / 64] &= ~(UINT64_C(1) << tid % 64);
}

int sd_tid_set_has(const struct sd_tid_set *m, int tid)
{
	return is_tid(tid) && (m->bit[tid / 64] >> tid % 64 & 1);
}

void sd_tid_set_free(struct sd_tid_set *m)
{
	if (m->bit)
		munmap(m->bit, BYTES);
	m->bit = NULL;
}
