#include "operands/operand_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "operands/operand_making.h"
#include "operands/operand_walk.h"

#define LEAD 64 /* instructions before the sample, and behind it on its certain way */

static_assert(SD_OPERAND_REGS == SD_TRACE_REGS, "registers of a step are those of a sample");

static void set_sure(struct sd_operand_making *k, const struct sd_operand_placed *p)
{
	for (unsigned i = 0; i < p->insn.n_accesses; i++)
		if (p->first_operand + i < SD_OPERANDS && !p->insn.masked)
			k->out->operand[p->first_operand + i].sure = 1;
}

/* ---- the way that is certain ----------------------------------------------------------------- */

static void walk_lead(struct sd_operand_making *k)
{
	size_t begin = sd_operand_flow_lead(&k->flow, k->ip), at[LEAD];
	unsigned n = 0;

	for (size_t i = k->ip; i-- > begin && n < LEAD;)
		if (sd_operand_flow_begins(&k->flow, i))
			at[n++] = i;
	/* nearest first: they get the first numbers */
	for (unsigned i = 0; i < n; i++)
		if (!sd_operand_making_place(k, at[i], i + 1))
			n = i;
	for (unsigned i = n; i-- > 0;) {
		const struct sd_operand_placed *const p = sd_operand_making_place(k, at[i], i + 1);

		sd_operand_making_emit(k, p);
		if (k->flow.certain && !k->flow.indirect)
			set_sure(k, p);
	}
	k->out->sampled = k->out->n_steps;
}

/* From the sample on to the first branch that has two ways; returns where that stands, or where
 * the next instruction is after a call; (size_t)-1: nowhere. */
static size_t walk_on(struct sd_operand_making *k)
{
	size_t at = k->ip;

	for (unsigned i = 0; i < LEAD; i++) {
		const struct sd_operand_branch *b;
		const struct sd_operand_placed *p;

		/* once around */
		for (unsigned j = 0; i > 0 && j < k->n_placed; j++)
			if (k->placed[j].at == at)
				return at;
		p = sd_operand_making_place(k, at, i);
		b = sd_operand_flow_branch(&k->flow, at);
		if (!p)
			return (size_t)-1;
		sd_operand_making_emit(k, p);
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

static unsigned lap_of(const struct sd_operand_making *k, size_t at)
{
	unsigned i = 0;

	while (i < k->n_lap && k->placed[k->lap[i]].at != at)
		i++;
	return i;
}

/* The instructions of [from, to), as the next of the lap. */
static void add_lap(struct sd_operand_making *k, size_t from, size_t to)
{
	for (size_t at = from; at < to; at++) {
		const struct sd_operand_placed *p;

		if (!sd_operand_flow_begins(&k->flow, at))
			continue;
		p = k->n_lap < SD_OPERAND_MAKING_INSNS ? sd_operand_making_place(k, at, k->n_lap)
						       : NULL;
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
static void find_sources(
	const struct sd_operand_making *k, unsigned i, unsigned *before, unsigned *behind)
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
static void walk_lap(struct sd_operand_making *k, size_t from)
{
	int reached = 1;

	add_lap(k, from, k->end);
	add_lap(k, k->head, from);
	for (unsigned i = 0; i < k->n_lap && !k->full; i++) {
		const struct sd_operand_placed *const p = &k->placed[k->lap[i]];
		const struct sd_operand_branch *const b = sd_operand_flow_branch(&k->flow, p->at);
		unsigned before, behind;

		find_sources(k, i, &before, &behind);
		if (before < k->n_lap || behind > i)
			sd_operand_making_forget(
				k, before < k->n_lap ? before : i, behind > i ? behind : i);
		reached |= before < k->n_lap || behind > i;
		/* the way to its first instruction is from its last, when that goes back */
		if (reached && (i > 0 || from == p->at))
			sd_operand_making_emit(k, p);
		if (b && b->unknown)
			k->out->unseen = 1;
		if (b && b->always && !b->call)
			reached = 0;
	}
}

/* ---- all together ---------------------------------------------------------------------------- */

static void finish(struct sd_operand_making *k)
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

static void make(struct sd_operand_making *k)
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
	if (k->looped && next >= k->head && next < k->end) {
		walk_lap(k, next);
		if (!k->full)
			sd_operand_walk_strides(p);
	} else if (k->looped)
		p->unseen = 1;
	finish(k);
}

/* capstone, for x86-64; opening it takes no time that counts. */
static void make_with_decoder(struct sd_operand_making *k)
{
	if (k->machine != SD_INSN_DECODE_X86_64) {
		make(k);
		return;
	}
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &k->handle))
		return;
	if (!cs_option(k->handle, CS_OPT_DETAIL, CS_OPT_ON) && (k->in = cs_malloc(k->handle))) {
		make(k);
		cs_free(k->in, 1);
	}
	cs_close(&k->handle);
}

void sd_operand_plan_make(struct sd_operand_plan *out, enum sd_insn_decode_machine machine,
	uint64_t at, const unsigned char *code, size_t n, uint64_t start, uint64_t ip)
{
	const uint64_t skip = ip - at > SD_OPERAND_CODE_BYTES ? ip - at - SD_OPERAND_CODE_BYTES : 0;
	struct sd_operand_making *k;

	memset(out, 0, sizeof *out);
	out->ip = ip;
	out->stack_register = machine == SD_INSN_DECODE_X86_64 ? 7 : 31;
	if (ip < at || ip - at >= n || machine == SD_INSN_DECODE_OTHER)
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
	if (sd_operand_flow_find(&k->flow, machine, k->code, k->n,
		    start >= k->base && start <= ip ? (long)(start - k->base) : -1, k->ip) == 0)
		make_with_decoder(k);
	free(k);
}

static const struct sd_operand_step *access_of(const struct sd_operand_plan *p, unsigned operand)
{
	for (unsigned i = 0; i < p->n_steps; i++)
		if (p->step[i].access == operand && p->step[i].what >= SD_OPERAND_LOAD)
			return &p->step[i];
	return NULL;
}

const struct sd_operand_step *sd_operand_plan_address(
	const struct sd_operand_plan *p, unsigned operand)
{
	const struct sd_operand_step *const s = access_of(p, operand);

	return s && s->base < SD_OPERAND_TEMP && s->imm >= 0 ? s : NULL;
}

const struct sd_operand_step *sd_operand_plan_fixed(
	const struct sd_operand_plan *p, unsigned operand)
{
	const struct sd_operand_step *const s = access_of(p, operand);

	return s && s->base == SD_OPERAND_ZERO && s->index == SD_OPERAND_ZERO ? s : NULL;
}

int sd_operand_plan_indexed(const struct sd_operand_step *address)
{
	return address->index != SD_OPERAND_ZERO;
}
