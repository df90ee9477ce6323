#include "resolve/stack_resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/event_regs.h"
#include "resolve/runtime_frames.h"
#include "resolve/stack_activity.h"
#include "resolve/stack_code.h"
#include "unwind/unwind.h"

#define PCS 128      /* frames of a stack, not counting inlined ones */
#define MEMOS 16384u /* a power of two */
#define WAYS 4u      /* associativity of the caches */
#define SLOTS 96     /* return addresses of a cached stack */

/*
 * A cached unwound stack. The same process, instruction and stack pointer, with the same return
 * addresses in the same stack words, have the same callers.
 */
struct sd_stack_resolve_memo {
	int pid;
	unsigned age, node, n;
	int whole;
	unsigned least; /* the smallest copy that shows it (stack_depth.h) */
	uint64_t chain; /* a hash of the kernel's chain by frame pointers; 0: none of it is in it */
	uint64_t ip, sp;
	uint32_t at[SLOTS]; /* offset in the copy of the stack */
	uint64_t value[SLOTS];
};

/* ---- address spaces -------------------------------------------------------------------------- */

int sd_stack_resolve_event(struct sd_stack_resolve *p, const struct sd_event *e)
{
	if (e->kind == SD_EVENT_MAP || e->kind == SD_EVENT_EXEC ||
		((e->kind == SD_EVENT_FORK || e->kind == SD_EVENT_EXIT) && e->pid == e->tid))
		(*sd_stack_code_age(p, e->pid))++;
	return sd_symbols_event(p->symbols, e);
}

/* ---- the user's side ------------------------------------------------------------------------- */

static uint64_t word_at(const struct sd_event *e, uint32_t at)
{
	uint64_t v = 0;

	if (at + sizeof v <= e->stack_size)
		memcpy(&v, e->stack + at, sizeof v);
	return v;
}

static uint64_t hash_chain(const struct sd_event *e)
{
	uint64_t h = e->n_pointed;

	for (size_t i = 0; i < e->n_pointed; i++)
		h = sd_stack_code_mix(h, e->pointed[i]);
	return h;
}

static int is_same(const struct sd_stack_resolve_memo *m, const struct sd_event *e)
{
	if (m->chain && m->chain != hash_chain(e))
		return 0;
	for (unsigned i = 0; i < m->n; i++)
		if (word_at(e, m->at[i]) != m->value[i])
			return 0;
	return 1;
}

/* Finds the places of the return addresses in the copy of the stack; 0 when one is not found. */
static int find_slots(
	struct sd_stack_resolve_memo *m, const struct sd_event *e, const uint64_t *pc, size_t n)
{
	uint32_t at = 0;

	if (n > SLOTS)
		return 0;
	m->n = 0;
	for (size_t i = 1; i < n; i++) {
		while (at + 8 <= e->stack_size && word_at(e, at) != pc[i])
			at += 8;
		if (at + 8 > e->stack_size)
			return 0;
		m->at[m->n] = at;
		m->value[m->n++] = pc[i];
		at += 8;
	}
	return 1;
}

/*
 * A nameless function called from another file was reached by a tail call from the function that
 * the call names, which left no frame. libgomp's GOMP_critical_start does that, and its target also
 * waits for barriers, so only the call site identifies a lock (METHODS 2.4).
 */
static unsigned add_jumper(struct sd_stack_resolve *p, unsigned node, int pid, uint64_t pc,
	int kind, uint64_t return_to)
{
	const struct sd_stack_resolve_code *const c = sd_stack_code_at(p, pid, pc, kind);
	struct sd_frame f;
	unsigned frame;

	if (!c || c->n != 1 || node == p->too_many)
		return node;
	f = p->stacks->frame[c->frame[0]];
	if (f.function || !f.module)
		return node;
	f.function = sd_stack_code_called(p, pid, return_to);
	f.offset = 0;
	if (f.function && !sd_stacks_frame(p->stacks, &f, &frame) &&
		sd_stacks_node(p->stacks, node, frame, &node))
		return p->too_many;
	return node;
}

/* The addresses of a stack, of which something is known. */
struct addresses {
	uint64_t pc[PCS];
	size_t n;
	unsigned start; /* the node of the last, from which the stack is known; 0 */
	struct sd_unwound how;
};

