#include "native/code_plans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "symbols/code_nodes.h"

/* Bytes of code around an instruction that are looked at. From the function's start on, where that
 * is not further, as there the borders of instructions are sure. */
#define FUNCTION 8192u
#define BEFORE SD_OPERAND_CODE_BYTES
#define BEHIND SD_OPERAND_CODE_BYTES

#define PAGE 4096u

#define INLINED 16

/* The loop of a node: an index, or -ENOMEM. */
static long loop_of(struct sd_code_plans *p, unsigned node)
{
	struct sd_code_loop *grown;
	uint64_t *const slot = sd_key_table_add(&p->by_node, (uint64_t)node + 1, 0);

	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		grown = sd_one_more(p->loop, p->n_loop, sizeof *grown);
		if (!grown)
			return -ENOMEM;
		p->loop = grown;
		p->loop[p->n_loop] = (struct sd_code_loop){.node = node};
		*slot = ++p->n_loop;
	}
	return (long)*slot - 1;
}

/* Addresses of the function around ip: of its first instruction, and behind its last; each 0 where
 * unknown. */
struct extent {
	uint64_t start, end;
};

static struct extent function_around(struct sd_symbols *s, int pid, uint64_t ip)
{
	struct sd_placement_of place[INLINED];
	const size_t n = sd_symbols_at(s, pid, ip, 0, place, INLINED);
	const struct sd_placement_of *const f = n ? &place[n - 1] : NULL;

	if (!f || !f->start || f->start > f->offset || f->offset - f->start > ip)
		return (struct extent){0};
	return (struct extent){.start = ip - (f->offset - f->start),
		.end = f->end > f->offset ? ip + (f->end - f->offset) : 0};
}

/* A copy without the steps that it does not have. */
static struct sd_operand_plan *shortened(const struct sd_operand_plan *plan)
{
	const size_t size =
		offsetof(struct sd_operand_plan, step) + plan->n_steps * sizeof *plan->step;
	struct sd_operand_plan *const out = malloc(size);

	if (out)
		memcpy(out, plan, size);
	return out;
}

/* From the file; else as it was copied. Returns how many bytes. */
static size_t code_at(
	const struct sd_code_plans *p, int pid, uint64_t at, unsigned char *out, size_t max)
{
	const size_t n = sd_symbols_code(p->symbols, pid, at, out, max);

	return n || !p->copies ? n : sd_code_copies_read(p->copies, pid, at, out, max);
}

static int is_of_no_file(const struct sd_code_plans *p, int pid, uint64_t ip)
{
	unsigned char byte;

	return !sd_symbols_code(p->symbols, pid, ip, &byte, 1);
}

static int make_plan(
	struct sd_code_plans *p, int pid, uint64_t ip, struct extent f, struct sd_operand_plan *out)
{
	unsigned char code[FUNCTION + BEHIND];
	const uint64_t behind = f.end && f.end - ip < BEHIND ? f.end - ip : BEHIND;
	uint64_t before = f.start && ip - f.start <= FUNCTION ? ip - f.start : BEFORE, at;
	size_t n;

	/* it may stand near the beginning of what there is, which is that of a page */
	for (;; before = before > ip % PAGE ? ip % PAGE : before / 4) {
		at = ip < before ? ip : ip - before;
		n = code_at(p, pid, at, code, (size_t)(ip - at + behind));
		if (n > ip - at || !before)
			break;
	}
	if (n <= ip - at)
		return -ENOENT;
	sd_operand_plan_make(out, p->machine, at, code, n, at == f.start ? at : 0, ip);
	return out->decoded ? 0 : -ENOENT;
}

static int add_code(struct sd_code_plans *p, int pid, uint64_t ip, struct sd_code_plan *to)
{
	const struct sd_code_nodes nodes = {.symbols = p->symbols, .stacks = p->stacks, .pid = pid};
	const struct extent f = function_around(p->symbols, pid, ip);
	struct sd_operand_plan plan;
	uint64_t first = f.start ? f.start : ip;
	unsigned node = 0;
	long loop;
	int rc;

	if (make_plan(p, pid, ip, f, &plan) == 0) {
		to->plan = shortened(&plan);
		if (!to->plan)
			return -ENOMEM;
		first = plan.loop ? plan.loop : first;
		to->unnamed = !f.start && is_of_no_file(p, pid, ip);
	}
	rc = sd_code_nodes_add(&nodes, first, 0, 0, &node);
	loop = rc ? rc : loop_of(p, node);
	if (loop < 0)
		return (int)loop;
	to->loop = (unsigned)loop;
	return 0;
}

/* A zeroed one behind the others; NULL: no memory. */
static struct sd_code_plan *new_plan(struct sd_code_plans *p)
{
	struct sd_code_plan *const grown = sd_one_more(p->code, p->n, sizeof *grown);

	if (!grown)
		return NULL;
	p->code = grown;
	grown[p->n] = (struct sd_code_plan){.plan = NULL};
	return &grown[p->n++];
}

long sd_code_plans_at(struct sd_code_plans *p, int pid, uint64_t space, unsigned age, uint64_t ip)
{
	struct sd_code_plan *code;
	uint64_t *slot;
	int rc;

	if (!p->n && (loop_of(p, 0) < 0 || !new_plan(p)))
		return -ENOMEM;
	if (p->n >= SD_CODE_PLANS_MOST) {
		slot = sd_key_table_find(&p->by_code, space ^ (uint64_t)age << 48, ip);
		return slot ? (long)*slot : 0;
	}
	slot = sd_key_table_add(&p->by_code, space ^ (uint64_t)age << 48, ip);
	if (!slot)
		return -ENOMEM;
	if (*slot)
		return (long)*slot;
	code = new_plan(p);
	if (!code)
		return -ENOMEM;
	*slot = p->n - 1;
	code->pid = pid;
	code->space = space;
	rc = add_code(p, pid, ip, code);
	return rc ? rc : (long)p->n - 1;
}

void sd_code_plans_free(struct sd_code_plans *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->code[i].plan);
	free(p->code);
	free(p->loop);
	sd_key_table_free(&p->by_code);
	sd_key_table_free(&p->by_node);
	p->code = NULL;
	p->loop = NULL;
	p->n = p->n_loop = 0;
}
