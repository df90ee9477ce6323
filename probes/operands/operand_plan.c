#include "operands/operand_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "operands/operand_flow.h"
#include "operands/operand_insn.h"

#define INSNS 192 /* taken apart for one plan */
#define LEAD 64   /* instructions before the sample, and behind it on its certain way */

static_assert(SD_OPERAND_REGS == SD_TRACE_REGS, "registers of a step are those of a sample");

/* An instruction of the plan, and where its operands stand in it. */
struct placed {
	size_t at;
	unsigned first_operand;
	unsigned distance; /* from the sample, in instructions of the walk */
	struct sd_operand_insn insn;
};

struct making {
	struct sd_operand_plan *out;
	struct sd_operand_flow flow;
	enum sd_operand_machine machine;
	const unsigned char *code;
	uint64_t base; /* address of code */
	size_t n, ip;
	size_t head, end; /* of the loop */
	int looped, full;
	csh handle;
	cs_insn *in;
	struct placed placed[INSNS];
	unsigned n_placed;
	unsigned operands; /* found, those that no longer fit included */
	/* the walk around the loop: its instructions, numbers of `placed` */
	uint16_t lap[INSNS];
	unsigned n_lap;
};

enum sd_operand_machine sd_operand_machine_here(void)
{
#if defined(__x86_64__)
	return SD_OPERAND_X86_64;
#elif defined(__aarch64__)
	return SD_OPERAND_AARCH64;
#else
	return SD_OPERAND_NONE;
#endif
}

static enum sd_insn_decode_machine decoder_of(enum sd_operand_machine m)
{
	return m == SD_OPERAND_X86_64    ? SD_INSN_DECODE_X86_64
	       : m == SD_OPERAND_AARCH64 ? SD_INSN_DECODE_AARCH64
					 : SD_INSN_DECODE_OTHER;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void take_apart(struct making *k, struct sd_operand_insn *out, size_t at)
{
	const uint8_t *code = k->code + at;
	size_t left = k->n - at;
	uint64_t address = k->base + at;

	*out = (struct sd_operand_insn){.ip = k->base + at};
	if (!cs_disasm_iter(k->handle, &code, &left, &address, k->in))
		return;
	(k->machine == SD_OPERAND_X86_64 ? sd_operand_x86 : sd_operand_aarch64)(
		out, k->handle, k->in);
	k->out->decoded++;
}

/* The instruction at `at`; NULL: unknown, or too many. */
static struct placed *place(struct making *k, size_t at, unsigned distance)
{
	struct placed *p = NULL;