static unsigned start_of(struct sd_stack_resolve *p, int pid, uint64_t pc)
{
	const struct sd_stack_resolve_code *const c = sd_stack_code_at(p, pid, pc, 1);

	return c && c->n == 1 ? sd_stack_starts_find(&p->starts, c->frame[0]) : 0;
}

static void find_addresses(
	struct sd_stack_resolve *p, const struct sd_event *e, struct addresses *out)
{
	out->how = (struct sd_unwound){0};
	out->n = sd_symbols_unwind(p->symbols, e, out->pc, PCS, &out->how);
	out->start = out->n > 1 && out->how.whole == -ERANGE
			     ? start_of(p, e->pid, out->pc[out->n - 1])
			     : 0;
	if (out->start)
		out->how.whole = 1;
}

/* Does a copy of so many bytes show the same? */
static int is_shown(struct sd_stack_resolve *p, const struct sd_event *e,
	const struct addresses *all, uint32_t bytes)
{
	struct sd_event less = *e;
	struct addresses a;

	if (bytes >= e->stack_size)
		return 1;
	less.stack_size = bytes;
	find_addresses(p, &less, &a);
	return a.how.whole == all->how.whole && a.n <= all->n && (a.n == all->n || a.start) &&
	       memcmp(a.pc, all->pc, a.n * sizeof *a.pc) == 0;
}

/* Number of the sizes that show too little; a scheduler's frames need any depth (join_task()). */
static unsigned find_least(struct sd_stack_resolve *p, const struct sd_event *e,
	const struct addresses *all, unsigned node)
{
	unsigned i = 0;

	if (sd_stack_activity_enters(p, node, SD_WAIT_MATCH_SCHEDULER))
		return SD_STACK_DEPTH_SIZES;
	while (i < SD_STACK_DEPTH_SIZES && !is_shown(p, e, all, sd_stack_depth_size[i]))
		i++;
	return i;
}

static unsigned unwind(
	struct sd_stack_resolve *p, const struct sd_event *e, struct sd_stack_resolve_memo *m)
{
	struct addresses a;
	unsigned node = 0;

	find_addresses(p, e, &a);
	if (a.n == 0) {
		a.pc[0] = m->ip;
		a.n = a.how.inside = 1;
	}
	m->whole = a.how.whole;
	m->chain = a.how.inside < a.n ? hash_chain(e) : 0;
	for (size_t i = a.n; i > 0; i--) {
		if (i < a.n)
			node = add_jumper(p, node, e->pid, a.pc[i - 1], i > 1, a.pc[i]);
		node = i == a.n && a.start ? a.start
					   : sd_stack_code_add(p, node, e->pid, a.pc[i - 1], i > 1);
		if (i > 1 && m->whole > 0 && !a.start)
			sd_stack_starts_learn(&p->starts, p->stacks, node);
	}
	m->node = node;
	m->least = p->is_gauge ? find_least(p, e, &a, node) : 0;
	if (!find_slots(m, e, a.pc, a.how.inside))
		m->ip = 0; /* not to be known again */
	return node;
}

static void count_stack(
	struct sd_stack_resolve *p, const struct sd_event *e, const struct sd_stack_resolve_memo *m)
{
	const int is_sample = e->kind == SD_EVENT_SAMPLE;

	p->asked++;
	p->whole += m->whole > 0;
	p->pointed += m->chain != 0;
	p->samples += is_sample;
	p->cut += is_sample && m->whole == -ERANGE;
	p->all_cut += m->whole == -ERANGE;
	if (p->is_gauge && e->stack_size)
		sd_stack_depth_add(&p->depth, is_sample, m->least);
}

