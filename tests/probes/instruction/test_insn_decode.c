#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "instruction/insn_decode.h"
#include "support/insn_oracle.h"

#define X SD_INSN_DECODE_X86_64
#define A SD_INSN_DECODE_AARCH64
#define CODE(...) {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})

static const struct row {
	enum sd_insn_decode_machine machine;
	const char *what;
	unsigned char code[24];
	size_t n, ip;
	int is;
} rows[] = {
	{X, "lock addq $1,(%rdi), at it", CODE(0xf0, 0x48, 0x83, 7, 1, 0xc3), 0, 1},
	{X, "behind it", CODE(0xf0, 0x48, 0x83, 7, 1, 0xc3), 5, 1},
	{X, "one further", CODE(0xf0, 0x48, 0x83, 7, 1, 0x90, 0xc3), 6, 0},
	{X, "lock xadd %eax,0x40(%rdi)", CODE(0xf0, 0x0f, 0xc1, 0x47, 0x40, 0x01, 0xc3), 5, 1},
	{X, "lock cmpxchg %edx,(%rdi)", CODE(0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf7), 4, 1},
	{X, "lock cmpxchg16b (%rsi)", CODE(0xf0, 0x48, 0x0f, 0xc7, 0x0e, 0x90), 5, 1},
	{X, "lock addl $0x12345,counter(%rip)",
		CODE(0xf0, 0x81, 5, 0, 1, 0, 0, 0x45, 0x23, 1, 0, 0xc3), 11, 1},
	{X, "lock addw $0x123,(%rdi)", CODE(0xf0, 0x66, 0x81, 7, 0x23, 1, 0xc3), 6, 1},
	{X, "lock decl (%rax,%rcx,4)", CODE(0xf0, 0xff, 0x0c, 0x88, 0xc3), 4, 1},
	{X, "lock and %rax,%fs:0x10", CODE(0xf0, 0x64, 0x48, 0x21, 4, 0x25, 0x10, 0, 0, 0), 10, 1},
	{X, "xchg %eax,(%rdi), at it", CODE(0x87, 7, 0x85, 0xc0), 0, 1},
	{X, "mov $1,%eax; xchg %al,(%rdi); test %al,%al, behind it",
		CODE(0xb8, 1, 0, 0, 0, 0x86, 7, 0x84, 0xc0), 7, 1},
	{X, "xchg %rax,%rdi", CODE(0x48, 0x90, 0x48, 0x97, 0xc3), 2, 0},
	{X, "its bytes as another's constant: mov $0x7860000,%eax; nop; ret",
		CODE(0x90, 0x90, 0xb8, 0, 0, 0x86, 7, 0x90, 0xc3), 7, 0},
	{X, "with nothing before it that leads there", CODE(0x86, 7, 0x84, 0xc0), 2, 0},
	{X, "addq $1,(%rdi)", CODE(0x48, 0x83, 7, 1, 0xc3), 4, 0},
	{X, "lock before what it may not be: mov", CODE(0xf0, 0x48, 0x89, 7, 0xc3), 4, 0},
	{X, "of a register", CODE(0xf0, 0x48, 0x83, 0xc7, 1, 0xc3), 5, 0},
	{X, "0xf0 as another's constant: add $0xf0,%al; nop; nop", CODE(4, 0xf0, 0x90, 0x90), 4, 0},
	{X, "cut off", CODE(0xf0, 0x48, 0x83), 0, 0},
	{X, "a prefix alone", CODE(0xf0), 0, 0},
	{X, "nothing", {0}, 0, 0, 0},
	{A, "ldadd x0,x1,[x2], at it", CODE(0x41, 0, 0x20, 0xf8), 0, 1},
	{A, "behind it", CODE(0x41, 0, 0x20, 0xf8, 0xc0, 3, 0x5f, 0xd6), 4, 1},
	{A, "casal w0,w1,[x2]", CODE(0x41, 0xfc, 0xe0, 0x88), 0, 1},
	{A, "ldaxr w0,[x1]", CODE(0x20, 0xfc, 0x5f, 0x88), 0, 1},
	{A, "stxr w2,w3,[x1]", CODE(0x23, 0x7c, 2, 0x88), 0, 1},
	{A, "ldar w0,[x1]", CODE(0x20, 0xfc, 0xdf, 0x88), 0, 0},
	{A, "ldr w0,[x1]", CODE(0x20, 0, 0x40, 0xb9), 0, 0},
	{A, "ldr x0,[x1,x2]", CODE(0x20, 0x68, 0x62, 0xf8), 0, 0},
	{A, "cut off", CODE(0x41, 0, 0x20), 0, 0},
	{SD_INSN_DECODE_OTHER, "another machine", CODE(0xf0, 0x48, 0x83, 7, 1), 0, 0},
};