	for (unsigned i = 0; i < k->n_placed; i++)
		if (k->placed[i].at == at)
			p = &k->placed[i];
	if (p)
		return p->insn.length ? p : NULL;
	if (k->n_placed == INSNS || !sd_operand_flow_begins(&k->flow, at)) {
		k->full |= k->n_placed == INSNS;
		return NULL;
	}
	p = &k->placed[k->n_placed++];
	p->at = at;
	p->distance = distance;
	take_apart(k, &p->insn, at);
	p->first_operand = k->operands;
	for (unsigned i = 0; i < p->insn.n_accesses; i++, k->operands++) {
		struct sd_operand *const o = &p->insn.access[i];

		o->in_loop = k->looped && at >= k->head && at < k->end;
		if (k->operands < SD_OPERANDS)
			k->out->operand[k->out->n++] = *o;
		else
			k->out->unseen = 1;
	}
	return p->insn.length ? p : NULL;
}

static void set_sure(struct making *k, const struct placed *p)
{
	for (unsigned i = 0; i < p->insn.n_accesses; i++)
		if (p->first_operand + i < SD_OPERANDS && !p->insn.masked)
			k->out->operand[p->first_operand + i].sure = 1;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct sd_operand_step *emit_step(struct making *k, const struct sd_operand_step *s)
{
	if (k->out->n_steps == SD_OPERAND_STEPS) {
		k->full = 1;
		return NULL;
	}
	k->out->step[k->out->n_steps] = *s;
	return &k->out->step[k->out->n_steps++];
}

static void emit(struct making *k, const struct placed *p)
{
	if (k->out->n_steps + p->insn.n > SD_OPERAND_STEPS) {
		k->full = 1;
		return;
	}
	for (unsigned i = 0; i < p->insn.n; i++) {
		struct sd_operand_step *const s = emit_step(k, &p->insn.step[i]);

		if (s->access == SD_OPERAND_NO_ACCESS)
			continue;
		s->access = p->first_operand + s->access < SD_OPERANDS
				    ? (uint8_t)(p->first_operand + s->access)
				    : SD_OPERAND_NO_ACCESS;
	}
}

static uint64_t written_by(const struct sd_operand_insn *i)
{
	uint64_t all = 0;

	for (unsigned s = 0; s < i->n; s++)
		if (i->step[s].what <= SD_OPERAND_SIGN || i->step[s].what == SD_OPERAND_LOAD)
			all |= UINT64_C(1) << i->step[s].dst;
		else if (i->step[s].what == SD_OPERAND_FORGET_REGISTERS)
			all |= (uint64_t)i->step[s].imm;
	return all & ~(UINT64_C(1) << SD_OPERAND_ZERO);
}

static int is_store(const struct sd_operand_step *s)
{
	return s->what == SD_OPERAND_STORE || s->what == SD_OPERAND_WRITE;
}

/* What the instructions lap[from..to) may have changed is unknown from here on. */
static void emit_forget(struct making *k, unsigned from, unsigned to)
{
	struct sd_operand_step s = {.what = SD_OPERAND_FORGET_REGISTERS,
		.dst = SD_OPERAND_ZERO,
		.base = SD_OPERAND_ZERO,
		.index = SD_OPERAND_ZERO,
		.access = SD_OPERAND_NO_ACCESS};
	uint64_t registers = 0;

	for (unsigned i = from; i < to; i++)
		registers |= written_by(&k->placed[k->lap[i]].insn);
	for (unsigned i = from; i < to; i++) {
		const struct sd_operand_insn *const in = &k->placed[k->lap[i]].insn;

		for (unsigned j = 0; j < in->n; j++) {
			struct sd_operand_step store = in->step[j];

			if (!is_store(&store))
				continue;
			store.what = SD_OPERAND_FORGET_MEMORY;
			store.access = SD_OPERAND_NO_ACCESS;
			if (store.base >= SD_OPERAND_TEMP || registers >> store.base & 1 ||
				registers >> store.index & 1)
				store.what = SD_OPERAND_FORGET_STACK;
			emit_step(k, &store);
		}
	}
	s.imm = (int64_t)registers;
	if (registers)
		emit_step(k, &s);
}

/* ---- the way that is certain ----------------------------------------------------------------- */

static void walk_lead(struct making *k)
{
	size_t begin = sd_operand_flow_lead(&k->flow, k->ip), at[LEAD];
	unsigned n = 0;

	for (size_t i = k->ip; i-- > begin && n < LEAD;)
		if (sd_operand_flow_begins(&k->flow, i))
			at[n++] = i;
	/* nearest first: they get the first numbers */
	for (unsigned i = 0; i < n; i++)
		if (!place(k, at[i], i + 1))
			n = i;
	for (unsigned i = n; i-- > 0;) {
		const struct placed *const p = place(k, at[i], i + 1);

		emit(k, p);
		if (k->flow.certain && !k->flow.indirect)
			set_sure(k, p);
	}
	k->out->sampled = k->out->n_steps;
}

/* From the sample on to the first branch that has two ways; returns where that stands, or where
 * the next instruction is after a call; (size_t)-1: nowhere. */
static size_t walk_on(struct making *k)
{
	size_t at = k->ip;

	for (unsigned i = 0; i < LEAD; i++) {
		const struct sd_operand_branch *b;
		const struct placed *p;

		/* once around */
		for (unsigned j = 0; i > 0 && j < k->n_placed; j++)
			if (k->placed[j].at == at)
				return at;
		p = place(k, at, i);
		b = sd_operand_flow_branch(&k->flow, at);
		if (!p)
			return (size_t)-1;
		emit(k, p);
		set_sure(k, p);
		at = b ? b->end : at + p->insn.length;
		if (b && !b->call && !b->always)
			return p->at;
		if (b && b->always) {
			if (b->target < 0)
				return (size_t)-1;
			at = (size_t)b->target;
		}
		if (p->insn.call)
			return at;
	}
	return at;
}

/* ---- once around the loop -------------------------------------------------------------------- */

static unsigned lap_of(const struct making *k, size_t at)
{
	unsigned i = 0;

	while (i < k->n_lap && k->placed[k->lap[i]].at != at)
		i++;
	return i;
}

/* The instructions of [from, to), as the next of the lap. */
static void add_lap(struct making *k, size_t from, size_t to)
{
	for (size_t at = from; at < to; at++) {
		const struct placed *p;

		if (!sd_operand_flow_begins(&k->flow, at))
			continue;
		p = k->n_lap < INSNS ? place(k, at, k->n_lap) : NULL;
		if (!p) {
			k->out->unseen = 1;
			return;
		}
		k->lap[k->n_lap++] = (uint16_t)(p - k->placed);
		k->out->unseen |= p->insn.call;
	}
}

/* Branches to lap[i] from before it: the first of them; n_lap: none. And from behind it, with all
 * that may be executed before: up to which. */
static void find_sources(const struct making *k, unsigned i, unsigned *before, unsigned *behind)
{
	unsigned last = i;

	*before = k->n_lap;
	for (unsigned at = i; at <= last; at++)
		for (unsigned b = 0; b < k->flow.n; b++) {
			const struct sd_operand_branch *const br = &k->flow.branch[b];
			unsigned from;

			if (br->target < 0 || (size_t)br->target != k->placed[k->lap[at]].at)
				continue;
			from = lap_of(k, br->at);
			if (from == k->n_lap)
				continue;
			if (from >= at && from + 1 > last && (at == i || last > i))
				last = from + 1 < k->n_lap ? from + 1 : k->n_lap - 1;
			else if (from < at && at == i && from < *before)
				*before = from;
		}
	*behind = last;
}

/* Around the loop from where the certain way ends, in the order of the addresses. What a way that
 * joins may not have done, or a loop within it may have done, is unknown from there on. */
static void walk_lap(struct making *k, size_t from)
{
	int reached = 1;

	add_lap(k, from, k->end);
	add_lap(k, k->head, from);
	for (unsigned i = 0; i < k->n_lap && !k->full; i++) {
		const struct placed *const p = &k->placed[k->lap[i]];
		const struct sd_operand_branch *const b = sd_operand_flow_branch(&k->flow, p->at);
		unsigned before, behind;

		find_sources(k, i, &before, &behind);
		if (before < k->n_lap || behind > i)
			emit_forget(k, before < k->n_lap ? before : i, behind > i ? behind : i);
		reached |= before < k->n_lap || behind > i;
		/* the way to its first instruction is from its last, when that goes back */
		if (reached && (i > 0 || from == p->at))
			emit(k, p);
		if (b && b->unknown)
			k->out->unseen = 1;
		if (b && b->always && !b->call)
			reached = 0;
	}
}

/* ---- all together ---------------------------------------------------------------------------- */

static void finish(struct making *k)
{
	struct sd_operand_plan *const p = k->out;

	for (unsigned i = 0; i < p->n; i++)
		p->operand[i].unknown = 1;
	for (unsigned i = 0; i < p->n_steps; i++)
		if (p->step[i].access < p->n && p->step[i].base != SD_OPERAND_NEVER &&
			p->step[i].index != SD_OPERAND_NEVER)
			p->operand[p->step[i].access].unknown = 0;
	p->unseen |= k->full;
}

static void make(struct making *k)
{
	struct sd_operand_plan *const p = k->out;
	size_t next;

	k->looped = sd_operand_flow_loop(&k->flow, k->ip, &k->head, &k->end);
	if (k->looped) {
		p->loop = k->base + k->head;
		p->loop_end = k->base + k->end;
	}
	walk_lead(k);
	next = walk_on(k);
	p->certain = p->n_steps;
	if (k->looped && next >= k->head && next < k->end)
		walk_lap(k, next);
	else if (k->looped)
		p->unseen = 1;
	finish(k);
}

void sd_operand_plan_make(struct sd_operand_plan *out, enum sd_operand_machine machine, uint64_t at,
	const unsigned char *code, size_t n, uint64_t start, uint64_t ip)
{
	const uint64_t skip = ip - at > SD_OPERAND_CODE_BYTES ? ip - at - SD_OPERAND_CODE_BYTES : 0;
	struct making *k;

	memset(out, 0, sizeof *out);
	out->ip = ip;
	out->stack_register = machine == SD_OPERAND_X86_64 ? 7 : 31;
	if (ip < at || ip - at >= n || machine == SD_OPERAND_NONE)
		return;
	k = calloc(1, sizeof *k);
	if (!k)
		return;
	k->out = out;
	k->machine = machine;
	k->base = at + skip;
	k->code = code + skip;
	k->n = n - skip < SD_OPERAND_FLOW_BYTES ? n - skip : SD_OPERAND_FLOW_BYTES;
	k->ip = ip - k->base;
	if (!sd_operand_flow_find(&k->flow, decoder_of(machine), k->code, k->n,
		    start >= k->base && start <= ip ? (long)(start - k->base) : -1, k->ip) &&
		!cs_open(machine == SD_OPERAND_X86_64 ? CS_ARCH_X86 : CS_ARCH_ARM64,
			machine == SD_OPERAND_X86_64 ? CS_MODE_64 : CS_MODE_ARM, &k->handle)) {
		if (!cs_option(k->handle, CS_OPT_DETAIL, CS_OPT_ON) &&
			(k->in = cs_malloc(k->handle)))
			make(k);
		cs_free(k->in, k->in != NULL);
		cs_close(&k->handle);
	}
	free(k);
}
