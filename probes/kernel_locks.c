/*
 * Waiting for the kernel's own locks: which, in which call, and in which call they were held.
 * Summed by programs in the kernel (bpf/lock_programs.h), and named by the stacks there.
 */
#include "probes/probes.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/configs.h"
#include "bpf/lock_programs.h"
#include "probe/diagnosis_cache.h"
#include "record/stacks.h"
#include "resolve/lock_names.h"
#include "resolve/lock_rows.h"
#include "symbols/kallsyms.h"
#include "trace/running.h"

/* Kept between runs. */
struct naming {
	struct sd_lock_programs programs;
	struct sd_lock_names names;
	struct sd_kallsyms symbols;
	int error; /* why the programs do not run: -errno */
};

struct locks {
	struct sd_probe_target target;
	struct naming *naming; /* owned, or borrowed from target.kept */
};

static void forget(void *naming)
{
	struct naming *const n = naming;

	if (!n)
		return;
	sd_lock_programs_close(&n->programs);
	sd_lock_names_free(&n->names);
	sd_kallsyms_free(&n->symbols);
	free(n);
}

static struct naming *open_naming(void)
{
	struct naming *const n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->error = sd_lock_names_load(&n->names, sd_configs_dir(), NULL);
	if (!n->error)
		n->error = sd_lock_programs_open(&n->programs);
	return n;
}

static struct naming *find_naming(struct sd_diagnosis_cache *kept)
{
	struct naming *n = kept ? kept->of[SD_KEPT_LOCKS].what : NULL;

	if (n)
		return n;
	n = open_naming();
	if (n && kept)
		sd_diagnosis_cache_keep(kept, SD_KEPT_LOCKS, n, forget);
	return n;
}

static void locks_close(void *state)
{
	struct locks *const l = state;

	if (l && !l->target.kept)
		forget(l->naming);
	free(l);
}

static int locks_open(void **state, const struct sd_probe_target *target)
{
	struct locks *l;
	int rc;

	*state = NULL;
	/* what a region waits for is not told apart */
	if (!target->stacks || target->no_samples || target->region)
		return -ENODATA;
	l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	l->target = *target;
	l->naming = find_naming(target->kept);
	rc = l->naming ? l->naming->error : -ENOMEM;
	if (rc) {
		locks_close(l);
		return rc;
	}
	*state = l;
	return 0;
}

static void locks_start(void *state)
{
	struct locks *const l = state;
	const struct sd_running *const running = l ? l->target.running : NULL;

	if (!l)
		return;
	(void)sd_lock_programs_watch(&l->naming->programs, l->target.pid);
	for (size_t i = 0; running && i < running->n; i++)
		(void)sd_lock_programs_watch(&l->naming->programs, running->pid[i]);
}

static uint64_t locks_tick(void *state, uint64_t now_ns)
{
	struct locks *const l = state;

	return l ? sd_lock_programs_pace(&l->naming->programs, now_ns) : UINT64_MAX;
}

/* ---- names ----------------------------------------------------------------------------------- */

static enum sd_lock_kind kind_of(unsigned flags)
{
	if (flags & SD_LOCK_CODE_MUTEX)
		return SD_LOCK_KIND_MUTEX;
	if (flags & SD_LOCK_CODE_PERCPU)
		return SD_LOCK_KIND_PERCPU;
	if (flags & SD_LOCK_CODE_SPIN)
		return SD_LOCK_KIND_SPIN;
	return flags & (SD_LOCK_CODE_READ | SD_LOCK_CODE_WRITE) ? SD_LOCK_KIND_RWSEM
								: SD_LOCK_KIND_ANY;
}

static struct sd_lock_frames frames_of(
	struct locks *l, const uint64_t *stack, const char *function[SD_LOCK_PROGRAMS_FRAMES])
{
	size_t n = 0;

	for (; n < SD_LOCK_PROGRAMS_FRAMES && stack[n]; n++) {
		/* each is the address after a call, which may be that of the next function */
		const struct sd_label *const at =
			sd_kallsyms_at(&l->naming->symbols, l->target.root, stack[n] - 1);

		function[n] = at ? at->name : NULL;
	}
	return (struct sd_lock_frames){function, n};
}

