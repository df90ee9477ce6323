#include "trace/tree_filter.h"

#include <stdlib.h>

#include "base/one_more.h"

int sd_tree_filter_init(struct sd_tree_filter *f, pid_t pid)
{
	*f = (struct sd_tree_filter){.pid = pid};
	return sd_tid_set_init(&f->member);
}

void sd_tree_filter_begin(struct sd_tree_filter *f, uint64_t time)
{
	f->begun = time;
	f->joined = 1;
}

void sd_tree_filter_add(struct sd_tree_filter *f, int tid)
{
	sd_tid_set_add(&f->member, tid);
}

static void add_orphan(struct sd_tree_filter *f, int tid, int parent)
{
	if (SD_APPEND(f->orphan, f->n_orphan, &(struct sd_orphan){tid, parent}))
		return;
}

void sd_tree_filter_meet(struct sd_tree_filter *f, const struct sd_event *e, int exec)
{
	/* a program that execs again at once may have done so on a CPU whose ring is read first */
	if (exec && e->pid == f->pid && !f->joined && (!f->begun || e->time < f->begun)) {
		f->begun = e->time;
		sd_tid_set_add(&f->member, e->pid);
	}
	if (e->kind != SD_EVENT_FORK)
		return;
	if (sd_tid_set_has(&f->member, e->other)) {
		sd_tid_set_add(&f->member, e->tid);
		return;
	}
	sd_tid_set_drop(&f->member, e->tid); /* the number of one that has ended is another's now */
	add_orphan(f, e->tid, e->other);
}

void sd_tree_filter_adopt(struct sd_tree_filter *f)
{
	size_t before;

	do {
		before = f->n_orphan;
		for (size_t i = before; i-- > 0;)
			if (sd_tid_set_has(&f->member, f->orphan[i].parent)) {
				sd_tid_set_add(&f->member, f->orphan[i].tid);
				f->orphan[i] = f->orphan[--f->n_orphan];
			}
	} while (f->n_orphan < before);
	f->n_orphan = 0;
}

int sd_tree_filter_own(const struct sd_tree_filter *f, const struct sd_event *e)
{
	if (!f->begun || e->time < f->begun)
		return 0;
	if (e->kind == SD_EVENT_LOST)
		return 1;
	if (e->kind == SD_EVENT_WAKE)
		return sd_tid_set_has(&f->member, e->other);
	return sd_tid_set_has(&f->member, e->tid);
}

void sd_tree_filter_hide(const struct sd_tree_filter *f, struct sd_event *e)
{
	if (e->kind == SD_EVENT_WAKE && e->tid && !sd_tid_set_has(&f->member, e->tid))
		e->pid = e->tid = e->other;
}

void sd_tree_filter_free(struct sd_tree_filter *f)
{
	sd_tid_set_free(&f->member);
	free(f->orphan);
	*f = (struct sd_tree_filter){0};
}
