#include "resolve/wait_reason.h"
#include "resolve/event_regs.h"
#include "resolve/stack_activity.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "threads/wait_classes.h"

static int is_thread(void *ctx, uint32_t tid)
{
	unsigned number;

	return sd_timeline_find(ctx, (int)tid, &number);
}

/*
 * No function on the stack tells what the futex is: a program without symbols, or its own kind of
 * lock. The system call's arguments then tell as much as for threads polled in /proc.
 */
static enum sd_activity by_arguments(
	struct sd_timeline *timeline, const struct sd_event *e, uint64_t *last)
{
	struct sd_proc_syscall call = {.where = SD_PROC_SYSCALL, .nr = SYS_futex};
	const struct sd_wait_facts facts = {
		.state = 'S', .syscall = &call, .is_thread = is_thread, .ctx = timeline};
	struct sd_wait_seen seen;

	for (unsigned i = 0; i < SD_EVENT_REGS_ARGUMENTS; i++)
		call.arg[i] = sd_event_regs_argument(e, i);
	if (call.arg[0] < 4096 || call.arg[0] % 4 != 0) /* no futex, or no arguments */
		return SD_ACTIVITY_FUTEX;
	seen = sd_wait_classes_classify(&facts);
	sd_wait_classes_again(&seen, last);
	return seen.wait == SD_WAIT_LOCK   ? SD_ACTIVITY_MUTEX
	       : seen.wait == SD_WAIT_JOIN ? SD_ACTIVITY_JOIN
					   : SD_ACTIVITY_FUTEX;
}

static int name_place(struct sd_stack_resolve *placing, struct sd_timeline *timeline, int pid,
	unsigned place, uint64_t address)
{
	const char *name, *slash;
	char text[300];
	uint64_t start;

	if (!address)
		return 0;
	if (sd_symbols_data(placing->symbols, pid, address, &name, &start) == 0) {
		snprintf(text, sizeof text, address > start ? "%.256s+0x%" PRIx64 : "%.256s", name,
			address - start);
	} else if (sd_symbols_file(placing->symbols, pid, address, &name, &start) == 0) {
		slash = strrchr(name, '/');
		snprintf(text, sizeof text, "[%.256s+0x%" PRIx64 "]", slash ? slash + 1 : name,
			start);
	} else {
		return 0;
	}
	return sd_stacks_text(placing->stacks, text, &timeline->place[place].name);
}

/* Do processes meet there? Locks of files are the kernel's; a futex that is not said to be private
 * lies in memory that processes share, which those that fork each other have at one address. */
static int is_shared(const struct sd_event *e, enum sd_activity_at at, uint64_t address)
{
	return at == SD_AT_CALL ||
	       (address && !(sd_event_regs_argument(e, 1) & FUTEX_PRIVATE_FLAG));
}

/* Finds the place where the thread waits; *lock is 0 if it does not wait for threads. */
static int find_place(struct sd_stack_resolve *placing, struct sd_timeline *timeline,
	const struct sd_event *e, const struct sd_moment *m, int of_task, int maybe_lock,
	unsigned *lock)
{
	const enum sd_activity activity = m->activity;
	/* A condition variable's waiters alternate between two words, which are one place. A mutex
	 * has one word, and the neighbouring word may be another mutex; this includes words
	 * recognised as a mutex when a thread waits there again. The word of a scheduler's thread
	 * belongs to none of its tasks. */
	const uint64_t bits = activity == SD_ACTIVITY_MUTEX || maybe_lock ? 3 : 7;
	const enum sd_activity_at at = sd_activity_info[activity].at;
	uint64_t address = of_task || at != SD_AT_WORD ? 0 : sd_event_regs_argument(e, 0) & ~bits;
	unsigned place;
	int fresh, rc;

	*lock = 0;
	/* Which of its threads runs a task changes all the time: that threads wait in turn where
	 * tasks meet does not make a lock of it (lone_runner.h), only its name does. */
	if (at == SD_AT_NOWHERE || (of_task && sd_activity_info[activity].wait != SD_WAIT_LOCK))
		return 0;
	if (address < 4096)
		address = 0;
	rc = sd_timeline_place(timeline, is_shared(e, at, address) ? 0 : e->pid, address, m->node,
		activity, &place, &fresh);
	if (rc)
		return rc;
	if (timeline->place[place].kind == SD_ACTIVITY_FUTEX)
		timeline->place[place].kind = activity;
	*lock = place + 1;
	rc = fresh ? name_place(placing, timeline, e->pid, place, address) : 0;
	return rc == -ENOSPC ? 0 : rc;
}

/* A scheduler without another task waits for what its last task waits for. */
static int of_task(struct sd_stack_resolve *placing, struct sd_moment *m)
{
	const unsigned task = sd_stack_activity_task(placing, m->node);
	const enum sd_activity activity =
		task ? sd_stack_activity(placing, task, 1) : SD_ACTIVITY_UNKNOWN;

	if (activity == SD_ACTIVITY_UNKNOWN)
		return 0;
	m->node = task;
	m->activity = activity;
	return 1;
}

/* Without names a scheduler's waits look like others, and it also sleeps before looking for a task
 * again, which tasks do not. */
static int lacks_task(
	const struct sd_stack_resolve *placing, const struct sd_event *e, const struct sd_moment *m)
{
	const struct sd_stacks *const s = placing->stacks;
	const unsigned user = sd_stack_resolve_user(placing, m->node);

	if (m->activity != SD_ACTIVITY_FUTEX && m->activity != SD_ACTIVITY_SLEEP)
		return 0;
	return user && !s->frame[s->node[user].frame].function &&
	       sd_symbols_schedules(placing->symbols, e->pid, sd_event_regs_ip(e));
}

int sd_wait_reason_find(struct sd_stack_resolve *placing, struct sd_timeline *timeline,
	const struct sd_event *e, struct sd_moment *m, uint64_t *last)
{
	m->node = sd_stack_resolve_node(placing, e);
	if (of_task(placing, m))
		return find_place(placing, timeline, e, m, 1, 0, &m->lock);
	m->activity = sd_stack_activity(placing, m->node, 1);
	/* if the user frames tell the reason, the kernel function adds nothing */
	if (m->activity != SD_ACTIVITY_UNKNOWN && m->activity != SD_ACTIVITY_KERNEL_LOCK &&
		m->activity != SD_ACTIVITY_DISK && sd_stack_resolve_user(placing, m->node))
		m->node = sd_stack_resolve_user(placing, m->node);
	if (m->activity == SD_ACTIVITY_FUTEX)
		m->activity = by_arguments(timeline, e, last);
	if (lacks_task(placing, e, m))
		m->activity = SD_ACTIVITY_TASKLESS;
	return find_place(
		placing, timeline, e, m, 0, m->activity == SD_ACTIVITY_FUTEX && *last, &m->lock);
}
