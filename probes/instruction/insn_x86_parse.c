#include <errno.h>

#include "instruction/insn_machines.h"

/*
 * Bytes that follow an opcode in 64-bit mode (Intel SDM volume 2, appendix A; AMD APM volume 3,
 * appendix A):
 *
 *   -  nothing                    m  ModRM and what it asks for (SIB, displacement)
 *   b  a byte                     B  ModRM, a byte
 *   z  two bytes or four          Z  ModRM, two bytes or four
 *   w  two bytes                  f  ModRM; a byte where /r is 0 or 1: test
 *   e  three bytes: enter         F  ModRM; two bytes or four where /r is 0 or 1
 *   v  a constant of full width   o  an address of full width
 *   s  a branch's byte            r  a branch's four bytes
 *   c  ModRM of two registers, whatever it says
 *   !  no instruction, or a prefix
 */
/* clang-format off */
static const char one_byte[] =
	/*       0123456789abcdef */
	/* 0 */ "mmmmbz!!mmmmbz!!"
	/* 1 */ "mmmmbz!!mmmmbz!!"
	/* 2 */ "mmmmbz!!mmmmbz!!"
	/* 3 */ "mmmmbz!!mmmmbz!!"
	/* 4 */ "!!!!!!!!!!!!!!!!"
	/* 5 */ "----------------"
	/* 6 */ "!!!m!!!!zZbB----"
	/* 7 */ "ssssssssssssssss"
	/* 8 */ "BZ!Bmmmmmmmmmmmm"
	/* 9 */ "----------!-----"
	/* a */ "oooo----bz------"
	/* b */ "bbbbbbbbvvvvvvvv"
	/* c */ "BBw-!!BZe-w--b!-"
	/* d */ "mmmm!!!-mmmmmmmm"
	/* e */ "ssssbbbbrr!s----"
	/* f */ "!-!!--fF------mm";

static const char behind_0f[] =
	/*       0123456789abcdef */
	/* 0 */ "mmmm!-----!-!m-B"
	/* 1 */ "mmmmmmmmmmmmmmmm"
	/* 2 */ "cccc!!!!mmmmmmmm"
	/* 3 */ "------!-!!!!!!!!"
	/* 4 */ "mmmmmmmmmmmmmmmm"
	/* 5 */ "mmmmmmmmmmmmmmmm"
	/* 6 */ "mmmmmmmmmmmmmmmm"
	/* 7 */ "BBBBmmm-mm!!mmmm"
	/* 8 */ "rrrrrrrrrrrrrrrr"
	/* 9 */ "mmmmmmmmmmmmmmmm"
	/* a */ "---mBm!!---mBmmm"
	/* b */ "mmmmmmmmmmBmmmmm"
	/* c */ "mmBmBBBm--------"
	/* d */ "mmmmmmmmmmmmmmmm"
	/* e */ "mmmmmmmmmmmmmmmm"
	/* f */ "mmmmmmmmmmmmmmmm";
/* clang-format on */

/* Length of ModRM, SIB and displacement at p; 0: cut off. SDM volume 2, table 2-2. */
static size_t modrm_length(const unsigned char *p, size_t n)
{
	const unsigned mod = n ? p[0] >> 6 : 0, rm = n ? p[0] & 7 : 0;
	size_t length = 1;

	if (n == 0 || mod == 3)
		return n ? 1 : 0;
	if (rm == 4) {
		if (n < 2)
			return 0;
		length = mod == 0 && (p[1] & 7) == 5 ? 6 : 2;
	} else if (rm == 5 && mod == 0) {
		length = 5;
	}
	length += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return length <= n ? length : 0;
}

/* Prefixes: where the opcode stands. A REX prefix counts directly before it and nowhere else: SDM
 * volume 2, 2.1.1, 2.2.1. */
static size_t take_prefixes(struct sd_insn_x86 *x, size_t n, int *short_addresses)
{
	size_t at = 0;

	for (; at < n; at++) {
		const unsigned byte = x->code[at];

		if ((byte & 0xf0) == 0x40) {
			x->rex = byte;
			continue;
		}
		if (byte == 0xf0)
			x->lock = 1;
		else if (byte == 0xf2)
			x->repne = 1;
		else if (byte == 0xf3)
			x->rep = 1;
		else if (byte == 0x66)
			x->wide16 = 1;
		else if (byte == 0x67)
			*short_addresses = 1;
		else if (byte != 0x26 && byte != 0x2e && byte != 0x36 && byte != 0x3e &&
			 byte != 0x64 && byte != 0x65)
			break;
		x->rex = 0;
	}
	return at;
}

