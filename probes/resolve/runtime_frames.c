#include "resolve/runtime_frames.h"

#include <string.h>

#include "base/configs.h"
#include "resolve/stack_activity.h"
#include "resolve/stack_code.h"

/* The frames of `from` from the one at `top` inward, below `node`. */
static unsigned repeat(struct sd_stack_resolve *p, unsigned node, unsigned from, unsigned top)
{
	if (from != top)
		node = repeat(p, node, p->stacks->node[from].parent, top);
	return node == p->too_many ||
			       sd_stacks_node(p->stacks, node, p->stacks->node[from].frame, &node)
		       ? p->too_many
		       : node;
}

/* The word above the return address `pc` on the copied stack; 0: it is not there. */
static uint64_t word_above(const struct sd_event *e, uint64_t pc)
{
	uint64_t word[2];

	for (size_t at = 0; e->stack && at + sizeof word <= e->stack_size; at += sizeof *word) {
		memcpy(word, e->stack + at, sizeof word);
		if (word[0] == pc)
			return word[1];
	}
	return 0;
}

static unsigned add_callers(
	struct sd_stack_resolve *p, unsigned node, int pid, const uint64_t *pc, size_t n)
{
	for (size_t k = n; k > 0; k--)
		node = sd_stack_code_add(p, node, pid, pc[k - 1], 1);
	return node;
}

/*
 * A scheduler has its own stack, and no unwind table leads to the stack it was entered from; the
 * frame pointer does unless it was cleared. If it was, the goroutine's address is above the return
 * address, and it may have been observed. Frames further out by the tables are meaningless.
 */
static unsigned join_task(struct sd_stack_resolve *p, const struct sd_event *e, unsigned node)
{
	const unsigned at = sd_stack_activity_enters(p, node, SD_WAIT_MATCH_SCHEDULER);
	const struct sd_stack_resolve_code *c;
	const uint64_t *pc = e->pointed;
	size_t i = 0, n;

	if (!at)
		return node;
	for (; i < e->n_pointed; i++) {
		c = sd_stack_code_at(p, e->pid, e->pointed[i], 1);
		if (c && c->n && c->frame[0] == p->stacks->node[at].frame)
			break;
	}
	n = i + 1 < e->n_pointed ? e->n_pointed - i - 1 : 0;
	pc += n ? i + 1 : 0;
	if (!n && i < e->n_pointed && p->runtimes)
		n = sd_goroutines_find(&p->runtimes->goroutines, e->pid,
			word_above(e, e->pointed[i]), e->time, &pc);
	return repeat(p, add_callers(p, 0, e->pid, pc, n), node, at);
}

/* Does the interpreter name its functions itself, between its own frames? */
static int has_named(const struct sd_stack_resolve *p, unsigned node)
{
	const struct sd_stacks *const s = p->stacks;

	for (; node; node = s->node[node].parent)
		if (strncmp(s->text[s->frame[s->node[node].frame].function], "py::", 4) == 0)
			return 1;
	return 0;
}

/* Adds what an interpreter ran; p->too_many where there is no room. */
static unsigned add_interpreted(
	struct sd_stack_resolve *p, unsigned node, const struct sd_python_place *place, size_t n)
{
	for (size_t i = n; i > 0 && node != p->too_many; i--) {
		const struct sd_python_code *const code =
			&p->runtimes->python.code[place[i - 1].code];
		const struct sd_placement_of at = {.function = code->name,
			.file = code->file,
			.module = "[jit]",
			.line = place[i - 1].line};
		unsigned frame;

		if (sd_stack_code_frame(p, &at, 0, &frame) ||
			sd_stacks_node(p->stacks, node, frame, &node))
			return p->too_many;
	}
	return node;
}

/* The functions that an interpreter runs stand between its outermost and innermost frame, instead
 * of those between, which are the same for all functions. */
static unsigned join_interpreted(
	struct sd_stack_resolve *p, const struct sd_event *e, unsigned node)
{
	const struct sd_python_place *place;
	unsigned inner, outer, next;
	size_t n;

	if (!p->runtimes || !p->runtimes->python.n_seen)
		return node;
	inner = sd_stack_activity_enters(p, node, SD_WAIT_MATCH_INTERPRETER);
	if (!inner || has_named(p, node))
		return node;
	n = sd_python_frames_find(&p->runtimes->python, e->tid, e->time, &place);
	if (!n)
		return node;
	for (outer = next = inner; next; outer = next ? next : outer)
		next = sd_stack_activity_enters(
			p, p->stacks->node[outer].parent, SD_WAIT_MATCH_INTERPRETER);
	if (node == inner) /* it is in the interpreter itself */
		return add_interpreted(p, p->stacks->node[outer].parent, place, n);
	return repeat(p, add_interpreted(p, p->stacks->node[outer].parent, place, n), node, inner);
}

unsigned sd_runtime_frames_join(struct sd_stack_resolve *p, const struct sd_event *e, unsigned node)
{
	node = join_interpreted(p, e, join_task(p, e, node));
	return p->runtimes ? sd_jvm_monitors_join(&p->runtimes->monitors, p, node) : node;
}

void sd_runtime_frames_again(
	struct sd_runtime_frames *f, const char *root, int pid, const struct sd_running *running)
{
	sd_goroutines_again(&f->goroutines, root, pid);
	sd_jvm_monitors_again(&f->monitors);
	/* without its table nothing is looked at, and stacks are what they are */
	(void)sd_python_frames_again(&f->python, root, pid, running, sd_configs_dir());
}

uint64_t sd_runtime_frames_look(struct sd_runtime_frames *f, uint64_t now)
{
	sd_goroutines_look(&f->goroutines, now);
	return sd_python_frames_look(&f->python, now);
}

void sd_runtime_frames_free(struct sd_runtime_frames *f)
{
	sd_goroutines_free(&f->goroutines);
	sd_python_frames_free(&f->python);
	sd_jvm_monitors_free(&f->monitors);
}
