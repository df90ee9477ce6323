#include "instruction/insn_decode.h"

#include <string.h>

#include "instruction/insn_machines.h"

enum sd_insn_decode_machine sd_insn_decode_here(void)
{
#if defined(__x86_64__)
	return SD_INSN_DECODE_X86_64;
#elif defined(__aarch64__)
	return SD_INSN_DECODE_AARCH64;
#else
	return SD_INSN_DECODE_OTHER;
#endif
}

enum sd_insn_decode_machine sd_insn_decode_of_qemu(const char *name)
{
	if (strcmp(name, "x86_64") == 0)
		return SD_INSN_DECODE_X86_64;
	return strcmp(name, "aarch64") == 0 ? SD_INSN_DECODE_AARCH64 : SD_INSN_DECODE_OTHER;
}

struct sd_insn_decode sd_insn_decode_at(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n)
{
	switch (machine) {
	case SD_INSN_DECODE_X86_64:
		return sd_insn_x86_at(code, n);
	case SD_INSN_DECODE_AARCH64:
		return sd_insn_aarch64_at(code, n);
	default:
		return (struct sd_insn_decode){.kind = SD_INSN_DECODE_UNKNOWN};
	}
}

/* The lengths that an instruction can have, shortest first. */
static const struct {
	size_t shortest, longest, step;
} lengths[] = {
	[SD_INSN_DECODE_OTHER] = {1, 0, 1},
	[SD_INSN_DECODE_X86_64] = {2, SD_INSN_X86_LONGEST, 1},
	[SD_INSN_DECODE_AARCH64] = {4, 4, 4},
};

/* Atomic by more than its opcode: an exchange without a lock prefix is left out. */
static int is_marked_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t length)
{
	struct sd_insn_x86 x;

	return machine != SD_INSN_DECODE_X86_64 ||
	       (sd_insn_x86_parse(&x, code, length) == 0 && x.lock);
}

int sd_insn_decode_is_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip)
{
	struct sd_insn_decode i;

	if (ip > n)
		return 0;
	i = sd_insn_decode_at(machine, code + ip, n - ip);
	if (i.atomic && is_marked_atomic(machine, code + ip, i.length))
		return 1;
	for (size_t back = lengths[machine].shortest;
		back <= lengths[machine].longest && back <= ip; back += lengths[machine].step) {
		i = sd_insn_decode_at(machine, code + ip - back, back);
		if (i.length == back && i.atomic &&
			is_marked_atomic(machine, code + ip - back, back))
			return 1;
	}
	return 0;
}

int sd_insn_decode_ends_call(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n)
{
	for (size_t back = lengths[machine].shortest; back <= lengths[machine].longest && back <= n;
		back += lengths[machine].step) {
		const struct sd_insn_decode i = sd_insn_decode_at(machine, code + n - back, back);

		if (i.length == back && i.call)
			return 1;
	}
	return 0;
}
