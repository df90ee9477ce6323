#include "trace/tid_set.h"

#include <errno.h>
#include <stdlib.h>

static int is_tid(int tid)
{
	return tid > 0 && (unsigned)tid < SD_MEMBERS_MAX;
}

int sd_members_init(struct sd_members *m)
{
	m->bit = calloc(SD_MEMBERS_MAX / 64, sizeof *m->bit);
	return m->bit ? 0 : -ENOMEM;
}

void sd_members_add(struct sd_members *m, int tid)
{
	if (is_tid(tid))
		m->bit[tid / 64] |= UINT64_C(1) << tid % 64;
}

void sd_members_drop(struct sd_members *m, int tid)
{
	if (is_tid(tid))
		m->bit[tid / 64] &= ~(UINT64_C(1) << tid % 64);
}

int sd_members_has(const struct sd_members *m, int tid)
{
	return is_tid(tid) && (m->bit[tid / 64] >> tid % 64 & 1);
}

void sd_members_free(struct sd_members *m)
{
	free(m->bit);
	m->bit = NULL;
}
