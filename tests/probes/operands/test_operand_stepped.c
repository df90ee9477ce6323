/*
 * A child runs one instruction at a time, so that every access is known: what a plan says at each
 * of its instructions about those before and behind it is compared with what they did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <capstone/capstone.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operands/operand_plan.h"
#include "support/stepped_work.h"

#define STEPS 60000
#define STACK_BYTES 1024 /* copied at each step */
#define CODE_BYTES 4096

#if defined(__x86_64__)
/* from the unwinder of GCC: the function that an address belongs to */
struct dwarf_eh_bases {
	void *tbase, *dbase, *func;
};
extern const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

struct happened {
	uint64_t address;
	unsigned size;
};

struct moment {
	struct sd_regs regs;
	uint64_t ip;
	struct happened access[3];
	unsigned n;
	unsigned char stack[STACK_BYTES];
	size_t stack_size;
};

struct stepped {
	struct moment *moment;
	unsigned n;
	csh handle;
	cs_insn *insn;
};

/* ---- what an instruction does, by its text and nothing of ours ------------------------------- */

static uint64_t named(const struct user_regs_struct *r, const char *name)
{
	static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
	const unsigned long long values[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp,
		r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return values[i];
	return 0;
}

static void look_at(struct stepped *s, struct moment *m, const struct user_regs_struct *r)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)r->rip; /* the child is a copy of us */
	size_t left = 15;
	uint64_t address = r->rip;
	const cs_x86 *x;

	m->n = 0;
	if (!cs_disasm_iter(s->handle, &code, &left, &address, s->insn))
		return;
	x = &s->insn->detail->x86;
	if (strstr(s->insn->mnemonic, "nop") || strcmp(s->insn->mnemonic, "lea") == 0 ||
		strncmp(s->insn->mnemonic, "prefetch", 8) == 0)
		return;
	for (int i = 0; i < x->op_count; i++) {
		const cs_x86_op *const o = &x->operands[i];
		const char *const base = cs_reg_name(s->handle, o->mem.base);
		const char *const index = cs_reg_name(s->handle, o->mem.index);

		if (o->type != X86_OP_MEM || o->mem.segment == X86_REG_FS)
			continue;
		m->access[m->n++] = (struct happened){
			.address = (uint64_t)o->mem.disp +
				   (o->mem.base == X86_REG_RIP ? r->rip + s->insn->size
							       : named(r, base ? base : "")) +
				   (uint64_t)o->mem.scale * named(r, index ? index : ""),
			.size = o->size};
	}
	if (strncmp(s->insn->mnemonic, "push", 4) == 0 || strcmp(s->insn->mnemonic, "call") == 0)
		m->access[m->n++] = (struct happened){.address = r->rsp - 8, .size = 8};
	if (strncmp(s->insn->mnemonic, "pop", 3) == 0 || strcmp(s->insn->mnemonic, "ret") == 0)
		m->access[m->n++] = (struct happened){.address = r->rsp, .size = 8};
	if (strcmp(s->insn->mnemonic, "leave") == 0)
		m->access[m->n++] = (struct happened){.address = r->rbp, .size = 8};
}

static void note(struct stepped *s, pid_t child, const struct user_regs_struct *r)
{
	struct moment *const m = &s->moment[s->n++];
	const uint64_t values[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->rip, 0, 0, 0, 0, 0, 0, 0, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14,
		r->r15};
	struct iovec to = {m->stack, sizeof m->stack},
		     of = {(void *)(uintptr_t)r->rsp, sizeof m->stack};
	const ssize_t n = process_vm_readv(child, &to, 1, &of, 1, 0);

	memcpy(m->regs.reg, values, sizeof values);
	m->regs.mask = 0xff01ff;
	m->ip = r->rip;
	m->stack_size = n > 0 ? (size_t)n : 0;
	look_at(s, m, r);
}

/* ---- stepping -------------------------------------------------------------------------------- */

