#include "resolve/stack_code.h"

#include <string.h>

unsigned *sd_stack_code_age(struct sd_stack_resolve *p, int pid)
{
	const unsigned at = (unsigned)pid & (SD_STACK_SPACES - 1);

	/* hash collision of two processes: changes of either invalidate both */
	p->space[at].pid = pid;
	return &p->space[at].age;
}

int sd_stack_code_frame(
	struct sd_stack_resolve *p, const struct sd_placement_of *place, int kernel, unsigned *out)
{
	struct sd_frame f = {.line = place->line, .inlined = place->inlined != 0, .kernel = kernel};
	int rc = sd_stacks_text(p->stacks, place->function, &f.function);

	/* one frame a line or function, not one an instruction */
	f.offset = place->start      ? place->start
		   : place->function ? place->offset
				     : place->offset & ~UINT64_C(63);
	if (!rc)
		rc = sd_stacks_text(p->stacks, place->file, &f.file);
	if (!rc)
		rc = sd_stacks_text(p->stacks, place->module, &f.module);
	return rc ? rc : sd_stacks_frame(p->stacks, &f, out);
}

/* The code at this address; NULL: no room in the stacks. `kind`: sd_stack_resolve_code.caller. */
struct sd_stack_resolve_code *sd_stack_code_at(
	struct sd_stack_resolve *p, int pid, uint64_t pc, int kind)
{
	const unsigned age = kind == 2 ? 0 : *sd_stack_code_age(p, pid);
	const uint64_t h = sd_stack_code_mix(
		sd_stack_code_mix(sd_stack_code_mix(0, pc), (uint64_t)(unsigned)pid),
		(uint64_t)kind);
	struct sd_stack_resolve_code *c = &p->code[h & (SD_STACK_CODES - 1)];
	struct sd_placement_of place[SD_STACK_CODE_INLINED];
	size_t n = 1;

	if (c->n && c->pc == pc && c->pid == pid && c->age == age && c->caller == kind)
		return c;
	memset(place, 0, sizeof place);
	if (kind == 2)
		sd_symbols_kernel(p->symbols, pc, place);
	else
		n = sd_symbols_at(p->symbols, pid, pc, kind, place, SD_STACK_CODE_INLINED);
	*c = (struct sd_stack_resolve_code){.pid = pid, .age = age, .caller = kind, .pc = pc};
	for (size_t i = 0; i < n && i < SD_STACK_CODE_INLINED; i++)
		if (sd_stack_code_frame(p, &place[i], kind == 2, &c->frame[i])) {
			c->n = 0;
			return NULL;
		}
	c->n = (unsigned)(n < SD_STACK_CODE_INLINED ? n : SD_STACK_CODE_INLINED);
	return c;
}

/* The frames of an address, below `node`. */
unsigned sd_stack_code_add(
	struct sd_stack_resolve *p, unsigned node, int pid, uint64_t pc, int kind)
{
	const struct sd_stack_resolve_code *const c =
		node == p->too_many ? NULL : sd_stack_code_at(p, pid, pc, kind);

	for (unsigned i = c ? c->n : 0; i > 0; i--)
		if (sd_stacks_node(p->stacks, node, c->frame[i - 1], &node))
			return p->too_many;
	return c ? node : p->too_many;
}

/* The text of the function that is called before `pc`, when it is one of another file; 0: not. */
unsigned sd_stack_code_called(struct sd_stack_resolve *p, int pid, uint64_t pc)
{
	struct sd_stack_resolve_code *const c = sd_stack_code_at(p, pid, pc, 1);

	if (c && !c->asked) {
		c->asked = 1;
		if (sd_stacks_text(p->stacks, sd_symbols_called(p->symbols, pid, pc), &c->stub))
			c->stub = 0;
	}
	return c ? c->stub : 0;
}
