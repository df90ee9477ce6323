#include "native/stack_frames.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_nodes.h"
#include "symbols/part_names.h"

#if defined(__x86_64__)
#define SP PERF_REG_X86_SP
#elif defined(__aarch64__)
#define SP PERF_REG_ARM64_SP
#endif

#define INLINED 16

/* Address of the first byte that is touched. */
static uint64_t first_of(const struct sd_stack_line *l)
{
	return l->line + (uint64_t)__builtin_ctzll(l->touched);
}

void sd_stack_frames_add(struct sd_stack_frames *f, const struct sd_stack_line *line)
{
	if (f->n < SD_STACK_FRAMES && line->touched)
		f->line[f->n++] = *line;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Address of the first byte of an event's copied stack; 0: it has none. */
static uint64_t copied_at(const struct sd_event *e)
{
#ifdef SP
	return !e->stack || !e->regs.mask ? 0
	       : e->stack_at              ? e->stack_at
	       : e->regs.mask >> SP & 1   ? e->regs.reg[SP]
					  : 0;
#else
	(void)e;
	return 0;
#endif
}

static int keep(struct sd_stack_line *l, const struct sd_event *e)
{
	unsigned char *const bytes = realloc(l->bytes, e->stack_size);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, e->stack, e->stack_size);
	l->bytes = bytes;
	l->copy = (struct sd_event){.kind = e->kind,
		.pid = e->pid,
		.tid = e->tid,
		.time = e->time,
		.ip = e->ip,
		.regs = e->regs,
		.stack = bytes,
		.stack_size = e->stack_size,
		.stack_at = e->stack_at};
	return 0;
}

int sd_stack_frames_event(struct sd_stack_frames *f, const struct sd_event *e)
{
	const uint64_t at = copied_at(e);
	int rc = 0;

	for (size_t i = 0; at && i < f->n && !rc; i++) {
		struct sd_stack_line *const l = &f->line[i];
		const uint64_t first = first_of(l);

		if (l->pid == e->pid && first >= at && first - at < e->stack_size &&
			(e->time <= l->time || !l->copy.time))
			rc = keep(l, e);
	}
	return rc;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Its functions, innermost inlined first; how many. */
static size_t places_of(struct sd_symbols *symbols, int pid, const struct sd_symbols_frame *frame,
	struct sd_placement_of place[INLINED])
{
	const size_t n = sd_symbols_at(symbols, pid, frame->pc, frame->caller, place, INLINED);

	return n && place[n - 1].function ? n : 0;
}

/* Writes the line's variables in a frame, with their layouts, and sets which of the frame's
 * functions has them. 0 or -ENOMEM. */
static int name_locals(const struct sd_stack_line *l, const struct sd_code_nodes *nodes,
	const struct sd_symbols_frame *frame, struct sd_part_names *names,
	struct sd_sim_contested *to, int *level)
{
	int rc = 0;

	*level = -ENOENT;
	for (uint64_t left = l->touched; left && !rc; left &= left - 1) {
		const unsigned byte = (unsigned)__builtin_ctzll(left);
		const uint64_t at = l->line + byte;
		struct sd_symbols_part part;
		const int found =
			at >= frame->sp && at < frame->cfa
				? sd_symbols_local(nodes->symbols, l->pid, frame, at, &part)
				: -ENOENT;

		if (found < 0 || (*level >= 0 && found != *level))
			continue;
		*level = found;
		sd_part_names_add(names, &part);
		rc = sd_code_nodes_object(nodes, &part, byte, SD_OBJECT_STACK, to);
	}
	return rc;
}

/* Names a line, where that is known. 0 or -ENOMEM. */
static int name_line(const struct sd_stack_line *l, const struct sd_code_nodes *nodes,
	struct sd_sim_contested *to)
{
	struct sd_placement_of place[INLINED];
	struct sd_part_names names = {.n = 0};
	struct sd_symbols_frame frame;
	const char *function;
	unsigned number = 0;
	char out[1024];
	size_t n;
	int level, rc;

	if (!l->copy.time ||
		sd_symbols_frame_at(nodes->symbols, &l->copy, first_of(l), &frame) != 0)
		return 0;
	n = places_of(nodes->symbols, l->pid, &frame, place);
	if (!n)
		return 0;
	rc = name_locals(l, nodes, &frame, &names, to, &level);
	function = place[level >= 0 && (size_t)level < n ? (size_t)level : n - 1].function;
	if (level >= 0)
		snprintf(out, sizeof out, "%s in %s%s, stack of thread %d",
			sd_part_names_text(&names), function, strpbrk(function, "([") ? "" : "()",
			l->copy.tid);
	else
		snprintf(out, sizeof out, "stack of thread %d, frame of %s%s", l->copy.tid,
			function, strpbrk(function, "([") ? "" : "()");
	rc = rc ? rc : sd_code_nodes_text(nodes->stacks, out, &number);
	to->name = number ? number : to->name;
	return rc;
}

int sd_stack_frames_name(const struct sd_stack_frames *f, struct sd_symbols *symbols,
	struct sd_stacks *stacks, struct sd_native_lines *lines)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++) {
		const struct sd_code_nodes nodes = {
			.symbols = symbols, .stacks = stacks, .pid = f->line[i].pid};

		if (f->line[i].row < lines->n_line)
			rc = name_line(&f->line[i], &nodes, &lines->line[f->line[i].row].line);
	}
	return rc;
}

void sd_stack_frames_free(struct sd_stack_frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->line[i].bytes);
	f->n = 0;
}
