/*
 * What an instruction does, as far as a loop that waits is made of it: of x86-64 and aarch64.
 */
#ifndef SD_INSN_DECODE_H
#define SD_INSN_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum sd_insn_decode_machine { SD_INSN_DECODE_X86_64, SD_INSN_DECODE_AARCH64, SD_INSN_DECODE_OTHER };

/* Of this build. */
enum sd_insn_decode_machine sd_insn_decode_here(void);

enum sd_insn_decode_kind {
	SD_INSN_DECODE_UNKNOWN, /* or one that a spin loop does not have */
	SD_INSN_DECODE_LOAD,    /* reads memory; may compare what it read */
	SD_INSN_DECODE_PLAIN,   /* compares, moves between registers, does nothing */
	SD_INSN_DECODE_DERIVE,  /* makes an address or a part of a value out of registers */
	SD_INSN_DECODE_COUNT,   /* adds or subtracts a constant, on a register: a bound on the tries
				 */
	SD_INSN_DECODE_PAUSE,
	SD_INSN_DECODE_EXCHANGE, /* locked compare-and-exchange, or an exchange of a lock's word */
	SD_INSN_DECODE_BRANCH,
};

struct sd_insn_decode {
	enum sd_insn_decode_kind kind;
	size_t length;
	long target;                /* of a branch: from the instruction's beginning */
	int always;                 /* of a branch: it has no condition */
	uint32_t writes, addresses; /* registers: bit by number */
	uint32_t reads; /* what is written, or exchanged, is made of these, besides memory */
};

/* The one that begins at `code`, of which `n` bytes are there. Length 0, or of unknown kind: cut
 * off, or none of these. */
struct sd_insn_decode sd_insn_decode_at(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n);

/*
 * Does the instruction at `ip` of these n bytes, or the one that ends there, read and write memory
 * as one: locked on x86-64, a LSE atomic or an exclusive access on aarch64? An interrupt comes when
 * an instruction is done, and so a sample stands behind the one that its core waited for. Exchanges
 * of x86-64 without a prefix are not looked for: their two bytes may as well be another's constant.
 */
int sd_insn_decode_is_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip);

#endif
