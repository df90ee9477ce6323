/*
 * Decodes an instruction of x86-64 or aarch64 as far as its users ask: the search for loops that
 * wait, samples at atomic instructions, the unwinder's guesses, and the cache model in QEMU, which
 * knows its accesses but not their kind. One decoder, in the program and in the plugin.
 */
#ifndef SD_INSN_DECODE_H
#define SD_INSN_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum sd_insn_decode_machine { SD_INSN_DECODE_OTHER, SD_INSN_DECODE_X86_64, SD_INSN_DECODE_AARCH64 };

enum sd_insn_decode_machine sd_insn_decode_here(void);                /* of this build */
enum sd_insn_decode_machine sd_insn_decode_of_qemu(const char *name); /* "x86_64", "aarch64" */

/* Kinds of instructions that loops that wait are made of. */
enum sd_insn_decode_kind {
	SD_INSN_DECODE_UNKNOWN, /* or one that a spin loop does not have */
	SD_INSN_DECODE_LOAD,    /* reads memory; may compare what it read */
	SD_INSN_DECODE_PLAIN,   /* compares, moves between registers, does nothing */
	SD_INSN_DECODE_DERIVE,  /* makes an address or a part of a value out of registers */
	SD_INSN_DECODE_COUNT, /* adds or subtracts a constant on a register: a bound on the tries */
	SD_INSN_DECODE_PAUSE,
	SD_INSN_DECODE_EXCHANGE, /* locked compare-and-exchange, or an exchange of a lock's word */
	SD_INSN_DECODE_BRANCH,   /* to a place that the instruction names */
};

struct sd_insn_decode {
	enum sd_insn_decode_kind kind;
	size_t length; /* bytes; 0: cut off, or no instruction that is known */
	long target;   /* of a branch: from the instruction's beginning */
	int always;    /* of a branch: it has no condition */
	/* General registers: bit by number; of kinds other than UNKNOWN. `reads`: what is written,
	 * or exchanged, is made of these, besides memory. */
	uint32_t writes, addresses, reads;
	/* Set for every instruction with a length. */
	unsigned atomic : 1;   /* reads and writes memory as one, or is half of an exclusive pair */
	unsigned modifies : 1; /* x86-64: loads, changes and stores the same bytes, not atomic */
	unsigned call : 1, ret : 1;
	unsigned indirect : 1; /* a jump to where a register or memory says */
	unsigned repeats : 1;  /* a string instruction with rep */
	unsigned streams : 1;  /* a non-temporal store: it writes past the caches */
	unsigned converts : 1; /* float to double or back */
	unsigned direct : 1;   /* x86-64: an emulator has no reason to call a function that does its
				  accesses; not of all that are so */
};

/* Decodes the instruction at `code`, of which `n` bytes are available. */
struct sd_insn_decode sd_insn_decode_at(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n);

/*
 * Is the instruction at offset `ip` of these n bytes, or the one that ends there, atomic? An
 * interrupt arrives after an instruction completes, so a sample points behind the one its core
 * waited for. The bytes of an x86-64 exchange without a prefix may as well be a constant of another
 * instruction: one that ends at ip counts where the code before it, from several offsets, leads to
 * it.
 */
int sd_insn_decode_is_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip);

#define SD_INSN_DECODE_CALL_BYTES 7 /* the longest call without needless prefixes */

/* Can a call end behind these n bytes, so that the address there is one that it returns to? */
int sd_insn_decode_ends_call(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n);

#endif