static unsigned user_node(struct sd_stack_resolve *p, const struct sd_event *e)
{
	const uint64_t ip = sd_event_regs_ip(e), sp = sd_event_regs_sp(e);
	const unsigned age = *sd_stack_code_age(p, e->pid);
	const uint64_t h = sd_stack_code_mix(
		sd_stack_code_mix(sd_stack_code_mix(0, ip), sp), (uint64_t)(unsigned)e->pid);
	unsigned *const ways = &p->slot[h & (MEMOS - WAYS)], *at;
	struct sd_stack_resolve_memo *m;

	if (!ip)
		return 0;
	if (!e->stack_size && !sp) /* nothing to unwind */
		return sd_stack_code_add(p, 0, e->pid, ip, 0);
	for (unsigned i = 0; i < WAYS; i++) {
		m = ways[i] ? &p->memo[ways[i] - 1] : NULL;
		if (m && m->ip == ip && m->sp == sp && m->pid == e->pid && m->age == age &&
			is_same(m, e)) {
			count_stack(p, e, m);
			return m->node;
		}
	}
	at = &ways[(p->asked + 1) % WAYS];
	*at = *at ? *at : ++p->n_memo;
	m = &p->memo[*at - 1];
	*m = (struct sd_stack_resolve_memo){.pid = e->pid, .age = age, .ip = ip, .sp = sp};
	unwind(p, e, m);
	count_stack(p, e, m);
	return m->node;
}

/* ---- the kernel's side ------------------------------------------------------------------------
 */

/* The kernel function of a thread that was seen there. */
static unsigned sleeps_in(struct sd_stack_resolve *p, unsigned node, const char *function)
{
	const struct sd_placement_of place = {.function = function, .module = "[kernel]"};
	unsigned frame;

	if (node == p->too_many || sd_stack_code_frame(p, &place, 1, &frame) ||
		sd_stacks_node(p->stacks, node, frame, &node))
		return p->too_many;
	return node;
}

unsigned sd_stack_resolve_node(struct sd_stack_resolve *p, const struct sd_event *e)
{
	unsigned node = sd_runtime_frames_join(p, e, user_node(p, e));

	for (size_t i = e->n_chain; i > 0; i--)
		node = sd_stack_code_add(p, node, 0, e->chain[i - 1], 2);
	if (e->kernel && !e->n_chain)
		node = sd_stack_code_add(p, node, 0, e->ip, 2);
	return e->kind == SD_EVENT_SEEN && *e->name ? sleeps_in(p, node, e->name) : node;
}

unsigned sd_stack_resolve_user(const struct sd_stack_resolve *p, unsigned node)
{
	const struct sd_stacks *const s = p->stacks;

	while (node && s->frame[s->node[node].frame].kernel)
		node = s->node[node].parent;
	return node;
}

/* ---- what it does there ---------------------------------------------------------------------- */

int sd_stack_resolve_open(struct sd_stack_resolve *p, struct sd_symbols *symbols,
	struct sd_stacks *stacks, const char *configs, const struct sd_sink *sink)
{
	const struct sd_placement_of full = {.function = "(too many)"};
	unsigned frame;
	int rc;

	*p = (struct sd_stack_resolve){.symbols = symbols, .stacks = stacks};
	p->memo = calloc(MEMOS, sizeof *p->memo);
	p->slot = calloc(MEMOS, sizeof *p->slot);
	p->code = calloc(SD_STACK_CODES, sizeof *p->code);
	p->space = calloc(SD_STACK_SPACES, sizeof *p->space);
	rc = p->memo && p->slot && p->code && p->space ? 0 : -ENOMEM;
	if (!rc)
		rc = sd_wait_rules_load(&p->rules, configs, sink);
	/* if not even this fits, the excess has no stack */
	if (!rc && sd_stack_code_frame(p, &full, 0, &frame) == 0 &&
		sd_stacks_node(stacks, 0, frame, &p->too_many))
		p->too_many = 0;
	if (rc)
		sd_stack_resolve_close(p);
	return rc;
}

void sd_stack_resolve_again(struct sd_stack_resolve *p)
{
	for (unsigned i = 0; i < SD_STACK_SPACES; i++)
		p->space[i].age++;
	/* those of the last run are of processes that have ended: their memory is the next one's */
	memset(p->slot, 0, MEMOS * sizeof *p->slot);
	p->n_memo = 0;
	p->asked = p->whole = p->pointed = p->samples = p->cut = p->all_cut = 0;
}

void sd_stack_resolve_close(struct sd_stack_resolve *p)
{
	sd_wait_rules_free(&p->rules);
	free(p->memo);
	free(p->slot);
	free(p->code);
	free(p->space);
	free(p->running);
	free(p->blocked);
	free(p->enters);
	*p = (struct sd_stack_resolve){0};
}
