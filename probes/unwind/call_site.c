#include "unwind/call_site.h"

#include <elf.h>
#include <stdint.h>

/* The length of "call r/m64" (FF /2) with this ModRM byte and the one after it, without prefixes;
 * 0: not that instruction. Intel SDM volume 2, table 2-2. */
static size_t indirect_length(unsigned modrm, unsigned sib)
{
	const unsigned mod = modrm >> 6, rm = modrm & 7;
	const size_t with_sib = mod != 3 && rm == 4;

	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mod == 0 && (rm == 5 || (with_sib && (sib & 7) == 5)))
		return 6 + with_sib;
	return 2 + with_sib + (mod == 1 ? 1u : mod == 2 ? 4u : 0u);
}

static int x86_64(const unsigned char *end, size_t n)
{
	if (n >= 5 && end[-5] == 0xe8)
		return 1;
	for (size_t length = 2; length <= 7 && length <= n; length++) {
		const unsigned char *const at = end - length;

		if (at[0] == 0xff && indirect_length(at[1], length > 2 ? at[2] : 0) == length)
			return 1;
	}
	return 0;
}

/* BL, BLR, BLRAA and its kin. Arm ARM C4.1.66. */
static int aarch64(const unsigned char *end, size_t n)
{
	uint32_t i;

	if (n < 4)
		return 0;
	i = (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 |
	    (uint32_t)end[-1] << 24;
	return (i & 0xfc000000u) == 0x94000000u || (i & 0xfffffc1fu) == 0xd63f0000u ||
	       (i & 0xfefff800u) == 0xd63f0800u;
}

int sd_call_site_before(int machine, const unsigned char *code, size_t n)
{
	switch (machine) {
	case EM_X86_64:
		return x86_64(code + n, n);
	case EM_AARCH64:
		return aarch64(code + n, n);
	default:
		return 0;
	}
}
