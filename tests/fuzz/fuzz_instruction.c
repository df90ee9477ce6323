/*
 * Any bytes as instructions: none are read behind their end, and where capstone knows the first of
 * them, both say the same of it.
 */
#include <stdlib.h>
#include <string.h>

#include "resolve/spin_loop.h"
#include "support/insn_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct insn_oracle *oracle(void)
{
	static struct insn_oracle o;

	if (!o.insn && insn_oracle_open(&o))
		abort();
	return &o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of its own, so that a byte too many is seen */
	unsigned char *const code = malloc(size ? size : 1);
	char why[300];
	size_t length;

	if (!code)
		return 0;
	memcpy(code, data, size);
	for (int m = SD_INSN_DECODE_X86_64; m <= SD_INSN_DECODE_AARCH64; m++) {
		const enum sd_insn_decode_machine machine = (enum sd_insn_decode_machine)m;

		for (size_t at = 0; at < size; at += length ? length : 1) {
			if (!insn_oracle_disagrees(oracle(), machine, code + at, size - at, why,
				    sizeof why, &length))
				continue;
			fprintf(stderr, "%s\n", why);
			abort();
		}
		for (size_t ip = 0; ip <= size; ip++) {
			sd_insn_decode_is_atomic(machine, code, size, ip);
			sd_insn_decode_ends_call(machine, code, ip);
			sd_spin_loop(machine, code, size, ip);
		}
	}
	free(code);
	return 0;
}