static void step_through(struct stepped *s, const struct stepped_work *work)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work->run();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	for (s->n = 0; s->n < STEPS && WIFSTOPPED(status);) {
		struct user_regs_struct r;

		assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
		note(s, child, &r);
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	if (WIFSTOPPED(status)) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
}

/* ---- comparing ------------------------------------------------------------------------------- */

#define PLANS 4096
struct seen {
	struct sd_operand_plan *plan[PLANS];
	unsigned long sampled, with_address, sure, maybe, wrong_sure, wrong_maybe, not_done;
	unsigned long strides, wrong_strides;
	unsigned long memory, resolved; /* of the instruction at the sample and its neighbours */
};

static struct sd_operand_plan *plan_at(struct seen *s, uint64_t ip, int with_start)
{
	struct sd_operand_plan **p = &s->plan[ip % PLANS];
	struct dwarf_eh_bases bases = {0};
	unsigned char code[2 * CODE_BYTES];
	uint64_t from = ip - 512, start = 0;
	const unsigned char *fde;
	size_t size = sizeof code;
	uint32_t length;
	struct iovec to = {code, sizeof code}, of;
	ssize_t n;

	if (*p && (*p)->ip == ip)
		return *p;
	if (with_start && (fde = _Unwind_Find_FDE((void *)(uintptr_t)ip, &bases))) {
		/* behind its length, its CIE and its first address, as GCC makes them here */
		memcpy(&length, fde + 12, sizeof length);
		start = (uintptr_t)bases.func;
		from = ip - start < CODE_BYTES ? start : ip - CODE_BYTES;
		if (start + length - from < size)
			size = start + length - from;
	}
	of = (struct iovec){(void *)(uintptr_t)from, size};
	n = process_vm_readv(getpid(), &to, 1, &of, 1, 0);
	if (!*p)
		*p = malloc(sizeof **p);
	assert_non_null(*p);
	sd_operand_plan_make(
		*p, SD_INSN_DECODE_X86_64, from, code, n > 0 ? (size_t)n : 0, start, ip);
	return *p;
}

static int did(const struct moment *m, const struct sd_operand_access *a)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->access[i].address == a->address && m->access[i].size == a->operand->size)
			return 1;
	return 0;
}

/* Moment at which the access's instruction was executed last before moment i, or next; -1: none. */
static long find(const struct stepped *s, unsigned i, uint64_t ip, int before)
{
	const long step = before ? -1 : 1;

	for (long at = before ? (long)i - 1 : (long)i; at >= 0 && at < (long)s->n; at += step)
		if (s->moment[at].ip == ip) {
			/* the first element of a string */
			while (before && at > 0 && s->moment[at - 1].ip == ip)
				at--;
			return at;
		}
	return -1;
}

/* Did the child stay in the loop from moment i to moment `to`, or in what it calls, and go around
 * it once at most? */
static int stays(const struct stepped *s, const struct sd_operand_plan *p, long i, long to)
{
	const struct moment *const from = &s->moment[i];
	uint64_t way = 0;

	for (long at = i + 1; at <= to; at++) {
		const uint64_t ip = s->moment[at].ip;
		const uint64_t on =
			ip > from->ip ? ip - from->ip : ip - from->ip + (p->loop_end - p->loop);

		if (s->moment[at].regs.reg[7] < from->regs.reg[7])
			continue;
		if (ip < p->loop || ip >= p->loop_end || on <= way)
			return 0;
		way = on;
	}
	return 1;
}

/* The next time around the loop its address is a stride further. */
static void compare_strides(struct seen *c, const struct stepped *s,
	const struct sd_operand_plan *p, const struct sd_operand *o, long at)
{
	const struct moment *const m = &s->moment[at];
	const long to = o->stride ? find(s, (unsigned)at + 1, o->ip, 0) : -1;

	if (to < 0 || m->ip != o->ip || !stays(s, p, at, to))
		return;
	c->strides++;
	c->wrong_strides +=
		(int64_t)(s->moment[to].access[0].address - m->access[0].address) != o->stride;
}

