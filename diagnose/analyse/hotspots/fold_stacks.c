#include "hotspots/fold_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs/run_selection.h"
#include "runs/sampled_uses.h"

static void put_frame(FILE *f, const struct sd_stacks *s, const struct sd_frame *frame)
{
	const char *name = sd_stacks_text_at(s, frame->function);
	const char *module = sd_stacks_text_at(s, frame->module);
	const char *slash = strrchr(module, '/');

	if (!*name && !*module) {
		fputs("[unknown]", f);
		return;
	}
	if (!*name) {
		fprintf(f, "[%s+0x%" PRIx64 "]", slash ? slash + 1 : module, frame->offset);
		return;
	}
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, f);
	if (frame->kernel)
		fputs("_[k]", f);
}

static void put_path(FILE *f, const struct sd_stacks *s, unsigned node)
{
	unsigned path[SD_STACKS_DEPTH];
	size_t n = 0;

	for (unsigned i = node; i > 0 && i < s->n_node && n < SD_STACKS_DEPTH;
		i = s->node[i].parent < i ? s->node[i].parent : 0)
		if (s->node[i].frame < s->n_frame)
			path[n++] = s->node[i].frame;
	if (n == 0)
		fputs("[unknown]", f);
	for (size_t i = n; i-- > 0;) {
		put_frame(f, s, &s->frame[path[i]]);
		if (i > 0)
			fputc(';', f);
	}
}

static char *folded(const struct sd_stacks *s, unsigned node, const char *end)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	put_path(f, s, node);
	if (end)
		fprintf(f, ";[%s]", end);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

char *sd_fold_stacks_path(const struct sd_stacks *s, unsigned node)
{
	return folded(s, node, NULL);
}

static int wanted(const struct sd_use *u, int waits)
{
	return (sd_activity_info[u->activity].group == SD_GROUP_WAITING) == !!waits &&
	       sd_run_parts_usable(SD_OK(u->seconds)) && u->seconds > 0;
}

static const char *end_of(const struct sd_use *u)
{
	const struct sd_activity_info *i = &sd_activity_info[u->activity];

	return i->group == SD_GROUP_SPINNING || i->group == SD_GROUP_WAITING ? i->label : NULL;
}

static int add_point(const struct sd_record *r, const struct sd_chosen *p, int waits, int after,
	struct sd_folded_stacks *out)
{
	const double us = 1e6 / (double)sd_sampled_uses_runs(p);
	struct sd_sampled_uses uses = {.p = p};

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		struct sd_fold_stacks *row = &out->row[out->n];

		if (!wanted(u, waits))
			continue;
		row->stack = folded(&r->stacks, u->node, end_of(u));
		if (!row->stack)
			return -ENOMEM;
		*(after ? &row->after : &row->before) = us * u->seconds;
		out->n++;
	}
	return 0;
}

static int by_stack(const void *x, const void *y)
{
	const struct sd_fold_stacks *a = x, *b = y;

	return strcmp(a->stack, b->stack);
}

static void merge(struct sd_folded_stacks *f)
{
	size_t n = 0;

	qsort(f->row, f->n, sizeof *f->row, by_stack);
	for (size_t i = 0; i < f->n; i++) {
		if (n && strcmp(f->row[n - 1].stack, f->row[i].stack) == 0) {
			f->row[n - 1].before += f->row[i].before;
			f->row[n - 1].after += f->row[i].after;
			free(f->row[i].stack);
		} else {
			f->row[n++] = f->row[i];
		}
	}
	f->n = n;
}

static const struct sd_chosen *point_of(const struct sd_run_selection *c, unsigned cores)
{
	if (c->n_point == 0)
		return NULL;
	if (cores == 0)
		return &c->point[c->n_point - 1];
	for (size_t i = 0; i < c->n_point; i++)
		if (c->point[i].cores == cores)
			return &c->point[i];
	return NULL;
}

int sd_fold_stacks(
	const struct sd_record *record, unsigned cores, int waits, struct sd_folded_stacks *out)
{
	struct sd_run_selection choice = {0};
	const struct sd_chosen *p, *ref;
	int rc = sd_run_selection_make(record, SD_LABEL_NONE, &choice);

	*out = (struct sd_folded_stacks){0};
	if (rc)
		goto out;
	p = point_of(&choice, cores);
	ref = choice.point;
	rc = !p ? -ENOENT : sd_sampled_uses_runs(p) == 0 ? -ENODATA : 0;
	if (rc)
		goto out;
	out->cores_before = ref->cores;
	out->cores_after = p->cores;
	rc = -ENOMEM;
	out->row = calloc(sd_sampled_uses_all(p) + sd_sampled_uses_all(ref) + 1, sizeof *out->row);
	if (!out->row)
		goto out;
	rc = add_point(record, p, waits, 1, out);
	if (rc == 0 && sd_sampled_uses_runs(ref) > 0)
		rc = add_point(record, ref, waits, 0, out);
	if (rc == 0)
		merge(out);
out:
	sd_run_selection_free(&choice);
	return rc;
}
