#include <string.h>

#include "instruction/insn_machines.h"

/* The register that is written; OPCODE: the one that the opcode names. */
enum operand { NOTHING, REG, RM, OPCODE, RAX };

/* Sources of the written or exchanged value. ADDRESS: the registers of the address. */
enum { OF_REG = 1, OF_RM = 2, OF_ADDRESS = 4, OF_RAX = 8 };

#define ANY 0xff
#define GROUP(n) (1u << (n))

/* Instructions of loops that wait: of registers, and with an operand in memory. Opcodes from
 * `first` to `last` whose ModRM byte has one of `groups` (bit by /r). Everything else is work. */
static const struct rule {
	unsigned char map, first, last, groups, of_registers, with_memory, writes, made_of;
} rules[] = {
#define K(kind) SD_INSN_DECODE_##kind
	{0, 0x38, 0x3b, ANY, K(PLAIN), K(LOAD), NOTHING, 0}, /* cmp */
	{0, 0x3c, 0x3d, ANY, K(PLAIN), K(UNKNOWN), NOTHING, 0},
	{0, 0x63, 0x63, ANY, K(PLAIN), K(LOAD), REG, OF_RM}, /* movsxd */
	{0, 0x70, 0x7f, ANY, K(BRANCH), K(UNKNOWN), NOTHING, 0},
	{0, 0x80, 0x83, GROUP(7), K(PLAIN), K(LOAD), NOTHING, 0},              /* cmp */
	{0, 0x80, 0x83, GROUP(0) | GROUP(5), K(COUNT), K(UNKNOWN), RM, OF_RM}, /* add, sub */
	{0, 0x80, 0x83, GROUP(4), K(DERIVE), K(UNKNOWN), RM, OF_RM},           /* and */
	{0, 0x84, 0x85, ANY, K(PLAIN), K(LOAD), NOTHING, 0},                   /* test */
	{0, 0x86, 0x87, ANY, K(UNKNOWN), K(EXCHANGE), REG, OF_REG},            /* xchg */
	{0, 0x88, 0x89, ANY, K(PLAIN), K(UNKNOWN), RM, OF_REG},                /* mov */
	{0, 0x8a, 0x8b, ANY, K(PLAIN), K(LOAD), REG, OF_RM},                   /* mov */
	{0, 0x8d, 0x8d, ANY, K(UNKNOWN), K(DERIVE), REG, OF_ADDRESS},          /* lea */
	{0, 0x90, 0x90, ANY, K(PLAIN), K(UNKNOWN), NOTHING, 0},                /* nop */
	{0, 0x98, 0x98, ANY, K(DERIVE), K(UNKNOWN), RAX, OF_RAX},              /* cltq */
	{0, 0xa8, 0xa8, ANY, K(PLAIN), K(UNKNOWN), NOTHING, 0},                /* test */
	{0, 0xb8, 0xbf, ANY, K(PLAIN), K(UNKNOWN), OPCODE, 0},                 /* mov */
	{0, 0xe9, 0xe9, ANY, K(BRANCH), K(UNKNOWN), NOTHING, 0},               /* jmp */
	{0, 0xeb, 0xeb, ANY, K(BRANCH), K(UNKNOWN), NOTHING, 0},               /* jmp */
	{0, 0xf6, 0xf6, GROUP(0), K(PLAIN), K(LOAD), NOTHING, 0},              /* test */
	{0, 0xff, 0xff, GROUP(0) | GROUP(1), K(COUNT), K(UNKNOWN), RM, OF_RM}, /* inc, dec */
	{1, 0x1e, 0x1f, ANY, K(PLAIN), K(PLAIN), NOTHING, 0},                  /* nop, endbr64 */
	{1, 0x80, 0x8f, ANY, K(BRANCH), K(UNKNOWN), NOTHING, 0},
	{1, 0x90, 0x9f, ANY, K(PLAIN), K(UNKNOWN), RM, 0},                /* setcc */
	{1, 0xaf, 0xaf, ANY, K(DERIVE), K(UNKNOWN), REG, OF_REG | OF_RM}, /* imul */
	{1, 0xb0, 0xb1, ANY, K(UNKNOWN), K(EXCHANGE), RAX, OF_REG},       /* cmpxchg */
	{1, 0xb6, 0xb7, ANY, K(PLAIN), K(LOAD), REG, OF_RM},              /* movzx */
	{1, 0xbe, 0xbf, ANY, K(PLAIN), K(LOAD), REG, OF_RM},              /* movsx */
#undef K
};