static void an_atomic_instruction_is_seen_at_it_and_behind_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *const r = &rows[i];

		if (sd_insn_decode_is_atomic(r->machine, r->code, r->n, r->ip) != r->is)
			fail_msg("%s: not %d", r->what, r->is);
	}
}

/* Bytes behind the last one change no answer. */
static void any_bytes_are_read_within_their_length(void **state)
{
	unsigned char code[2][36];
	uint32_t x = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		const size_t n = i % 21;

		for (size_t k = 0; k < sizeof code[0]; k++) {
			x = x * 1664525 + 1013904223;
			code[0][k] = x >> 28 ? (unsigned char)(x >> 16) : 0xf0;
			code[1][k] = k < n ? code[0][k] : (unsigned char)~code[0][k];
		}
		for (size_t ip = 0; ip <= n + 1; ip++) {
			assert_int_equal(sd_insn_decode_is_atomic(X, code[0], n, ip),
				sd_insn_decode_is_atomic(X, code[1], n, ip));
			assert_int_equal(sd_insn_decode_is_atomic(A, code[0], n, ip),
				sd_insn_decode_is_atomic(A, code[1], n, ip));
		}
	}
}

/* An access for which an emulator may call a function is not direct. */
static void accesses_by_functions_are_told_from_others(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		unsigned direct;
	} accesses[] = {
#define D(b, is) {b, sizeof b - 1, is}
		D("\x48\x8b\x07", 1),             /* mov (%rdi),%rax */
		D("\x48\x01\x07", 1),             /* add %rax,(%rdi) */
		D("\xc3", 1),                     /* ret */
		D("\xff\x10", 1),                 /* call *(%rax) */
		D("\xf3\x0f\x6f\x06", 1),         /* movdqu (%rsi),%xmm0 */
		D("\xc5\xfd\x7f\x07", 1),         /* vmovdqa %ymm0,(%rdi) */
		D("\xf0\x48\x0f\xc1\x07", 0),     /* lock xadd %rax,(%rdi) */
		D("\xf0\x48\x01\x07", 0),         /* lock add %rax,(%rdi) */
		D("\x48\x87\x07", 0),             /* xchg %rax,(%rdi) */
		D("\xdb\x2f", 0),                 /* fldt (%rdi) */
		D("\x0f\xae\x07", 0),             /* fxsave (%rdi) */
		D("\x48\x0f\xc7\x0f", 0),         /* cmpxchg16b (%rdi) */
		D("\x66\x0f\xf7\xc1", 0),         /* maskmovdqu %xmm1,%xmm0 */
		D("\xc4\xe2\x7d\x2e\x07", 0),     /* vmaskmovps */
		D("\xc4\xe2\x71\x92\x04\x07", 0), /* vgatherdps: its index is a vector */
		D("\xf3\x48\xa5", 0),             /* rep movsq */
#undef D
	};

	(void)state;
	for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
		if (sd_insn_decode_at(SD_INSN_DECODE_X86_64,
			    (const unsigned char *)accesses[i].bytes, accesses[i].n)
				.direct != accesses[i].direct)
			fail_msg("row %zu: not %u", i, accesses[i].direct);
}