static int add_waits(struct locks *l, const struct sd_lock_waits *w, struct sd_kernel_locks *out)
{
	const char *function[2][SD_LOCK_PROGRAMS_FRAMES];
	const struct sd_lock_frames waiter = frames_of(l, w->waiter, function[0]),
				    holder = frames_of(l, w->holder, function[1]);
	char name[SD_LOCK_NAMES_TEXT], call[SD_LOCK_NAMES_TEXT], held[SD_LOCK_NAMES_TEXT];
	struct sd_stacks *const s = l->target.stacks;
	unsigned text[3];
	struct sd_kernel_lock *row;

	out->recorded += (double)w->recorded;
	sd_lock_names_lock(&l->naming->names, waiter, kind_of(w->flags), name);
	sd_lock_names_call(&l->naming->names, waiter, call);
	sd_lock_names_call(&l->naming->names, holder, held);
	if (sd_stacks_text(s, name, &text[0]) || sd_stacks_text(s, call, &text[1]) ||
		sd_stacks_text(s, held, &text[2])) {
		out->other_s += (double)w->ns * 1e-9;
		return 0;
	}
	row = sd_lock_rows_find(out, text[0], text[1], text[2]);
	if (!row)
		return -ENOMEM;
	row->waits += (double)w->waits;
	row->wait_s += (double)w->ns * 1e-9;
	row->slept_s += w->flags & SD_LOCK_CODE_SLEPT ? (double)w->ns * 1e-9 : 0;
	row->longest_s = fmax(row->longest_s, (double)w->longest * 1e-9);
	return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Names of the kernel's frames at a node, and the first of the program's side. */
static struct sd_lock_frames kernel_frames(const struct sd_stacks *s, unsigned node,
	const char *function[SD_LOCK_PROGRAMS_FRAMES], unsigned *user)
{
	size_t n = 0;

	for (; node && s->frame[s->node[node].frame].kernel; node = s->node[node].parent)
		if (n < SD_LOCK_PROGRAMS_FRAMES)
			function[n++] =
				sd_stacks_text_at(s, s->frame[s->node[node].frame].function);
	*user = node;
	return (struct sd_lock_frames){function, n};
}

/* The innermost frame that is not of the C library. */
static unsigned own_frame(const struct sd_stacks *s, unsigned node)
{
	unsigned at = node;

	for (; at; at = s->node[at].parent) {
		const char *const module = sd_stacks_text_at(s, s->frame[s->node[at].frame].module);

		if (fnmatch("*/libc.so*", module, 0) != 0 && fnmatch("*/ld-*", module, 0) != 0 &&
			fnmatch("*/libc-*", module, 0) != 0 && module[0] != '[')
			return at;
	}
	return node;
}

/* The code where a lock is waited for longest, by what samples and switches saw: `most` is for each
 * row. */
static void place_use(
	struct locks *l, const struct sd_use *use, struct sd_kernel_locks *out, double *most)
{
	const struct sd_stacks *const s = l->target.stacks;
	const char *function[SD_LOCK_PROGRAMS_FRAMES];
	char name[SD_LOCK_NAMES_TEXT], call[SD_LOCK_NAMES_TEXT];
	unsigned user;
	const struct sd_lock_frames f = kernel_frames(s, use->node, function, &user);

	if (!f.n || !user || !sd_lock_names_waits(&l->naming->names, f))
		return;
	sd_lock_names_lock(&l->naming->names, f, SD_LOCK_KIND_ANY, name);
	sd_lock_names_call(&l->naming->names, f, call);
	for (size_t i = 0; i < out->n_row; i++) {
		struct sd_kernel_lock *const row = &out->row[i];

		if (use->seconds <= most[i] || strcmp(sd_stacks_text_at(s, row->name), name) != 0 ||
			strcmp(sd_stacks_text_at(s, row->call), call) != 0)
			continue;
		most[i] = use->seconds;
		row->node = own_frame(s, user);
	}
}

static void find_places(struct locks *l, const struct sd_sampled *s, struct sd_kernel_locks *out)
{
	double most[SD_KERNEL_LOCK_ROWS] = {0};

	for (size_t i = 0; i < s->n_use && out->n_row; i++)
		place_use(l, &s->use[i], out, most);
}

static int take(struct locks *l, const struct sd_sampled *sampled, struct sd_kernel_locks *out)
{
	struct sd_lock_waits *waits;
	size_t n;
	int rc = sd_lock_programs_take(&l->naming->programs, &waits, &n);

	sd_kallsyms_check(&l->naming->symbols, l->target.root);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_waits(l, &waits[i], out);
	free(waits);
	sd_lock_rows_sort(out);
	if (!rc)
		find_places(l, sampled, out);
	return rc;
}

static void locks_stop(void *state, struct sd_run *run)
{
	struct locks *const l = state;
	struct sd_kernel_locks *const out = l ? calloc(1, sizeof *out) : NULL;

	if (!out)
		return;
	if (take(l, &run->sampled, out)) {
		free(out->row);
		*out = (struct sd_kernel_locks){.status = SD_STATUS_UNSUPPORTED};
	} else {
		out->status = SD_STATUS_OK;
	}
	run->kernel_locks = out;
}

static void locks_fail(int error, struct sd_run *run)
{
	if (error == -ENODATA)
		return;
	run->kernel_locks = calloc(1, sizeof *run->kernel_locks);
	if (run->kernel_locks)
		run->kernel_locks->status = error == -EACCES || error == -EPERM
						    ? SD_STATUS_DENIED
						    : SD_STATUS_UNSUPPORTED;
}

const struct sd_probe sd_probe_kernel_locks = {
	.name = "kernel-locks",
	.open = locks_open,
	.start = locks_start,
	.tick = locks_tick,
	.stop = locks_stop,
	.close = locks_close,
	.fail = locks_fail,
};