/* Instructions that load, change and store the same bytes of memory (SDM volume 2, LOCK). */
enum effect { EFFECT_NONE, EFFECT_MODIFIES, EFFECT_LOCKABLE, EFFECT_ATOMIC };
static const struct {
	unsigned char map, first, last, groups, effect;
} effects[] = {
	/* add, or, adc, sbb, and, sub, xor; not cmp */
	{0, 0x80, 0x83, ANY & ~GROUP(7), EFFECT_MODIFIES},
	{0, 0xf6, 0xf7, GROUP(2) | GROUP(3), EFFECT_MODIFIES}, /* not, neg */
	{0, 0xfe, 0xff, GROUP(0) | GROUP(1), EFFECT_MODIFIES}, /* inc, dec */
	/* These store depending on values, whether or where: not of interest without a lock. */
	{1, 0xab, 0xab, ANY, EFFECT_LOCKABLE}, /* bts */
	{1, 0xb0, 0xb1, ANY, EFFECT_LOCKABLE}, /* cmpxchg */
	{1, 0xb3, 0xb3, ANY, EFFECT_LOCKABLE}, /* btr */
	{1, 0xba, 0xba, GROUP(5) | GROUP(6) | GROUP(7), EFFECT_LOCKABLE},
	{1, 0xbb, 0xbb, ANY, EFFECT_LOCKABLE},      /* btc */
	{1, 0xc0, 0xc1, ANY, EFFECT_LOCKABLE},      /* xadd */
	{1, 0xc7, 0xc7, GROUP(1), EFFECT_LOCKABLE}, /* cmpxchg8b, cmpxchg16b */
	{0, 0x86, 0x87, ANY, EFFECT_ATOMIC},        /* xchg, with lock or without */
};

static unsigned group_of(const struct sd_insn_x86 *x)
{
	return x->modrm ? GROUP(x->code[x->modrm] >> 3 & 7) : ANY;
}

static enum effect effect_of(const struct sd_insn_x86 *x)
{
	if (!sd_insn_x86_has_memory(x) || x->vex)
		return EFFECT_NONE;
	if (x->map == 0 && x->op < 0x38 && (x->op & 7) < 2) /* add and so on, of a register */
		return EFFECT_MODIFIES;
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (effects[i].map == x->map && x->op >= effects[i].first &&
			x->op <= effects[i].last && effects[i].groups & group_of(x))
			return (enum effect)effects[i].effect;
	return EFFECT_NONE;
}

static unsigned number(unsigned low, unsigned high_bit)
{
	return low | (high_bit ? 8 : 0);
}

/* The registers that the memory operand's address is made of. */
static uint32_t address_of(const struct sd_insn_x86 *x)
{
	const unsigned char *const p = x->code + x->modrm;
	const unsigned mod = p[0] >> 6, rm = p[0] & 7;
	uint32_t mask = 0;

	if (!sd_insn_x86_has_memory(x) || (rm == 5 && mod == 0)) /* relative to the instruction */
		return 0;
	if (rm != 4)
		return 1u << number(rm, x->rex & 1);
	if (!((p[1] & 7) == 5 && mod == 0))
		mask |= 1u << number(p[1] & 7, x->rex & 1);
	if ((p[1] >> 3 & 7) != 4 || x->rex & 2)
		mask |= 1u << number(p[1] >> 3 & 7, x->rex & 2);
	return mask;
}

