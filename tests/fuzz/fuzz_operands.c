/*
 * Any bytes as the code around a sample, its registers and its stack: none are read behind their
 * end, a plan names operands of instructions that it was given, and evaluating it twice says the
 * same; a way from it to a return takes whole words off a stack.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "operands/operand_plan.h"
#include "unwind/code_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT UINT64_C(0x400000)
#define STACK UINT64_C(0x7fff0000)

static void must(int holds)
{
	if (!holds)
		abort();
}

static void *copy_of(const uint8_t *data, size_t n)
{
	void *const copy = malloc(n ? n : 1);

	must(copy != NULL);
	memcpy(copy, data, n);
	return copy;
}

/* Registers point at the code, into the stack, and elsewhere. */
static struct sd_regs registers_of(uint8_t seed)
{
	struct sd_regs r = {.mask = seed & 1 ? ~UINT64_C(0) : UINT64_C(0x80ff01ff)};

	for (unsigned i = 0; i < SD_TRACE_REGS; i++)
		r.reg[i] = i % 3 == 0 ? AT + 8 * i : i % 3 == 1 ? STACK + i : ~UINT64_C(0) - i;
	r.reg[7] = r.reg[31] = STACK;
	return r;
}

static void check_plan(const struct sd_operand_plan *p, size_t n, const struct sd_regs *regs,
	const unsigned char *stack, size_t n_stack)
{
	struct sd_operand_access a[SD_OPERANDS], again[SD_OPERANDS];
	const unsigned found = sd_operand_plan_evaluate(p, regs, 0, stack, n_stack, a);

	must(p->n <= SD_OPERANDS && p->n_steps <= SD_OPERAND_STEPS && found <= p->n);
	must(p->sampled <= p->certain && p->certain <= p->n_steps);
	must(!p->loop_end || (p->loop <= p->ip && p->ip < p->loop_end && p->loop_end <= AT + n));
	for (unsigned i = 0; i < p->n; i++)
		must(p->operand[i].ip >= AT && p->operand[i].ip < AT + n &&
			(p->operand[i].reads || p->operand[i].writes));
	for (unsigned i = 0; i < found; i++)
		must(a[i].operand >= p->operand && a[i].operand < p->operand + p->n &&
			!a[i].operand->unknown && !a[i].operand->thread_local_ &&
			(!a[i].sure || a[i].operand->sure));
	must(sd_operand_plan_evaluate(p, regs, STACK, stack, n_stack, again) == found);
	for (unsigned i = 0; i < found; i++)
		must(a[i].address == again[i].address && a[i].operand == again[i].operand);
}

struct bytes {
	const unsigned char *code;
	size_t n;
};

static size_t code_at(void *ctx, uint64_t pc, unsigned char *out, size_t max)
{
	const struct bytes *const b = ctx;
	size_t n = pc >= AT && pc - AT < b->n ? b->n - (size_t)(pc - AT) : 0;

	n = n < max ? n : max;
	memcpy(out, b->code + (n ? pc - AT : 0), n);
	return n;
}

static void check_row(const unsigned char *code, size_t n, size_t ip)
{
	const struct sd_frame_arch *const arch = sd_frame_arch_of(EM_X86_64);
	struct bytes b = {code, n};
	const struct sd_code_rows_from from = {.code = code_at, .ctx = &b};
	struct sd_row row;
	const int rc = sd_code_rows_row(arch, &from, AT + ip, &row);

	must(rc == -ENOENT || (rc == 0 && row.guessed && row.cfa.kind == SD_RULE_REG &&
				      (row.cfa.reg == arch->sp || row.cfa.reg == arch->fp)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sd_operand_plan plan;
	/* where it stands, whether its function's beginning is known, which registers; then the
	 * stack, then the code */
	const size_t n_stack = size > 3 ? (size - 3) / 4 : 0, n = size > 3 ? size - 3 - n_stack : 0;
	unsigned char *stack, *code;
	struct sd_regs regs;

	if (!n)
		return 0;
	stack = copy_of(data + 3, n_stack);
	code = copy_of(data + 3 + n_stack, n);
	regs = registers_of(data[2]);
	check_row(code, n, data[0] % n);
	for (int m = SD_INSN_DECODE_X86_64; m <= SD_INSN_DECODE_AARCH64; m++)
		for (size_t ip = data[0] % n; ip < n; ip += n / 3 + 1) {
			sd_operand_plan_make(&plan, (enum sd_insn_decode_machine)m, AT, code, n,
				data[1] & 1 ? AT : 0,
				AT + (m == SD_INSN_DECODE_AARCH64 ? ip & ~3u : ip));
			check_plan(&plan, n, &regs, stack, n_stack);
		}
	free(stack);
	free(code);
	return 0;
}
