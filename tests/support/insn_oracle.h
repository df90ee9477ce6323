/*
 * Capstone as the judge of instruction/insn_decode.h: the same bytes, decoded by both.
 */
#ifndef TESTS_INSN_ORACLE_H
#define TESTS_INSN_ORACLE_H

#include <capstone/capstone.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "instruction/insn_decode.h"

/* One handle a machine; 0 or the number of capstone's error. */
struct insn_oracle {
	csh x86, aarch64;
	cs_insn *insn;
};

static inline int insn_oracle_open(struct insn_oracle *o)
{
	cs_err rc = cs_open(CS_ARCH_X86, CS_MODE_64, &o->x86);

	if (!rc)
		rc = cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &o->aarch64);
	if (!rc)
		rc = cs_option(o->x86, CS_OPT_DETAIL, CS_OPT_ON);
	if (!rc)
		rc = cs_option(o->aarch64, CS_OPT_DETAIL, CS_OPT_ON);
	o->insn = rc ? NULL : cs_malloc(o->x86);
	return (int)rc;
}

static inline void insn_oracle_close(struct insn_oracle *o)
{
	cs_free(o->insn, 1);
	cs_close(&o->x86);
	cs_close(&o->aarch64);
}

static inline int insn_oracle_is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return 1;
	return 0;
}
#define IS_ONE_OF(name, ...) insn_oracle_is_one_of(name, (const char *const[]){__VA_ARGS__, NULL})

/* Answer of capstone, in our terms. */
struct insn_verdict {
	int atomic, modifies, call, ret, indirect, repeats, streams, converts, branch;
	int64_t target;
	int has_memory;
	uint32_t addresses, writes; /* general registers, by number */
	int writes_wrong; /* capstone 4 says that comparing writes, and that cmpxchg does not */
};

