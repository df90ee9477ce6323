#include "trace/tid_set.h"

#include <errno.h>
#include <stdlib.h>

static int is_tid(int tid)
{
	return tid > 0 && (unsigned)tid < SD_TID_SET_MAX;
}

int sd_tid_set_init(struct sd_tid_set *m)
{
	m->bit = calloc(SD_TID_SET_MAX / 64, sizeof *m->bit);
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
	free(m->bit);
	m->bit = NULL;
}
