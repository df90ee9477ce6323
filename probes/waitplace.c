#include "waitplace.h"

#include <errno.h>
#include <stdio.h>

/* Waits in the futex call, whose first argument is the place. */
static int is_futex(enum sd_activity a)
{
	switch (a) {
	case SD_ACTIVITY_MUTEX:
	case SD_ACTIVITY_RWLOCK:
	case SD_ACTIVITY_SEMAPHORE:
	case SD_ACTIVITY_CONDITION:
	case SD_ACTIVITY_BARRIER:
	case SD_ACTIVITY_RUNTIME_LOCK:
	case SD_ACTIVITY_POOL:
	case SD_ACTIVITY_FUTEX:
		return 1;
	default:
		return 0;
	}
}

static int name_place(struct sd_placing *placing, struct sd_timeline *timeline, int pid,
	unsigned place, uint64_t address)
{
	const char *name;
	char text[300];
	uint64_t start;

	if (!address || sd_symbols_data(placing->symbols, pid, address, &name, &start))
		return 0;
	if (address > start)
		snprintf(text, sizeof text, "%.256s+0x%llx", name,
			(unsigned long long)(address - start));
	else
		snprintf(text, sizeof text, "%.256s", name);
	return sd_stacks_text(placing->stacks, text, &timeline->place[place].name);
}

/* Where the thread waits; *lock is 0 when it is no place of threads. */
static int find_place(struct sd_placing *placing, struct sd_timeline *timeline,
	const struct sd_event *e, unsigned node, enum sd_activity activity, unsigned *lock)
{
	/* the two words of a condition variable that its waiters use in turn are one place */
	uint64_t address = sd_placing_argument(e) & ~UINT64_C(7);
	unsigned place;
	int fresh, rc;

	*lock = 0;
	if (!is_futex(activity))
		return 0;
	if (address < 4096)
		address = 0;
	rc = sd_timeline_place(timeline, e->pid, address, node, activity, &place, &fresh);
	if (rc)
		return rc;
	*lock = place + 1;
	rc = fresh ? name_place(placing, timeline, e->pid, place, address) : 0;
	return rc == -ENOSPC ? 0 : rc;
}

int sd_waitplace_find(struct sd_placing *placing, struct sd_timeline *timeline,
	const struct sd_event *e, struct sd_moment *m)
{
	m->node = sd_placing_node(placing, e);
	m->activity = sd_placing_activity(placing, m->node, 1);
	/* how the kernel sleeps says nothing more where the reason is known on the user's side */
	if (m->activity != SD_ACTIVITY_UNKNOWN && m->activity != SD_ACTIVITY_KERNEL_LOCK &&
		m->activity != SD_ACTIVITY_DISK && sd_placing_user(placing, m->node))
		m->node = sd_placing_user(placing, m->node);
	return find_place(placing, timeline, e, m->node, m->activity, &m->lock);
}
