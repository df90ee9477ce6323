#include "plugin/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/interface.h"

static uint64_t hash_code(const struct qemu_plugin_tb *tb, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *const in = qemu_plugin_tb_get_insn(tb, i);
		unsigned char copy[SIM_INTERFACE_BYTES];
		size_t bytes;
		const unsigned char *const b = sim_interface_code(in, copy, &bytes);

		for (size_t byte = 0; byte < bytes; byte++)
			h = (h ^ b[byte]) * 0x100000001b3ull;
	}
	return h;
}

static int is_region(const struct sim_blocks *k, const struct qemu_plugin_insn *in)
{
	const char *const symbol = k->function[0] ? qemu_plugin_insn_symbol(in) : NULL;

	return symbol && strcmp(symbol, k->function) == 0;
}

/* Does the decoder know that the instruction accesses no memory? */
static int stays_inside(const struct sd_insn_decode *d)
{
	return d->length && !d->call &&
	       (d->kind == SD_INSN_DECODE_PLAIN || d->kind == SD_INSN_DECODE_DERIVE ||
		       d->kind == SD_INSN_DECODE_COUNT || d->kind == SD_INSN_DECODE_BRANCH);
}

static struct sim_block *make_block(
	const struct sim_blocks *k, const struct qemu_plugin_tb *tb, size_t n)
{
	struct sim_block *const b = aligned_alloc(SIM_BLOCK_ALIGN,
		(sizeof *b + SIM_BLOCK_ALIGN - 1) / SIM_BLOCK_ALIGN * SIM_BLOCK_ALIGN);
	struct sd_insn_decode d = {0};

	if (b) {
		*b = (struct sim_block){0};
		b->ins = calloc(n, sizeof *b->ins);
	}
	if (!b || !b->ins) {
		free(b);
		return NULL;
	}
	b->start = qemu_plugin_tb_vaddr(tb);
	b->ours = b->start - k->heap_low < k->heap_high - k->heap_low;
	b->n_ins = b->ours ? 0 : (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *const in = qemu_plugin_tb_get_insn(tb, i);

		unsigned char copy[SIM_INTERFACE_BYTES];
		size_t bytes;
		const unsigned char *const code = sim_interface_code(in, copy, &bytes);

		d = sd_insn_decode_at(k->target, code, bytes);
		b->ins[i].pc = b->turn = qemu_plugin_insn_vaddr(in);
		b->ins[i].index = (uint16_t)i;
		b->ins[i].flags =
			(uint16_t)((d.atomic ? SIM_INS_LOCKED : 0) | (d.call ? SIM_INS_CALL : 0) |
				   (d.modifies ? SIM_INS_MODIFIES : 0) |
				   (d.streams ? SIM_INS_STREAMS : 0) |
				   (stays_inside(&d) ? SIM_INS_INSIDE : 0) |
				   (d.direct || stays_inside(&d) ? 0 : SIM_INS_HELPED));
		b->end = b->turn + qemu_plugin_insn_size(in);
		b->conversions += !b->ours && d.converts;
		b->locked += !b->ours && d.atomic;
	}
	b->transfer = d.call ? SIM_TRANSFER_CALL : d.ret ? SIM_TRANSFER_RETURN : SIM_TRANSFER_NONE;
	b->jumps = d.always && d.target ? b->turn + (uint64_t)d.target : 0;
	if (b->transfer || d.indirect)
		b->turn = 0;
	b->repeats = d.repeats;
	b->odd = SIM_ODD_UNMEASURED;
	if (is_region(k, qemu_plugin_tb_get_insn(tb, 0)))
		b->odd |= SIM_ODD_REGION;
	return b;
}

static int number_block(struct sim_run *r, struct sim_block *b)
{
	if (r->n_block == r->block_room) {
		const size_t room = r->block_room ? r->block_room * 2 : 4096;
		struct sim_block **const p = realloc(r->block, room * sizeof(struct sim_block *));

		if (!p)
			return -ENOMEM;
		r->block = p;
		r->block_room = room;
	}
	b->number = (uint32_t)r->n_block;
	r->block[r->n_block++] = b;
	return 0;
}

struct sim_block *sim_block_of(
	struct sim_blocks *k, struct sim_run *r, const struct qemu_plugin_tb *tb, size_t n)
{
	const uint64_t bytes = hash_code(tb, n), start = qemu_plugin_tb_vaddr(tb);
	struct sim_block_link **const head = &k->known[(start ^ bytes) % SIM_BLOCK_CHAINS], *l;

	for (l = *head; l; l = l->next)
		if (l->block->start == start && l->bytes == bytes &&
			(l->block->ours || l->block->n_ins == n))
			return l->block;
	l = calloc(1, sizeof *l);
	if (l)
		l->block = make_block(k, tb, n);
	if (!l || !l->block || number_block(r, l->block)) {
		free(l);
		return NULL;
	}
	l->bytes = bytes;
	l->next = *head;
	*head = l;
	return l->block;
}