/* Without REX the bytes 4 to 7 are the second ones of the registers 0 to 3: ah, ch, dh, bh. */
static uint32_t mask_of(const struct sd_insn_x86 *x, unsigned register_number, int is_byte)
{
	return 1u << (is_byte && !x->rex && register_number >= 4 ? register_number - 4
								 : register_number);
}

static uint32_t reg_of(const struct sd_insn_x86 *x)
{
	const int is_byte = x->map == 0 ? !(x->op & 1) && x->op != 0x63 : x->op == 0xb0;

	return mask_of(x, number(x->code[x->modrm] >> 3 & 7, x->rex & 4), is_byte);
}

static uint32_t rm_of(const struct sd_insn_x86 *x)
{
	const int is_byte = x->map == 0 ? !(x->op & 1)
					: (x->op & 0xf0) == 0x90 || x->op == 0xb6 || x->op == 0xbe;

	if (sd_insn_x86_has_memory(x))
		return 0;
	return mask_of(x, number(x->code[x->modrm] & 7, x->rex & 1), is_byte);
}

static const struct rule *rule_of(const struct sd_insn_x86 *x)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules && !x->vex; i++)
		if (rules[i].map == x->map && x->op >= rules[i].first && x->op <= rules[i].last &&
			rules[i].groups & group_of(x))
			return &rules[i];
	return NULL;
}

static void take_registers(
	const struct sd_insn_x86 *x, const struct rule *r, struct sd_insn_decode *i)
{
	switch ((enum operand)r->writes) {
	case NOTHING:
		break;
	case REG:
		i->writes = reg_of(x);
		break;
	case RM:
		i->writes = rm_of(x);
		break;
	case OPCODE:
		i->writes = 1u << number(x->op & 7, x->rex & 1);
		break;
	case RAX:
		i->writes = 1;
		break;
	}
	if (i->kind != SD_INSN_DECODE_PLAIN || r->writes != NOTHING) /* a nop's address is none */
		i->addresses = x->modrm ? address_of(x) : 0;
	if (r->made_of & OF_REG)
		i->reads |= reg_of(x);
	if (r->made_of & OF_RM)
		i->reads |= rm_of(x);
	if (r->made_of & OF_RAX)
		i->reads |= 1;
	if (r->made_of & OF_ADDRESS) {
		i->reads |= i->addresses;
		i->addresses = 0;
	}
}

/* xor of a register with itself: 0, made of nothing. */
static int is_zeroing(const struct sd_insn_x86 *x)
{
	return x->map == 0 && (x->op == 0x31 || x->op == 0x33) && !sd_insn_x86_has_memory(x) &&
	       reg_of(x) == rm_of(x);
}

/* Opcodes whose accesses are loads and stores of at most a vector: no lock, no mask, no state of a
 * coprocessor, no loop. */
static int is_direct(const struct sd_insn_x86 *x)
{
	static const unsigned char direct[][3] = {{0, 0x00, 0x3f}, {0, 0x50, 0x5f}, {0, 0x63, 0x63},
		{0, 0x68, 0x6b}, {0, 0x70, 0x85}, {0, 0x88, 0x8b}, {0, 0x8d, 0x8d}, {0, 0x98, 0x99},
		{0, 0xa8, 0xa9}, {0, 0xb0, 0xc3}, {0, 0xc6, 0xc7}, {0, 0xc9, 0xc9}, {0, 0xd0, 0xd3},
		{0, 0xe8, 0xe9}, {0, 0xeb, 0xeb}, {0, 0xfe, 0xff}, {1, 0x10, 0x17}, {1, 0x28, 0x2f},
		{1, 0x40, 0x4f}, {1, 0x51, 0x76}, {1, 0x7e, 0x9f}, {1, 0xaf, 0xaf}, {1, 0xb6, 0xb7},
		{1, 0xbe, 0xbf}, {1, 0xc2, 0xc2}, {1, 0xc6, 0xc6}, {1, 0xd1, 0xef}, {1, 0xf1, 0xf6},
		{1, 0xf8, 0xfe}};

	for (size_t i = 0; i < sizeof direct / sizeof *direct && !x->lock; i++)
		if (direct[i][0] == x->map && x->op >= direct[i][1] && x->op <= direct[i][2])
			return 1;
	return 0;
}