/* The opcode's map and the opcode itself: where it ends; 0: there is none. VEX and EVEX name the
 * map in their bytes (SDM volume 2, 2.3, 2.7) and bear no other prefix that changes an instruction.
 */
static size_t take_opcode(struct sd_insn_x86 *x, size_t at, size_t n)
{
	const unsigned char *const p = x->code + at;
	const size_t left = n - at;
	size_t escape = 0;

	if (left > 1 && p[0] == 0x0f) {
		x->map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
		escape = x->map == 1 ? 1 : 2;
	} else if (left > 2 && p[0] == 0xc5) {
		x->map = 1;
		escape = 2;
	} else if (left > 3 && p[0] == 0xc4) {
		x->map = p[1] & 0x1f;
		escape = x->map >= 1 && x->map <= 3 ? 3 : left;
	} else if (left > 4 && p[0] == 0x62) {
		x->map = p[1] & 7;
		escape = x->map && x->map != 4 && x->map != 7 && !(p[1] & 8) && p[2] & 4 ? 4 : left;
	}
	x->vex = escape && p[0] != 0x0f;
	if (escape >= left || (x->vex && (x->lock || x->rep || x->repne || x->wide16 || x->rex)))
		return 0;
	x->op = p[escape];
	return at + escape + 1;
}

static char what_follows(const struct sd_insn_x86 *x)
{
	char what = 'm';

	if (x->map == 3)
		return 'B';
	if (x->map > 1 || (x->map == 0 && x->op == 0x8f))
		return what;
	what = x->map ? behind_0f[x->op] : one_byte[x->op];
	if (x->vex)
		return what == 'm' || what == 'B' || x->op == 0x77 ? what : '!';
	return x->map && x->op == 0x78 && (x->wide16 || x->repne) ? '!' : what;
}

/* Bytes of the constant; -1: Intel's and AMD's cores do not agree, on branches with 66. */
static int constant_bytes(
	const struct sd_insn_x86 *x, char what, unsigned group, int short_addresses)
{
	const int wide = x->wide16 && !(x->rex & 8) ? 2 : 4;

	switch (what) {
	case 'b':
	case 'B':
		return 1;
	case 'z':
	case 'Z':
		return wide;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'v':
		return x->rex & 8 ? 8 : wide;
	case 'o':
		return short_addresses ? 4 : 8;
	case 'f':
		return group < 2;
	case 'F':
		return group < 2 ? wide : 0;
	case 's':
	case 'r':
		return wide == 2 ? -1 : what == 's' ? 1 : 4;
	default:
		return 0;
	}
}

int sd_insn_x86_parse(struct sd_insn_x86 *x, const unsigned char *code, size_t n)
{
	int short_addresses = 0, constant;
	size_t at, operands = 0;
	char what;

	*x = (struct sd_insn_x86){.code = code};
	if (n > SD_INSN_X86_LONGEST)
		n = SD_INSN_X86_LONGEST;
	at = take_prefixes(x, n, &short_addresses);
	at = at < n ? take_opcode(x, at, n) : 0;
	what = at ? what_follows(x) : '!';
	if (what == '!')
		return -EINVAL;
	if (what == 'c')
		operands = at < n;
	else if (what == 'm' || what == 'B' || what == 'Z' || what == 'f' || what == 'F')
		operands = modrm_length(code + at, n - at);
	if (operands)
		x->modrm = at;
	else if (what == 'c' || what == 'm' || what == 'B' || what == 'Z' || what == 'f' ||
		 what == 'F')
		return -EINVAL;
	if (x->map == 0 && x->op == 0x8f && code[at] >> 3 & 7) /* XOP */
		return -EINVAL;
	constant = constant_bytes(x, what, operands ? code[at] >> 3 & 7 : 0, short_addresses);
	x->constant = at + operands;
	if (constant < 0 || x->constant + (size_t)constant > n)
		return -EINVAL;
	x->length = x->constant + (size_t)constant;
	return 0;
}
