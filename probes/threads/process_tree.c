#include "threads/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"
#include "base/number.h"
#include "proc/textfile.h"

#define VISITS 64  /* threads visited a walk */
#define SPARSE 64  /* more threads than this: read less of those that wait */
#define LIST 65536 /* bytes of a children file: some ten thousand processes */

static int is_thread(void *ctx, uint32_t tid)
{
	return tid <= INT32_MAX && sd_process_tree_find(ctx, (int)tid) != NULL;
}

void sd_process_tree_init(
	struct sd_process_tree *tree, const char *root, pid_t subreaper, unsigned files)
{
	*tree = (struct sd_process_tree){.subreaper = subreaper,
		.env = {.root = root, .files = files, .has_sched = 1, .is_thread = is_thread}};
}

/* Index of the first thread with a number >= tid. */
static size_t lower_bound(const struct sd_process_tree *tree, int tid)
{
	size_t low = 0, high = tree->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (tree->task[mid]->tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct sd_thread_state *sd_process_tree_find(const struct sd_process_tree *tree, int tid)
{
	const size_t i = lower_bound(tree, tid);

	return i < tree->n && tree->task[i]->tid == tid ? tree->task[i] : NULL;
}

static int add(struct sd_process_tree *tree, int pid, int tid)
{
	const size_t i = lower_bound(tree, tid);
	struct sd_thread_state *t;

	if (i < tree->n && tree->task[i]->tid == tid)
		return 0;
	if (tree->n == tree->room) {
		const size_t room = tree->room ? 2 * tree->room : 16;
		struct sd_thread_state **grown =
			realloc(tree->task, room * sizeof(struct sd_thread_state *));

		if (!grown)
			return -ENOMEM;
		tree->task = grown;
		tree->room = room;
	}
	t = malloc(sizeof *t);
	if (!t)
		return -ENOMEM;
	sd_thread_state_init(t, pid, tid);
	memmove(&tree->task[i + 1], &tree->task[i],
		(tree->n - i) * sizeof(struct sd_thread_state *));
	tree->task[i] = t;
	tree->n++;
	tree->seen++;
	tree->todo++;
	return 0;
}

/* Adds the threads of a process. A process that is gone has none. */
static int add_process(struct sd_process_tree *tree, int pid)
{
	char path[4096];
	uint64_t tid;
	DIR *dir;
	int rc = 0;

	if (snprintf(path, sizeof path, "%s/proc/%d/task", tree->env.root, pid) >= (int)sizeof path)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *e; !rc && (e = readdir(dir));)
		if (!sd_number_u64(e->d_name, 1, INT32_MAX, &tid))
			rc = add(tree, pid, (int)tid);
	closedir(dir);
	return rc;
}

/* The processes that thread `tid` of `pid` created, and those it was given, as text. *list is owned
 * by the caller, also after an error. -ENOENT when there is no such file. */
static int list_children(const struct sd_process_tree *tree, int pid, int tid, char **list)
{
	char path[64];
	int rc;

	*list = malloc(LIST);
	if (!*list)
		return -ENOMEM;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
	rc = sd_textfile_read(tree->env.root, path, *list, LIST);
	if (!rc && strlen(*list) == LIST - 1)
		*strrchr(*list, ' ') = '\0'; /* too many: the last number may be cut short */
	return rc;
}

static int add_children(struct sd_process_tree *tree, int pid, int tid)
{
	char *list;
	int rc = list_children(tree, pid, tid, &list), child;
	const char *at = list;

	while (!rc && (child = sd_proc_parse_next_pid(&at)) > 0)
		if (child != tree->subreaper && !sd_process_tree_find(tree, child))
			rc = add_process(tree, child);
	free(list);
	return rc;
}

int sd_process_tree_hides(const struct sd_process_tree *tree, pid_t pid)
{
	char path[4096], *list;
	const char *at;
	int child, hides = 0;

	snprintf(path, sizeof path, "%s/proc/%d/task", tree->env.root, (int)pid);
	if (access(path, F_OK) == 0)
		return 0;
	if (tree->no_children || !tree->subreaper)
		return 1;
	/* only now: what has ended meanwhile is listed no more */
	at = list_children(tree, tree->subreaper, tree->subreaper, &list) ? "" : list;
	while (!hides && (child = sd_proc_parse_next_pid(&at)) > 0)
		hides = child == pid;
	free(list);
	return hides;
}

struct parent {
	int pid, ppid, ours;
};

/* All processes and their parents. *out is owned by the caller. 0 or -errno. */
static int list_parents(const char *root, struct parent **out, size_t *n)
{
	char path[4096], text[512];
	struct sd_proc_stat stat;
	uint64_t pid;
	DIR *dir;
	int rc = 0;

	*out = NULL;
	*n = 0;
	if (snprintf(path, sizeof path, "%s/proc", root) >= (int)sizeof path)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return -errno;
	for (struct dirent *e; !rc && (e = readdir(dir));) {
		if (sd_number_u64(e->d_name, 1, INT32_MAX, &pid))
			continue;
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		if (sd_textfile_read(root, path, text, sizeof text) ||
			sd_proc_parse_stat(text, &stat))
			continue;
		rc = SD_APPEND(*out, *n, &(struct parent){.pid = (int)pid, .ppid = stat.ppid});
	}
	closedir(dir);
	return rc;
}

/* For kernels without children files (CONFIG_PROC_CHILDREN): everything whose ancestors reach the
 * subreaper, or a process that is in the tree. */
static int scan_parents(struct sd_process_tree *tree)
{
	struct parent *p = NULL;
	size_t n = 0;
	int rc = list_parents(tree->env.root, &p, &n), more = 1;

	for (; !rc && more;) {
		more = 0;
		for (size_t i = 0; i < n; i++) {
			int ours = (tree->subreaper && p[i].ppid == tree->subreaper) ||
				   sd_process_tree_find(tree, p[i].pid);

			if (p[i].ours || p[i].pid == tree->subreaper)
				continue;
			for (size_t k = 0; k < n && !ours; k++)
				ours = p[k].ours && p[k].pid == p[i].ppid;
			p[i].ours = ours;
			more |= ours;
		}
	}
	for (size_t i = 0; i < n && !rc; i++)
		if (p[i].ours && !sd_process_tree_find(tree, p[i].pid))
			rc = add_process(tree, p[i].pid);
	free(p);
	return rc;
}

/*
 * Has any thread been created on this machine since the last call? /proc/loadavg ends with the
 * newest number given. Without it: perhaps.
 */
static int anything_new(struct sd_process_tree *tree)
{
	char text[128], *last;
	uint64_t pid;

	if (sd_textfile_read(tree->env.root, "/proc/loadavg", text, sizeof text))
		return 1;
	last = strrchr(text, ' ');
	if (!last || sd_number_u64(last + 1, 0, UINT64_MAX, &pid) || pid == tree->last_pid)
		return !last;
	tree->last_pid = pid;
	return 1;
}

/* The next thread in the round. */
static struct sd_thread_state *next(struct sd_process_tree *tree)
{
	size_t i = lower_bound(tree, tree->cursor + 1);

	if (i == tree->n)
		i = 0;
	tree->cursor = tree->task[i]->tid;
	return tree->task[i];
}

static int visit(struct sd_process_tree *tree, const struct sd_thread_state *t)
{
	const int pid = t->pid, tid = t->tid;
	int rc = tid == pid ? add_process(tree, pid) : 0;

	if (!rc && !tree->no_children) {
		rc = add_children(tree, pid, tid);
		rc = rc == -ENOMEM ? rc : 0; /* the thread is gone, or not ours to read */
	}
	return rc;
}

int sd_process_tree_adopt(struct sd_process_tree *tree, pid_t pid)
{
	int rc = add_process(tree, pid);

	if (rc != -ENOMEM) {
		rc = add_children(tree, pid, pid);
		tree->no_children |= rc == -ENOENT;
	}
	return rc == -ENOMEM ? rc : 0;
}

int sd_process_tree_walk(struct sd_process_tree *tree)
{
	int rc = 0;

	if (anything_new(tree)) {
		if (!tree->no_children && tree->subreaper) {
			rc = add_children(tree, tree->subreaper, tree->subreaper);
			tree->no_children = rc == -ENOENT;
		}
		if (tree->no_children)
			rc = scan_parents(tree);
		tree->todo = tree->n;
	}
	for (int i = 0; i < VISITS && tree->todo > 0 && tree->n > 0 && rc != -ENOMEM; i++) {
		tree->todo--;
		rc = visit(tree, next(tree));
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Has a signal stopped all threads that are left? */
static int is_stopped(const struct sd_process_tree *tree)
{
	size_t stopped = 0;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->task[i]->state == 'T')
			stopped++;
		else if (tree->task[i]->state != 'Z' && tree->task[i]->state != 'X')
			return 0;
	return stopped > 0;
}

void sd_process_tree_read(struct sd_process_tree *tree, uint64_t now)
{
	size_t kept = 0;

	tree->env.before = tree->env.now ? tree->env.now : now;
	tree->env.now = now;
	tree->env.threads = (unsigned)tree->n;
	tree->env.sparse = tree->n > SPARSE;
	tree->env.ctx = tree;
	tree->steady = 1;
	for (size_t i = 0; i < tree->n; i++) {
		struct sd_thread_state *const t = tree->task[i];

		tree->steady &= !t->fresh;
		t->gone = sd_thread_state_read(t, &tree->env) != 0;
		tree->steady &= !t->gone;
	}
	/* only now: the threads above look each other up */
	for (size_t i = 0; i < tree->n; i++) {
		struct sd_thread_state *const t = tree->task[i];

		if (!t->gone) {
			tree->task[kept++] = t;
			continue;
		}
		if (tree->gone)
			tree->gone(tree->ctx, t);
		sd_thread_state_close(t, &tree->env);
		free(t);
	}
	tree->n = kept;
	if (is_stopped(tree))
		tree->stopped += tree->env.now - tree->env.before;
}

static void show(struct sd_thread_state *t, int timed)
{
	struct sd_thread_view *const v = &t->view;

	v->pid = t->pid;
	v->tid = t->tid;
	v->ppid = t->ppid;
	v->seen = t->seen;
	v->habit = t->habit;
	v->gomp = t->gomp;
	v->new_wait = t->new_wait;
	v->on_cpu = t->on_cpu;
	v->queued = t->queued;
	v->run_step = t->run_step;
	v->delay_step = t->delay_step;
	v->cpu = timed ? t->run - t->base_run : (double)t->ticks;
	v->met = timed && t->base_run > 0;
}

int sd_process_tree_view(struct sd_process_tree *tree)
{
	struct sd_thread_views *const all = &tree->views;

	all->n = 0;
	if (tree->room_views < tree->n) {
		struct sd_thread_view **const grown =
			reallocarray(all->thread, tree->room, sizeof(struct sd_thread_view *));

		if (!grown)
			return -ENOMEM;
		all->thread = grown;
		tree->room_views = tree->room;
	}
	for (size_t i = 0; i < tree->n; i++) {
		show(tree->task[i], tree->env.has_sched);
		all->thread[all->n++] = &tree->task[i]->view;
	}
	all->before = tree->env.before;
	all->now = tree->env.now;
	all->timed = tree->env.has_sched;
	all->steady = tree->steady;
	return 0;
}

void sd_process_tree_free(struct sd_process_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		sd_thread_state_close(tree->task[i], &tree->env);
		free(tree->task[i]);
	}
	free(tree->task);
	free(tree->views.thread);
	*tree = (struct sd_process_tree){0};
}
