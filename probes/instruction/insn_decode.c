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

#define WAYS \
	16 /* bytes before an instruction from which code is decoded, to see whether it is one */

/* Is the instruction at `at` one that was executed before the one at `ip`? Where a lock prefix says
 * so; else where all ways that come from before it to ip come by it, and more than one does. */
static int is_executed(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t at, size_t ip)
{
	struct sd_insn_x86 x;
	unsigned by = 0;

	if (machine != SD_INSN_DECODE_X86_64 ||
		(sd_insn_x86_parse(&x, code + at, ip - at) == 0 && x.lock))
		return 1;
	for (size_t from = at < WAYS ? 0 : at - WAYS; from < at; from++) {
		size_t length = 1, k = from;

		for (; k < at && length; k += length)
			length = sd_insn_decode_at(machine, code + k, ip - k).length;
		by += length && k == at;
		for (; k != at && k < ip && length; k += length)
			length = sd_insn_decode_at(machine, code + k, ip - k).length;
		if (length && k == ip)
			return 0;
	}
	return by > 1;
}

int sd_insn_decode_is_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip)
{
	if (ip > n)
		return 0;
	if (sd_insn_decode_at(machine, code + ip, n - ip).atomic)
		return 1;
	for (size_t back = lengths[machine].shortest;
		back <= lengths[machine].longest && back <= ip; back += lengths[machine].step) {
		const struct sd_insn_decode i = sd_insn_decode_at(machine, code + ip - back, back);

		if (i.length == back && i.atomic && is_executed(machine, code, ip - back, ip))
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