/* Bit of a general register by its number, 1 << 0 for rax, eax, ax, al and ah; 0: it is none. */
static inline uint32_t insn_oracle_register(const char *name)
{
	static const char *const low[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	unsigned number;

	if (!name)
		return 0;
	if (name[0] == 'r' && sscanf(name + 1, "%u", &number) == 1)
		return 1u << number;
	for (unsigned i = 0; i < 8; i++) {
		const char *const at = strchr("re", name[0]) ? name + 1 : name;

		if (strcmp(at, low[i]) == 0)
			return 1u << i;
		if (strlen(name) == 2 && i < 4 && name[0] == low[i][0] && strchr("lh", name[1]))
			return 1u << i;
		if (strlen(name) == 3 && i >= 4 && strncmp(name, low[i], 2) == 0 && name[2] == 'l')
			return 1u << i;
	}
	return 0;
}

static inline uint32_t insn_oracle_writes(
	csh handle, const cs_insn *in, uint32_t (*of)(const char *name))
{
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;
	uint32_t mask = 0;

	if (cs_regs_access(handle, in, reads, &n_reads, writes, &n_writes))
		return 0;
	for (int i = 0; i < n_writes; i++)
		mask |= of(cs_reg_name(handle, writes[i]));
	return mask;
}

static inline struct insn_verdict insn_oracle_x86(const struct insn_oracle *o)
{
	const cs_x86 *const x = &o->insn->detail->x86;
	const char *const name = strchr(o->insn->mnemonic, ' ')
					 ? strrchr(o->insn->mnemonic, ' ') + 1
					 : o->insn->mnemonic;
	const int lock = x->prefix[0] == X86_PREFIX_LOCK;
	struct insn_verdict v = {
		.writes = insn_oracle_writes(o->x86, o->insn, insn_oracle_register)};
	const cs_x86_op *memory = NULL;

	for (int i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM)
			memory = &x->operands[i];
	if (memory) {
		v.has_memory = 1;
		if (memory->mem.base)
			v.addresses |= insn_oracle_register(cs_reg_name(o->x86, memory->mem.base));
		if (memory->mem.index)
			v.addresses |= insn_oracle_register(cs_reg_name(o->x86, memory->mem.index));
	}
	v.atomic =
		memory && ((lock && x->operands[0].type == X86_OP_MEM &&
				   IS_ONE_OF(name, "add", "or", "adc", "sbb", "and", "sub", "xor",
					   "inc", "dec", "not", "neg", "bts", "btr", "btc", "xadd",
					   "cmpxchg", "cmpxchg8b", "cmpxchg16b")) ||
				  strcmp(name, "xchg") == 0);
	v.modifies = x->op_count && x->operands[0].type == X86_OP_MEM && !lock &&
		     IS_ONE_OF(name, "add", "or", "adc", "sbb", "and", "sub", "xor", "inc", "dec",
			     "not", "neg");
	v.writes_wrong = IS_ONE_OF(name, "test", "cmpxchg");
	v.call = strcmp(name, "call") == 0;
	v.ret = strcmp(name, "ret") == 0;
	v.indirect = IS_ONE_OF(name, "jmp", "ljmp") && x->operands[0].type != X86_OP_IMM;
	v.repeats = (x->prefix[0] == X86_PREFIX_REP || x->prefix[0] == X86_PREFIX_REPNE) &&
		    x->opcode[0] >= 0xa4 && x->opcode[0] <= 0xaf && x->opcode[0] != 0xa8 &&
		    x->opcode[0] != 0xa9;
	v.streams = strncmp(name, "movnt", 5) == 0 || strncmp(name, "vmovnt", 6) == 0;
	if (strstr(name, "movntdqa")) /* a load */
		v.streams = 0;
	v.converts = IS_ONE_OF(name, "cvtss2sd", "cvtsd2ss", "cvtps2pd", "cvtpd2ps", "vcvtss2sd",
		"vcvtsd2ss", "vcvtps2pd", "vcvtpd2ps", "vcvtpd2psx", "vcvtpd2psy");
	v.branch = x->op_count && x->operands[0].type == X86_OP_IMM && name[0] == 'j' &&
		   !IS_ONE_OF(name, "jrcxz", "jecxz", "jcxz");
	v.target = v.branch ? (int64_t)((uint64_t)x->operands[0].imm - o->insn->address) : 0;
	return v;
}

static inline uint32_t insn_oracle_arm_register(const char *name)
{
	unsigned number;

	if (!name)
		return 0;
	if ((name[0] == 'x' || name[0] == 'w') && sscanf(name + 1, "%u", &number) == 1)
		return 1u << number;
	return strcmp(name, "sp") == 0 || strcmp(name, "wsp") == 0 ? 1u << 31 : 0;
}

static inline struct insn_verdict insn_oracle_arm(const struct insn_oracle *o)
{
	static const char *const atomics[] = {"cas", "swp", "ldadd", "ldclr", "ldeor", "ldset",
		"ldsmax", "ldsmin", "ldumax", "ldumin", "stadd", "stclr", "steor", "stset",
		"stsmax", "stsmin", "stumax", "stumin", "ldxr", "ldaxr", "stxr", "stlxr", "ldxp",
		"ldaxp", "stxp", "stlxp", NULL};
	const cs_arm64 *const a = &o->insn->detail->arm64;
	const char *const name = o->insn->mnemonic;
	struct insn_verdict v = {
		.writes = insn_oracle_writes(o->aarch64, o->insn, insn_oracle_arm_register)};

	for (int i = 0; i < a->op_count; i++) {
		if (a->operands[i].type == ARM64_OP_MEM) {
			v.has_memory = 1;
			v.addresses |= insn_oracle_arm_register(
				cs_reg_name(o->aarch64, a->operands[i].mem.base));
		}
		if (a->operands[i].type == ARM64_OP_IMM)
			v.target = (int64_t)((uint64_t)a->operands[i].imm - o->insn->address);
	}
	for (const char *const *p = atomics; *p; p++)
		v.atomic |= strncmp(name, *p, strlen(*p)) == 0;
	v.writes_wrong = IS_ONE_OF(name, "cmp", "tst");
	v.call = IS_ONE_OF(name, "bl", "blr", "blraa", "blrab", "blraaz", "blrabz");
	v.ret = IS_ONE_OF(name, "ret", "retaa", "retab");
	v.indirect = IS_ONE_OF(name, "br", "braa", "brab", "braaz", "brabz");
	v.converts = IS_ONE_OF(name, "fcvtl", "fcvtl2", "fcvtn", "fcvtn2", "fcvt") &&
		     !strpbrk(o->insn->op_str, "h"); /* half precision is another matter */
	v.branch =
		IS_ONE_OF(name, "b", "cbz", "cbnz", "tbz", "tbnz") || strncmp(name, "b.", 2) == 0;
	return v;
}

/* The property that the two disagree about, or NULL. */
static inline const char *insn_oracle_differ(
	const struct sd_insn_decode *i, const struct insn_verdict *v)
{
	if (i->atomic != (unsigned)v->atomic)
		return "atomic";
	if (i->modifies != (unsigned)v->modifies)
		return "modifies";
	if (i->call != (unsigned)v->call)
		return "call";
	if (i->ret != (unsigned)v->ret)
		return "ret";
	if (i->indirect != (unsigned)v->indirect)
		return "indirect";
	if (i->repeats != (unsigned)v->repeats)
		return "repeats";
	if (i->streams != (unsigned)v->streams)
		return "streams";
	if (i->converts != (unsigned)v->converts)
		return "converts";
	if ((i->kind == SD_INSN_DECODE_BRANCH) != v->branch)
		return "branch";
	if (v->branch && i->target != v->target)
		return "target";
	if (i->kind == SD_INSN_DECODE_UNKNOWN || v->branch)
		return NULL;
	if (i->writes != v->writes && !v->writes_wrong)
		return "writes";
	if (i->kind == SD_INSN_DECODE_LOAD && (!v->has_memory || i->addresses != v->addresses))
		return "addresses";
	return NULL;
}

/* The prefixes of what was decoded: of legacy ones a bit each in the order of this list,
 * then REX. */
static const char insn_oracle_prefixes[] = "\x66\x67\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65";
enum { HAS_66 = 1, HAS_67 = 2, HAS_LOCK = 4, HAS_F2 = 8, HAS_F3 = 16, HAS_REX = 1 << 11 };

static inline unsigned insn_oracle_prefixes_of(const struct insn_oracle *o, const uint8_t **opcode)
{
	unsigned has = 0;

	for (*opcode = o->insn->bytes;; (*opcode)++) {
		const char *const at =
			**opcode ? strchr(insn_oracle_prefixes, (char)**opcode) : NULL;

		if (!at && **opcode >> 4 != 4)
			return has;
		has |= at ? 1u << (at - insn_oracle_prefixes) : HAS_REX;
	}
}

/*
 * Cases not to compare. insn_decode.h leaves out: branches with 66, which Intel's and AMD's
 * cores take differently; VEX behind prefixes that it forbids; XOP; SSE4a's bit fields; VIA's
 * ciphers. Capstone 4.0.2
 * takes a pushed constant behind 66 and f2 or f3 for a long one, loses a lock prefix before another
 * of its group, the repetition of movs by f2, half of a branch's offset behind 66 or 67, the
 * operands of ud0 and ud1, and takes f3 90 with a REX prefix for an exchange.
 */
static inline int insn_oracle_cannot_tell(
	const struct insn_oracle *o, const struct sd_insn_decode *i)
{
	const uint8_t *op;
	const unsigned has = insn_oracle_prefixes_of(o, &op);
	const int near = (*op & 0xf0) == 0x70 || (*op >= 0xe0 && *op <= 0xe3) || *op == 0xe8 ||
			 *op == 0xe9 || *op == 0xeb || *op == 0xc7 || *op == 0xc2 ||
			 (*op == 0x0f && op[1] >> 4 == 8);

	if (*op == 0x0f && (op[1] == 0xff || op[1] == 0xb9))
		return 1;
	if (!i->length)
		return (has & HAS_66 && near) || *op == 0x8f ||
		       (*op == 0x0f && (op[1] == 0x78 || op[1] == 0xa6 || op[1] == 0xa7)) ||
		       (has & (HAS_66 | HAS_LOCK | HAS_F2 | HAS_F3 | HAS_REX) &&
			       (*op == 0xc4 || *op == 0xc5 || *op == 0x62));
	return (has & HAS_LOCK && has & (HAS_F2 | HAS_F3)) || (near && has & (HAS_66 | HAS_67)) ||
	       (has & HAS_F2 && *op >= 0xa4 && *op <= 0xaf) || (has & HAS_REX && *op == 0x90) ||
	       (has & HAS_66 && has & (HAS_F2 | HAS_F3) && *op == 0x68);
}

/*
 * Decodes the instruction at `code` of n bytes by both, and describes a difference in why[size]; 0
 * they agree, or capstone does not know these bytes. *length becomes what capstone makes of it, 0
 * if nothing.
 */
static inline int insn_oracle_disagrees(struct insn_oracle *o, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, char *why, size_t size, size_t *length)
{
	const csh handle = machine == SD_INSN_DECODE_X86_64 ? o->x86 : o->aarch64;
	const struct sd_insn_decode i = sd_insn_decode_at(machine, code, n);
	const uint8_t *at = code;
	uint64_t address = 0x100000;
	size_t left = n;
	struct insn_verdict v;
	const char *what;

	*length = 0;
	if (!cs_disasm_iter(handle, &at, &left, &address, o->insn))
		return 0;
	*length = o->insn->size;
	v = machine == SD_INSN_DECODE_X86_64 ? insn_oracle_x86(o) : insn_oracle_arm(o);
	what = i.length != o->insn->size ? "length" : insn_oracle_differ(&i, &v);
	if (!what || (machine == SD_INSN_DECODE_X86_64 && insn_oracle_cannot_tell(o, &i)))
		return 0;
	snprintf(why, size, "%s: %s %s (%u bytes, ours %zu, kind %d):", what, o->insn->mnemonic,
		o->insn->op_str, o->insn->size, i.length, (int)i.kind);
	for (size_t k = 0; k < n && k < 15; k++)
		snprintf(why + strlen(why), size - strlen(why), " %02x", code[k]);
	return 1;
}

#endif