static void compare_at(struct seen *c, const struct stepped *s, unsigned i, int with_start)
{
	const struct moment *const m = &s->moment[i];
	const struct sd_operand_plan *const p = plan_at(c, m->ip, with_start);
	struct sd_operand_access a[SD_OPERANDS];
	const unsigned n = sd_operand_plan_evaluate(p, &m->regs, 0, m->stack, m->stack_size, a);

	c->sampled++;
	c->with_address += n > 0;
	c->memory += p->n;
	c->resolved += n;
	for (unsigned k = 0; k < n; k++) {
		const int before = a[k].before;
		const long at = find(s, i, a[k].operand->ip, before);

		if (at < 0 || (!a[k].sure && !before && !stays(s, p, i, at))) {
			/* the way that is certain is not as long as that */
			c->not_done += a[k].sure && (before ? i > 200 : i + 200 < s->n);
			continue;
		}
		c->sure += a[k].sure;
		c->maybe += !a[k].sure;
		if (did(&s->moment[at], &a[k])) {
			if (s->moment[at].n == 1)
				compare_strides(c, s, p, a[k].operand, at);
			continue;
		}
		c->wrong_sure += a[k].sure;
		c->wrong_maybe += !a[k].sure;
		if (c->wrong_sure + c->wrong_maybe < 10)
			print_message("  at %#llx: %#llx %s %#llx of %u bytes, it was %#llx of %u; "
				      "loop %#llx\n",
				(unsigned long long)m->ip, (unsigned long long)a[k].operand->ip,
				before      ? "did"
				: a[k].sure ? "will do"
					    : "may do",
				(unsigned long long)a[k].address, a[k].operand->size,
				(unsigned long long)s->moment[at].access[0].address,
				s->moment[at].access[0].size, (unsigned long long)p->loop);
	}
}

static void compare(int with_start)
{
	struct stepped s = {.moment = calloc(STEPS, sizeof *s.moment)};
	unsigned long bad = 0;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	/* with checks at each access and calls that never return between them */
	free(s.moment);
	print_message("SKIP: %s: a sanitizer's functions are other code\n", __func__);
	skip();
#endif
	assert_non_null(s.moment);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &s.handle), 0);
	cs_option(s.handle, CS_OPT_DETAIL, CS_OPT_ON);
	s.insn = cs_malloc(s.handle);
	for (const struct stepped_work *w = stepped_works; w->name; w++) {
		struct seen c = {0};

		step_through(&s, w);
		for (unsigned i = 0; i < s.n; i++)
			compare_at(&c, &s, i, with_start);
		print_message(
			"%-12s %5lu instructions, %3.0f %% with an address, %3.0f %% of operands; "
			"sure %lu, wrong %lu, not done %lu; maybe %lu, wrong %lu; strides %lu, wrong %lu\n",
			w->name, c.sampled, 100. * (double)c.with_address / (double)c.sampled,
			100. * (double)c.resolved / (double)c.memory, c.sure, c.wrong_sure,
			c.not_done, c.maybe, c.wrong_maybe, c.strides, c.wrong_strides);
		bad += c.wrong_sure + c.not_done +
		       (with_start ? c.wrong_maybe + c.wrong_strides : 0);
		assert_true(c.sure > 10000);
		for (unsigned i = 0; i < PLANS; i++)
			free(c.plan[i]);
	}
	free(s.moment);
	cs_free(s.insn, 1);
	cs_close(&s.handle);
	assert_int_equal(bad, 0);
}

static void what_is_known_was_done_or_will_be_done(void **state)
{
	(void)state;
	compare(1);
}

/* Boundaries before the sample are guessed then, so that only what is behind it is certain. */
static void what_is_certain_without_the_beginning_of_a_function_will_be_done(void **state)
{
	(void)state;
	compare(0);
}
#else
static void only_one_machine_is_stepped(void **state)
{
	(void)state;
	print_message("SKIP: %s: the steps are compared with x86-64's alone\n", __func__);
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(what_is_known_was_done_or_will_be_done),
		cmocka_unit_test(what_is_certain_without_the_beginning_of_a_function_will_be_done),
#else
		cmocka_unit_test(only_one_machine_is_stepped),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
