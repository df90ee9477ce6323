/*
 * Tables of truth for plans: what each instruction accesses, for samples with known registers.
 */
#ifndef TESTS_OPERAND_ROWS_H
#define TESTS_OPERAND_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <string.h>

#include "operands/operand_plan.h"

/*
 * Registers of the samples: number i holds VALUE(i), except the stack pointer, whose 128 bytes
 * hold, 8 bytes at STACK + k, the number SLOT(k).
 */
#define VALUE(i) (UINT64_C(0x10000000) * ((i) + 1))
#define STACK UINT64_C(0x7fff0000)
#define SLOT(k) (UINT64_C(0x20000000) + (k))
#define CODE UINT64_C(0x400000)

enum { AX, BX, CX, DX, SI, DI, BP, SP, R8 = 16, R12 = 20, R15 = 23 };

struct operand_expected {
	unsigned at; /* of the instruction */
	uint64_t address;
	unsigned size;
	const char *how; /* r w l(ocked) s(treams) c(rosses a line) ? not sure; NULL ends */
};

struct operand_row {
	const char *what;
	const char *code;
	size_t n;
	unsigned ip;
	struct operand_expected is[6];
};

#define BYTES(s) s, sizeof s - 1

static inline void operand_rows_fill(
	struct sd_regs *r, unsigned char stack[128], unsigned frame, unsigned sp)
{
	*r = (struct sd_regs){.mask = UINT64_C(0x1ffffffff)};
	for (unsigned i = 0; i < 33; i++)
		r->reg[i] = VALUE(i);
	r->reg[sp] = STACK;
	r->reg[frame] = STACK + 64;
	for (unsigned k = 0; k < 128; k += 8) {
		const uint64_t value = SLOT(k);

		memcpy(stack + k, &value, sizeof value);
	}
}

static inline int operand_rows_expected(const struct sd_operand_access *a, unsigned n,
	const struct operand_expected *e, unsigned *n_expected)
{
	for (*n_expected = 0; *n_expected < 6 && e[*n_expected].how; ++*n_expected) {
		const struct operand_expected *const x = &e[*n_expected];
		unsigned i = 0;

		for (; i < n; i++) {
			const struct sd_operand *const o = a[i].operand;

			if (o->ip == CODE + x->at && a[i].address == x->address &&
				o->size == x->size && o->reads == !!strchr(x->how, 'r') &&
				o->writes == !!strchr(x->how, 'w') &&
				o->locked == !!strchr(x->how, 'l') &&
				o->streams == !!strchr(x->how, 's') &&
				a[i].crosses_line == !!strchr(x->how, 'c') &&
				a[i].sure == !strchr(x->how, '?'))
				break;
		}
		if (i == n)
			return 0;
	}
	return *n_expected == n;
}

static inline void operand_rows_check(
	enum sd_insn_decode_machine machine, const struct operand_row *r, size_t n_rows)
{
	static struct sd_operand_plan p;
	struct sd_operand_access a[SD_OPERANDS];
	unsigned char stack[128];
	struct sd_regs regs;

	operand_rows_fill(&regs, stack, machine == SD_INSN_DECODE_AARCH64 ? 29 : BP,
		machine == SD_INSN_DECODE_AARCH64 ? 31 : SP);
	for (; n_rows-- > 0; r++) {
		unsigned n, n_expected;

		sd_operand_plan_make(&p, machine, CODE, (const unsigned char *)r->code, r->n, CODE,
			CODE + r->ip);
		n = sd_operand_plan_evaluate(&p, &regs, 0, stack, sizeof stack, a);
		if (operand_rows_expected(a, n, r->is, &n_expected))
			continue;
		for (unsigned i = 0; i < n; i++)
			print_message("  +%u: %#llx, %u bytes%s%s%s%s%s\n",
				(unsigned)(a[i].operand->ip - CODE),
				(unsigned long long)a[i].address, a[i].operand->size,
				a[i].operand->reads ? " r" : "", a[i].operand->writes ? " w" : "",
				a[i].operand->locked ? " l" : "", a[i].operand->streams ? " s" : "",
				a[i].sure ? "" : " ?");
		fail_msg("%s: %u of %u", r->what, n_expected, n);
	}
}

#endif
