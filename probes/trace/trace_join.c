#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"
#include "trace/trace_state.h"

#define ROUNDS 8 /* of listing threads: each is for those that were made in the one before */

static void put(struct sd_capture *c, struct sd_event *e)
{
	e->time = e->time ? e->time : sd_clock_ns();
	c->facts.n_lost += sd_downsample_put(&c->aside, &c->spool, c->n, e);
}

/* Notes the present state of a thread; one that has ended meanwhile has none. */
static void note_thread(struct sd_capture *c, struct sd_blocked_stacks *g, int pid, int tid)
{
	struct sd_event e = {.kind = SD_EVENT_NAME, .pid = pid, .tid = tid}, seen;
	struct sd_proc_stat stat;
	char path[64], text[512];

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
	if (sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_stat(text, &stat))
		return;
	e.name = stat.comm;
	put(c, &e);
	e = (struct sd_event){.kind = stat.state == 'R' ? SD_EVENT_SWITCH_IN : SD_EVENT_SWITCH_OUT,
		.pid = pid,
		.tid = tid};
	put(c, &e);
	if (stat.state != 'R' && sd_blocked_stacks_look(g, pid, tid, &seen) == 0)
		put(c, &seen);
}

/* All threads first, so that none is missed; what they do takes longer to find out. */
static int list(struct sd_capture *c, struct sd_task_ids *ids, int pid)
{
	int rc = 1;

	for (int i = 0; i < ROUNDS && rc > 0; i++)
		rc = sd_task_ids_add(ids, "", pid);
	for (size_t i = 0; i < ids->n; i++)
		sd_tree_filter_add(&c->family, ids->tid[i]);
	return rc == -ENOMEM ? rc : 0;
}

int sd_capture_join(struct sd_capture *c, const struct sd_running *running)
{
	struct sd_blocked_stacks waiting;
	int rc = sd_blocked_stacks_open(&waiting);

	sd_tree_filter_begin(&c->family, sd_clock_ns());
	for (size_t i = 0; i < running->n && !rc; i++) {
		struct sd_task_ids ids = {0};

		rc = list(c, &ids, running->pid[i]);
		for (size_t k = 0; k < ids.n && !rc; k++)
			note_thread(c, &waiting, running->pid[i], ids.tid[k]);
		sd_task_ids_free(&ids);
	}
	sd_blocked_stacks_close(&waiting);
	return rc;
}