static void take_branch(const struct sd_insn_x86 *x, struct sd_insn_decode *i)
{
	const unsigned char *const p = x->code + x->constant;
	int32_t far;

	i->always = x->map == 0 && x->op >= 0xe0;
	if (x->length - x->constant == 4) {
		memcpy(&far, p, 4);
		i->target = far;
	} else {
		i->target = (long)(int8_t)*p;
	}
	i->target += (long)x->length;
}

static void take_kind(const struct sd_insn_x86 *x, struct sd_insn_decode *i)
{
	const struct rule *const r = rule_of(x);

	if (is_zeroing(x)) {
		i->kind = SD_INSN_DECODE_PLAIN;
		i->writes = rm_of(x);
	}
	if (!r || (x->lock && !i->atomic))
		return;
	i->kind = (enum sd_insn_decode_kind)(
		sd_insn_x86_has_memory(x) ? r->with_memory : r->of_registers);
	if (x->map == 0 && x->op == 0x90) { /* with REX.B an exchange of r8 */
		i->kind = x->rex & 1 ? SD_INSN_DECODE_UNKNOWN
			  : x->rep   ? SD_INSN_DECODE_PAUSE
				     : SD_INSN_DECODE_PLAIN;
	} else if ((x->map == 1 && x->op == 0x1e && x->rep && x->code[x->modrm] != 0xfa) ||
		   (i->kind == SD_INSN_DECODE_EXCHANGE && !i->atomic)) {
		i->kind = SD_INSN_DECODE_UNKNOWN; /* the first is rdssp, which writes a register */
	}
	if (i->kind == SD_INSN_DECODE_BRANCH)
		take_branch(x, i);
	else if (i->kind != SD_INSN_DECODE_UNKNOWN)
		take_registers(x, r, i);
}

struct sd_insn_decode sd_insn_x86_at(const unsigned char *code, size_t n)
{
	struct sd_insn_decode i = {.kind = SD_INSN_DECODE_UNKNOWN};
	struct sd_insn_x86 x;
	enum effect effect;
	unsigned group;

	if (sd_insn_x86_parse(&x, code, n))
		return i;
	effect = effect_of(&x);
	group = x.modrm ? code[x.modrm] >> 3 & 7 : 0;
	i.length = x.length;
	i.atomic = effect == EFFECT_ATOMIC || (effect != EFFECT_NONE && x.lock);
	i.modifies = effect == EFFECT_MODIFIES && !x.lock;
	i.call = x.map == 0 && (x.op == 0xe8 || (x.op == 0xff && group == 2));
	i.ret = x.map == 0 && (x.op == 0xc2 || x.op == 0xc3);
	i.indirect = x.map == 0 && x.op == 0xff && (group == 4 || group == 5);
	i.repeats = x.map == 0 && (x.rep || x.repne) &&
		    ((x.op >= 0xa4 && x.op <= 0xa7) || (x.op >= 0xaa && x.op <= 0xaf));
	/* movntps, movntpd, movntss, movntsd, movntq, movntdq; movnti: SDM volume 2, AMD APM 4 */
	i.streams = x.map == 1 && sd_insn_x86_has_memory(&x) &&
		    (x.op == 0x2b || x.op == 0xe7 || (x.op == 0xc3 && !x.vex));
	i.converts = x.map == 1 && x.op == 0x5a; /* cvtss2sd, cvtsd2ss, cvtps2pd, cvtpd2ps */
	i.direct = is_direct(&x) != 0;
	take_kind(&x, &i);
	return i;
}