/* Every question of the cache model is answered. */
static void what_an_instruction_does_is_told(void **state)
{
	static const struct {
		enum sd_insn_decode_machine machine;
		const char *bytes;
		size_t n;
		struct sd_insn_decode d;
	} told[] = {
#undef X
#undef A
#define X(b, ...)                                       \
	{                                               \
		SD_INSN_DECODE_X86_64, b, sizeof b - 1, \
		{                                       \
			__VA_ARGS__                     \
		}                                       \
	}
#define A(b, ...)                                        \
	{                                                \
		SD_INSN_DECODE_AARCH64, b, sizeof b - 1, \
		{                                        \
			__VA_ARGS__                      \
		}                                        \
	}
		X("\xf0\x48\x0f\xc1\x07", .atomic = 1), /* lock xadd %rax,(%rdi) */
		X("\x66\xf0\x83\x07\x01", .atomic = 1), /* prefixes in another order */
		X("\x48\x87\x07", .atomic = 1),         /* xchg %rax,(%rdi) */
		X("\x48\x87\xc3", .length = 0),         /* xchg %rax,%rbx */
		X("\x83\x07\x01", .modifies = 1),       /* addl $1,(%rdi) */
		X("\x83\x3f\x01", .length = 0),         /* cmpl $1,(%rdi) */
		X("\x48\x01\x07", .modifies = 1),       /* add %rax,(%rdi) */
		X("\x48\x39\x07", .length = 0),         /* cmp %rax,(%rdi) */
		X("\x48\x03\x07", .length = 0),         /* add (%rdi),%rax */
		X("\x48\x01\xc7", .length = 0),         /* add %rax,%rdi */
		X("\x48\xff\x07", .modifies = 1),       /* incq (%rdi) */
		X("\xff\x37", .length = 0),             /* push (%rdi) */
		X("\xf7\x1f", .modifies = 1),           /* negl (%rdi) */
		X("\xf7\x27", .length = 0),             /* mull (%rdi) */
		X("\xd3\x27", .length = 0),             /* shll %cl,(%rdi) */
		X("\xe8\x01\x02\x03\x04", .call = 1), X("\xff\x10", .call = 1), /* call *(%rax) */
		X("\xff\x20", .indirect = 1),                                   /* jmp *(%rax) */
		X("\xeb\xf0", .always = 1, .target = -14),                      /* jmp */
		X("\xe9\x00\x01\x00\x00", .always = 1, .target = 0x105),        /* jmp */
		X("\xf2\xe9\x00\x01\x00\x00", .always = 1, .target = 0x106),    /* bnd jmp */
		X("\x75\xf0", .length = 0),                                     /* jne */
		X("\xc3", .ret = 1), X("\xf3\xc3", .ret = 1),
		X("\xf3\x48\xa5", .repeats = 1),                            /* rep movsq */
		X("\xa4", .length = 0), X("\xf3\x0f\x6f\x06", .length = 0), /* movdqu */
		X("\x66\x0f\xe7\x07", .streams = 1),         /* movntdq %xmm0,(%rdi) */
		X("\x66\x44\x0f\x2b\x07", .streams = 1),     /* movntpd %xmm8,(%rdi) */
		X("\x0f\x2b\x07", .streams = 1),             /* movntps %xmm0,(%rdi) */
		X("\x48\x0f\xc3\x07", .streams = 1),         /* movnti %rax,(%rdi) */
		X("\xc5\xfd\xe7\x07", .streams = 1),         /* vmovntdq %ymm0,(%rdi) */
		X("\xc4\x41\x7d\x2b\x07", .streams = 1),     /* vmovntpd %ymm8,(%r15) */
		X("\x62\xf1\x7d\x48\xe7\x07", .streams = 1), /* vmovntdq %zmm0,(%rdi) */
		X("\xc4\x42\x7d\x2b\x07", .length = 0),      /* map 2 */
		X("\x66\x0f\x2b\xc0", .length = 0),          /* no memory */
		X("\x66\x0f\x7f\x07", .length = 0),          /* movdqa %xmm0,(%rdi) */
		X("\xc5\xfd\x7f\x07", .length = 0),          /* vmovdqa %ymm0,(%rdi) */
		X("\xf3\x0f\x5a\xc0", .converts = 1),        /* cvtss2sd %xmm0,%xmm0 */
		X("\x0f\x5a\x07", .converts = 1),            /* cvtps2pd (%rdi),%xmm0 */
		X("\xc5\xfd\x5a\xc0", .converts = 1),        /* vcvtpd2ps %ymm0,%xmm0 */
		X("\xf2\x0f\x58\xc0", .length = 0),          /* addsd %xmm0,%xmm0 */
		A("\x20\xc0\x22\x1e", .converts = 1),        /* fcvt d0, s1 */
		A("\x20\x68\x61\x4e", .converts = 1),        /* fcvtn2 v0.4s, v1.2d */
		X("\xf0", .length = 0),                      /* cut off */
		A("\x20\xfc\x5f\x88", .atomic = 1),          /* ldaxr w0, [x1] */
		A("\x20\x7c\x02\x88", .atomic = 1),          /* stxr w2, w0, [x1] */
		A("\x20\xfc\xdf\x88", .length = 0),          /* ldar w0, [x1] */
		A("\x20\xfc\xa2\x88", .atomic = 1),          /* casl w2, w0, [x1] */
		A("\x22\x00\x20\xb8", .atomic = 1),          /* ldadd w0, w2, [x1] */
		A("\x20\x00\x40\xb9", .length = 0),          /* ldr w0, [x1] */
		A("\x04\x00\x00\x94", .call = 1),            /* bl */
		A("\xc0\x03\x5f\xd6", .ret = 1), A("\x00\x02\x1f\xd6", .indirect = 1), /* br x16 */
		A("\x04\x00\x00\x14", .always = 1, .target = 16),                      /* b */
		A("\xff\xff\xff\x17", .always = 1, .target = -4),                      /* b */
		X("\x66\x48\xe8\x01\x02\x03\x04", .call = 1), /* of thread-local storage */
		A("\x20\xc0\xbf\xb8", .length = 0),           /* ldapr w0, [x1] */
		A("\x20\xfc\xe2\x88", .atomic = 1),           /* casal w2, w0, [x1] */
		A("\x3f\x08\x3f\xd6", .call = 1),             /* blraaz x1 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		const struct sd_insn_decode *const want = &told[i].d,
						   d = sd_insn_decode_at(told[i].machine,
							   (const unsigned char *)told[i].bytes,
							   told[i].n);

		if (d.atomic != want->atomic || d.modifies != want->modifies ||
			d.call != want->call || d.ret != want->ret ||
			d.indirect != want->indirect || d.repeats != want->repeats ||
			d.streams != want->streams || d.converts != want->converts ||
			d.always != want->always || (d.always && d.target != want->target))
			fail_msg("row %zu", i);
	}
}

/* An address behind a call can be returned to. */
static void a_call_that_ends_is_seen(void **state)
{
	static const struct {
		enum sd_insn_decode_machine machine;
		const char *bytes;
		size_t n;
		int ends;
	} call[] = {
#undef X
#undef A
#define X(b, ends) {SD_INSN_DECODE_X86_64, b, sizeof b - 1, ends}
#define A(b, ends)                                            \
	{                                                     \
		SD_INSN_DECODE_AARCH64, b, sizeof b - 1, ends \
	}
		X("\xe8\x01\x02\x03\x04", 1),
		X("\x90\x90\xff\xd0", 1), /* call; call *%rax */
		X("\x90\x41\xff\xd3", 1),
		X("\xff\x15\x01\x02\x03\x04", 1), /* *%r11; *g(%rip) */
		X("\xff\x54\xc3\x08", 1),
		X("\xff\xe0\x90", 0), /* call *8(%rbx,%rax,8); jmp *%rax */
		X("\x90\x90\x90\x90", 0),
		X("", 0),
		A("\x04\x00\x00\x94", 1), /* bl */
		A("\x00\x00\x3f\xd6", 1),
		A("\x04\x00\x00\x14", 0),
		A("\x00\x3f\xd6", 0),
	};

	(void)state;
	for (size_t i = 0; i < sizeof call / sizeof *call; i++)
		if (sd_insn_decode_ends_call(call[i].machine, (const unsigned char *)call[i].bytes,
			    call[i].n) != call[i].ends)
			fail_msg("row %zu", i);
}

static void random_bytes_are_what_capstone_says(void **state)
{
	enum { ROUNDS = 100000 };
	struct insn_oracle o;
	uint64_t x = 1;
	long known[SD_INSN_DECODE_AARCH64 + 1] = {0};

	(void)state;
	assert_int_equal(insn_oracle_open(&o), 0);
	for (int k = 0; k < ROUNDS; k++) {
		unsigned char code[16];
		char why[300];
		size_t length;

		for (size_t i = 0; i < sizeof code; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			code[i] = (unsigned char)(x >> 56);
		}
		for (int m = SD_INSN_DECODE_X86_64; m <= SD_INSN_DECODE_AARCH64; m++) {
			if (insn_oracle_disagrees(&o, (enum sd_insn_decode_machine)m, code,
				    sizeof code, why, sizeof why, &length))
				fail_msg("%s", why);
			known[m] += length > 0;
		}
	}
	insn_oracle_close(&o);
	assert_true(known[SD_INSN_DECODE_X86_64] > ROUNDS / 2);
	assert_true(known[SD_INSN_DECODE_AARCH64] > ROUNDS / 8);
}

struct sweep {
	struct insn_oracle oracle;
	long known;
};

/* The code of this program and of its libraries, one instruction after the other. */
static int sweep_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sweep *const s = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
		const unsigned char *const code =
			(const unsigned char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || !*info->dlpi_name)
			continue;
		for (size_t at = 0, length; at < p->p_memsz; at += length) {
			char why[300];

			if (insn_oracle_disagrees(&s->oracle, sd_insn_decode_here(), code + at,
				    p->p_memsz - at, why, sizeof why, &length))
				fail_msg("%s + %zx: %s", info->dlpi_name, at, why);
			s->known += length > 0;
			if (length == 0)
				length = sd_insn_decode_here() == SD_INSN_DECODE_AARCH64 ? 4 : 1;
		}
	}
	return 0;
}

static void the_c_library_is_what_capstone_says(void **state)
{
	struct sweep s = {.known = 0};

	(void)state;
	assert_int_equal(insn_oracle_open(&s.oracle), 0);
	dl_iterate_phdr(sweep_object, &s);
	insn_oracle_close(&s.oracle);
	assert_true(s.known > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_atomic_instruction_is_seen_at_it_and_behind_it),
		cmocka_unit_test(any_bytes_are_read_within_their_length),
		cmocka_unit_test(what_an_instruction_does_is_told),
		cmocka_unit_test(accesses_by_functions_are_told_from_others),
		cmocka_unit_test(a_call_that_ends_is_seen),
		cmocka_unit_test(random_bytes_are_what_capstone_says),
		cmocka_unit_test(the_c_library_is_what_capstone_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
