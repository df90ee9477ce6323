/*
 * Samples for records built by hand: stacks by the names of their functions, and rows of use.
 */
#ifndef SD_MAKE_SAMPLES_H
#define SD_MAKE_SAMPLES_H

#include <stdlib.h>

#include "record/record.h"

/* A call of `function` at file:line of `module` from `parent`; NULL: unknown. Its node. */
static inline unsigned make_call(struct sd_record *r, unsigned parent, const char *function,
	const char *file, unsigned line, const char *module)
{
	struct sd_frame f = {.line = line};
	unsigned number, node;

	if (sd_stacks_text(&r->stacks, function, &f.function) ||
		sd_stacks_text(&r->stacks, file, &f.file) ||
		sd_stacks_text(&r->stacks, module, &f.module))
		abort();
	f.kernel = module && module[0] == '[' && module[1] == 'k';
	if (sd_stacks_frame(&r->stacks, &f, &number) ||
		sd_stacks_node(&r->stacks, parent, number, &node))
		abort();
	return node;
}

/* A row of use; what else it says is set in what is returned. */
static inline struct sd_use *make_use(
	struct sd_run *run, unsigned node, enum sd_activity activity, double seconds)
{
	struct sd_sampled *s = &run->sampled;

	s->status = s->switch_stacks = s->kernel = s->wakers = SD_STATUS_OK;
	s->idle = 1;
	s->hz = 997;
	s->samples += seconds * 997;
	s->unwound = 1;
	s->use = realloc(s->use, (s->n_use + 1) * sizeof *s->use);
	if (!s->use)
		abort();
	s->use[s->n_use] = (struct sd_use){
		.node = node, .activity = activity, .seconds = seconds, .count = seconds * 997};
	return &s->use[s->n_use++];
}

static inline struct sd_lock_use *make_lock(
	struct sd_run *run, unsigned name, enum sd_activity kind, double waits, double wait_s)
{
	struct sd_sampled *s = &run->sampled;

	s->lock = realloc(s->lock, (s->n_lock + 1) * sizeof *s->lock);
	if (!s->lock)
		abort();
	s->lock[s->n_lock] = (struct sd_lock_use){
		.name = name, .kind = kind, .waits = waits, .wait_s = wait_s, .longest_s = .01};
	s->n_lock_seen++;
	return &s->lock[s->n_lock++];
}

#endif
